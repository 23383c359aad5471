//! The desk, as a test or a reader finds it.

use super::{count, documents};
use scraper::Html;

#[test]
fn the_desk_says_what_a_test_or_a_reader_looks_for() {
    let all = documents();
    let desk = Html::parse_document(&all["desk"]);
    assert_eq!(count(&desk, "tr[data-message]"), 12);
    assert_eq!(
        count(
            &desk,
            "tr[data-operation=op_7f3a][data-label=local_delivery_failure][data-action=deliver]"
        ),
        1
    );
    assert_eq!(
        count(&desk, "tr[data-inconsistent]"),
        1,
        "an impossible row is shown in its place"
    );
    assert_eq!(count(&desk, "[data-rail-label]"), 10);
    assert_eq!(count(&desk, "a.chip"), 2);
    assert_eq!(count(&desk, "a[rel=next]"), 1);
    assert!(
        all["desk"].contains("/operations/a%2Fb%20c?"),
        "an awkward id is encoded"
    );
    let states = [
        ("desk-never", "never"),
        ("desk-filtered", "filtered"),
        ("desk-unreadable", "unreadable"),
    ];
    for (name, state) in states {
        assert_eq!(
            count(
                &Html::parse_document(&all[name]),
                &format!("[data-empty-state={state}]")
            ),
            1,
            "{name}"
        );
    }
}

#[test]
fn the_desk_finds_by_chart_group_order_and_age() {
    let all = documents();
    let desk = Html::parse_document(&all["desk"]);
    assert_eq!(
        count(&desk, "figure.chart svg[aria-hidden=true] a[tabindex='-1']"),
        48
    );
    assert_eq!(count(&desk, "figure.chart details table caption"), 1);
    assert_eq!(count(&desk, ".key li"), 6, "every look that is drawn is named");
    assert!(count(&desk, "tr[data-hour]") > 40);
    for name in ["action", "phase", "category", "age", "disposition"] {
        assert_eq!(
            count(&desk, &format!("form.filter select[name={name}]")),
            1,
            "{name}"
        );
    }
    for name in ["q", "job_name", "reason", "operation", "owner", "from", "to"] {
        assert_eq!(
            count(&desk, &format!("form.filter input[name={name}]")),
            1,
            "{name}"
        );
    }
    for region in ["facts", "side", "chart", "head", "rows"] {
        assert_eq!(count(&desk, &format!("[data-live={region}]")), 1, "{region}");
    }
    assert_eq!(count(&desk, "[role=status][data-news]:empty"), 1);
    let grouped = Html::parse_document(&all["desk-grouped"]);
    assert_eq!(count(&grouped, "tr[data-category]"), 3);
    assert_eq!(
        count(
            &grouped,
            "tr[data-category=storage_full] a[href='/dead-letters?label=local_delivery_failure&queue=delivery&age=7d&category=storage_full']"
        ),
        1
    );
    assert_eq!(
        count(&grouped, "tr[data-category=none] a[href$='category=none']"),
        1,
        "what states no category is found too"
    );
    assert_eq!(count(&grouped, "a.chip"), 3, "a grouping is no filter");
    assert!(
        all["desk-grouped"].contains("38+ dead letters"),
        "label and queue meet"
    );
    let oldest = Html::parse_document(&all["desk-oldest"]);
    assert_eq!(
        count(&oldest, "table[aria-label='Dead letters, oldest first']"),
        1
    );
    assert_eq!(count(&oldest, "a[rel=next][href*='sort=oldest']"), 1);
    assert!(all["desk-oldest"].contains("Newer") && !all["desk-oldest"].contains("Older"));
}
