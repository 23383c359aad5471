//! Every sample of every page is rendered once and read back by an HTML parser: what holds for all of them here, what is
//! of one page in a file of its own.

mod desk;
mod message;
mod operation;

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
            $( add(Section::$section, crate::pages::$module::samples($($arg)?).into_iter().map(|(name, model)| (name, crate::pages::$module::view(model).into_any())).collect()); )+
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
