//! An operation, its review, and what is grave.

use super::{count, documents};
use scraper::{Html, Selector};

#[test]
fn grave_actions_ask_and_name_their_price() {
    let all = documents();
    let review = Html::parse_document(&all["review-dispatch"]);
    let form = "form[data-action=dispatch][data-tone=spend]";
    assert_eq!(
        count(&review, &format!("{form} input[name=confirm][required]")),
        1
    );
    assert_eq!(
        count(&review, &format!("{form} textarea[name=reason][maxlength='500']")),
        1
    );
    assert_eq!(
        count(&review, &format!("{form} .effect a[autofocus]")),
        1,
        "Cancel has the focus"
    );
    let button = review
        .select(&Selector::parse("button[data-tone=spend]").expect("button"))
        .next()
        .expect("a button");
    let words: String = button.text().collect();
    assert!(
        words.contains("Submit new generation for op_91c2, 12 credits"),
        "{words}"
    );
    let blocked = Html::parse_document(&all["review-blocked"]);
    assert_eq!(
        count(&blocked, "[data-guard=budget_sufficient][data-verdict=block]"),
        1
    );
    assert_eq!(count(&blocked, "button[disabled]"), 1);
    assert!(all["review-blocked"].contains("Blocked: 9 credits remain"));
    let purge = Html::parse_document(&all["purge"]);
    assert_eq!(
        count(&purge, "form[data-action=purge] input[name=confirm][required]"),
        1
    );
    assert_eq!(
        count(&purge, "form[data-action=purge] textarea[name=reason][required]"),
        1
    );
    assert_eq!(
        count(&purge, "form[data-action=purge] .effect a[autofocus]"),
        1,
        "Cancel has the focus"
    );
    assert_eq!(count(&purge, "[data-code=confirm_mismatch][role=alert]"), 1);
    let held = Html::parse_document(&all["purge-held"]);
    assert_eq!(count(&held, "button[data-tone=destroy][disabled]"), 1);
    assert!(all["purge-held"].contains("Blocked: a recovery"));
    let message = Html::parse_document(&all["message"]);
    assert_eq!(
        count(&message, "form[data-action=purge]"),
        0,
        "the question has a page of its own"
    );
    assert_eq!(count(&message, "a[data-purge]"), 1);
}

#[test]
fn who_holds_an_operation_is_said_with_what_this_reader_may_do() {
    let all = documents();
    let theirs = Html::parse_document(&all["operation-claimed"]);
    assert_eq!(count(&theirs, "[data-claimed-by='a.lindqvist']"), 1);
    assert_eq!(count(&theirs, "form[data-action=release]"), 0);
    assert!(all["operation-claimed"].contains("Take over from a.lindqvist"));
    assert_eq!(count(&theirs, "[data-note]"), 2);
    assert!(all["operation-claimed"].contains("&lt;b&gt;Seen&lt;/b&gt;"));
    let mine = Html::parse_document(&all["operation-mine"]);
    assert_eq!(count(&mine, "form[data-action=release]"), 1);
    assert_eq!(count(&mine, "form[data-action=claim]"), 1);
    let free = Html::parse_document(&all["operation"]);
    assert_eq!(count(&free, "[data-claimed-by]"), 0);
}

#[test]
fn outputs_are_shown_from_our_own_store_only() {
    let all = documents();
    let page = Html::parse_document(&all["operation"]);
    assert_eq!(
        count(&page, "[data-preview]"),
        2,
        "only what is ours has a preview"
    );
    for shown in page.select(&Selector::parse("img, video").expect("media")) {
        let source = shown.value().attr("src").unwrap_or_default();
        assert!(source.starts_with("/operations/op_7f3a/outputs/"), "{source}");
    }
}

#[test]
fn a_refused_form_keeps_what_was_typed() {
    let all = documents();
    let review = Html::parse_document(&all["review-deliver"]);
    assert_eq!(count(&review, "[data-code=plan_stale][role=alert]"), 1);
    let reason = review
        .select(&Selector::parse("textarea[name=reason]").expect("reason"))
        .next()
        .expect("a reason");
    assert_eq!(reason.text().collect::<String>(), "the disk has room again");
    let every = Html::parse_document(&all["operation-contested"]);
    for kind in crate::domain::decision::DecisionKind::ALL {
        assert_eq!(count(&every, &format!("form[data-decision={kind}]")), 1, "{kind}");
    }
}

#[test]
fn notes_are_announced_where_a_reader_looks_first() {
    let all = documents();
    let held = Html::parse_document(&all["operation-claimed"]);
    assert_eq!(count(&held, ".claim a[href='#notes']"), 1);
    assert!(all["operation-claimed"].contains(">2 notes</a>"));
    assert_eq!(
        count(
            &Html::parse_document(&all["operation"]),
            ".claim a[href='#notes']"
        ),
        0,
        "nothing is announced where there is none"
    );
}
