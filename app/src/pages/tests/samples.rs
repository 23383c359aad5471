//! Every sample of every page is rendered once and read back by an HTML parser.

use crate::components::frame;
use crate::pages::*;
use scraper::{Html, Selector};
use std::collections::BTreeMap;

/// Every sample as a whole document, by name.
fn documents() -> BTreeMap<&'static str, String> {
    let now = samples::now();
    let mut all = BTreeMap::new();
    let mut add = |section: Section, list: Vec<(&'static str, AnyView)>| {
        for (name, body) in list {
            let caller = (!name.starts_with("login")).then(samples::caller);
            let page = view! { {frame::top(caller, section)} {body} }.to_html();
            assert!(all.insert(name, document(&page)).is_none(), "{name} twice");
        }
    };
    macro_rules! pages {
        ($($section:ident $module:ident ($($arg:expr)?);)+) => {
            $( add(Section::$section, $module::samples($($arg)?).into_iter().map(|(name, model)| (name, $module::view(model).into_any())).collect()); )+
        };
    }
    pages! {
        DeadLetters desk(now);
        DeadLetters message(now);
        DeadLetters unreadable();
        DeadLetters purge(now);
        DeadLetters reveal();
        Operations operations(now);
        Operations operation(now);
        Operations history(now);
        Operations review(now);
        Recoveries recoveries(now);
        Recoveries recovery(now);
        Recoveries approve(now);
        Providers providers(now);
        Elsewhere preferences(now);
        Queues queues(now);
        Audit audit(now);
        Elsewhere permissions(now);
        Elsewhere login();
        Elsewhere setup();
        Elsewhere error(now);
    }
    all
}

fn document(body: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Sample</title><link rel=\"stylesheet\" href=\"{}\"></head><body>{body}</body></html>",
        STYLE.path
    )
}

fn count(html: &Html, selector: &str) -> usize {
    html.select(&Selector::parse(selector).expect(selector)).count()
}

#[test]
fn every_page_renders_its_samples() {
    for (name, text) in documents() {
        if let Ok(folder) = std::env::var("DLO_SAMPLES") {
            std::fs::write(format!("{folder}/{name}.html"), &text).expect("a sample's file");
        }
        let html = Html::parse_document(&text);
        assert_eq!(count(&html, "main#main"), 1, "{name}");
        assert_eq!(count(&html, "h1"), 1, "{name}: {text}");
        assert_eq!(
            count(&html, "script, [style], style, [onclick]"),
            0,
            "{name} holds something inline"
        );
        let mut ids: Vec<&str> = html
            .select(&Selector::parse("[id]").expect("ids"))
            .filter_map(|element| element.value().id())
            .collect();
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all, "{name} repeats an id: {ids:?}");
        for form in html.select(&Selector::parse("form[method=post]").expect("forms")) {
            let action = form.value().attr("action").unwrap_or_default();
            assert!(action.starts_with("/forms/"), "{name}: {action}");
            assert!(
                form.value().attr("data-action").is_some(),
                "{name}: a form without its name"
            );
            let once = [
                "/forms/sign-in",
                "/forms/sign-out",
                "/forms/sign-out-everywhere",
                "/forms/password",
                "/forms/set-up",
                "/forms/audit/verify",
                "/forms/dead-letters/reveal",
                "/forms/preferences/save",
                "/forms/views/save",
                "/forms/views/delete",
            ]
            .contains(&action);
            let keys = form
                .select(&Selector::parse("input[name=key]").expect("key"))
                .count();
            assert_eq!(keys, usize::from(!once), "{name}: {action}");
        }
        for link in html.select(&Selector::parse("a").expect("links")) {
            let href = link.value().attr("href").unwrap_or_default();
            assert!(href.starts_with('/') || href.starts_with('#'), "{name}: {href}");
        }
        for used in html.select(&Selector::parse("use").expect("use")) {
            let symbol = used
                .value()
                .attr("href")
                .and_then(|href| href.split_once('#'))
                .map(|(_, id)| id);
            let id = format!("<symbol id=\"{}\"", symbol.unwrap_or_default());
            assert!(crate::assets::ICONS.body.contains(&id), "{name}: {id}");
        }
    }
}

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

#[test]
fn what_follows_says_where_and_offers_nothing_without_the_script() {
    let all = documents();
    for name in ["desk", "operation"] {
        let page = Html::parse_document(&all[name]);
        assert_eq!(count(&page, "[data-events^='/events?']"), 1, "{name}");
        assert_eq!(count(&page, "[data-state-words='']:empty"), 1, "{name}");
    }
    for (name, text) in &all {
        let page = Html::parse_document(text);
        let offered = count(&page, "[data-copy], [data-copy-from], [data-keys]");
        let hidden = count(
            &page,
            "[data-copy][hidden], [data-copy-from][hidden], [data-keys][hidden]",
        );
        assert_eq!(offered, hidden, "{name}");
    }
    let ended = Html::parse_document(&all["recovery-ended"]);
    assert_eq!(
        count(&ended, "dl.known dt"),
        4,
        "asked, state, observed, resulted"
    );
}

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
fn a_read_only_page_offers_nothing_that_costs() {
    let all = documents();
    for name in [
        "operation",
        "operation-not-submitted",
        "review-observe",
        "review-deliver",
        "desk",
    ] {
        assert_eq!(
            count(&Html::parse_document(&all[name]), "button[data-tone=spend]"),
            0,
            "{name}"
        );
    }
    for (name, text) in &all {
        let page = Html::parse_document(text);
        assert_eq!(
            count(
                &page,
                "[data-tone=spend] [data-alternative], [data-tone=spend] [data-effect=reads_status]"
            ),
            0,
            "{name}: a read stands inside what costs"
        );
    }
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
fn a_messages_replays_are_followed_to_their_ends() {
    let all = documents();
    let message = Html::parse_document(&all["message"]);
    for end in crate::desk::ReplayEnd::ALL {
        assert_eq!(
            count(&message, &format!("tr[data-replay][data-end={end}]")),
            1,
            "{end}"
        );
    }
    assert_eq!(
        count(&message, "tr[data-end=dead_letter] a[href^='/dead-letters/']"),
        1,
        "the new dead letter is linked"
    );
    assert_eq!(count(&message, "tr[data-end] a[href^='/recoveries/']"), 6);
    assert_eq!(count(&message, "[data-outside='2']"), 1);
    assert!(all["message"].contains("Replayed outside, "));
    assert_eq!(count(&message, "[data-came-from] a[href^='/dead-letters/']"), 1);
    let alone = Html::parse_document(&all["message-alone"]);
    assert_eq!(count(&alone, "[data-lineage]"), 0, "nobody replayed it");
}

#[test]
fn warnings_stand_before_the_button() {
    let all = documents();
    for (name, form) in [
        ("message-warned", "form[data-action=replay] "),
        ("review-deliver", ""),
    ] {
        let page = Html::parse_document(&all[name]);
        for kind in crate::domain::warning::WarningKind::ALL {
            assert_eq!(
                count(&page, &format!("{form}[data-warnings] [data-warning={kind}]")),
                1,
                "{name}: {kind}"
            );
        }
    }
}

#[test]
fn an_impossible_message_shows_what_can_be_read() {
    let all = documents();
    let page = Html::parse_document(&all["message-unreadable"]);
    let main = "main[data-inconsistent='soniq_dead_letter_jobs.original_created_at']";
    assert_eq!(count(&page, main), 1);
    assert_eq!(count(&page, "tr[data-column=job_name]"), 1);
    assert!(all["message-unreadable"].contains("timed out"));
    assert!(!all["message-unreadable"].contains("<b>"));
}

#[test]
fn the_queues_say_what_is_stuck_and_what_it_means() {
    let all = documents();
    let page = Html::parse_document(&all["queues"]);
    for kind in crate::desk::StuckKind::ALL {
        assert_eq!(count(&page, &format!("tr[data-stuck={kind}]")), 1, "{kind}");
        assert!(
            all["queues"].contains(&kind.means().replace('\'', "&#x27;"))
                || all["queues"].contains(kind.means()),
            "{kind}"
        );
    }
    assert_eq!(
        count(&page, "form[data-action]"),
        1,
        "signing out; the rest is read-only"
    );
    assert_eq!(count(&page, "[data-dead-table] [data-growth]"), 1);
    let empty = Html::parse_document(&all["queues-empty"]);
    assert_eq!(count(&empty, "tr[data-stuck]"), 0);
}

#[test]
fn text_from_outside_is_escaped_and_shown() {
    let all = documents();
    assert!(!all["message"].contains("<script>"));
    assert!(all["message"].contains("U+202E"));
    assert!(
        all["not-found"].contains("op_7f3b&lt;b&gt;"),
        "{}",
        all["not-found"]
    );
}
