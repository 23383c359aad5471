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
        Operations operations(now);
        Operations operation(now);
        Operations review(now);
        Recoveries recoveries(now);
        Recoveries recovery(now);
        Queues queues(now);
        Audit audit(now);
        Elsewhere login();
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
            let once = ["/forms/sign-in", "/forms/sign-out"].contains(&action);
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
    let purge = Html::parse_document(&all["message"]);
    assert_eq!(count(&purge, "form[data-action=purge] input[name=confirm]"), 1);
    assert_eq!(
        count(&purge, "form[data-action=purge] [data-code=confirm_mismatch]"),
        1
    );
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
