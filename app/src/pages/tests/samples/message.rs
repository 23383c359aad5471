//! A message, what became of it, and the queues.

use super::{count, documents};
use scraper::{Html, Selector};

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
    assert_eq!(
        count(&page, "main[data-live][data-every][data-events^='/events?desk']"),
        1,
        "an open page follows"
    );
    let empty = Html::parse_document(&all["queues-empty"]);
    assert_eq!(count(&empty, "tr[data-stuck]"), 0);
}

#[test]
fn a_message_says_how_many_values_it_hides() {
    let all = documents();
    for name in ["message", "operation"] {
        assert!(all[name].contains("1 value hidden"), "{name}");
    }
    let operation = Html::parse_document(&all["operation"]);
    let summary = Selector::parse("section[data-message] > details:not([open]) > summary").expect("a fold");
    let words: Vec<String> = operation
        .select(&summary)
        .map(|one| one.text().collect())
        .collect();
    assert_eq!(words.len(), 1, "folded until it is wanted: {words:?}");
    assert!(words[0].contains("1 value hidden; render.deliver"), "{words:?}");
}
