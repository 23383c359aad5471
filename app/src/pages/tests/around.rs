//! What people add around the records: notes, claims, views, preferences, switches; and history.

use super::fake::FakeDesk;
use crate::desk::{Code, Density, Preferences, Theme};
use crate::edge::Around;
use crate::pages::preferences::PreferenceForm;
use crate::pages::{claim, note, preferences, providers, samples, views};

fn s(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_note_and_a_claim_are_ordered_and_lead_back() {
    let desk = FakeDesk::default();
    desk.form(|| note::write_note(s("a/b c"), s("seen"), s("k1"), s("label=closed&evil=1")));
    assert_eq!(
        desk.log.redirected(),
        "/operations/a%2Fb%20c?back=label%3Dclosed&done=noted#notes"
    );
    desk.form(|| claim::claim_operation(s("op_1"), s("k2"), s("")));
    assert_eq!(desk.log.redirected(), "/operations/op_1?done=claimed");
    desk.form(|| claim::release_operation(s("op_1"), s("k3"), s("")));
    assert_eq!(desk.log.redirected(), "/operations/op_1?done=released");
    assert_eq!(
        desk.log.ordered(),
        ["note a/b c seen k1", "claim op_1 k2", "release op_1 k3"]
    );
    let refusing = FakeDesk::refusing(Code::InvalidRequest);
    refusing.form(|| note::write_note(s("op_1"), s("too long"), s("k"), s("")));
    assert!(
        refusing
            .log
            .redirected()
            .contains("refused=invalid_request&form=note&typed.text=too%20long"),
        "what was typed is kept"
    );
}

#[test]
fn a_view_holds_filters_of_its_list_and_nothing_else() {
    let desk = FakeDesk::default();
    let query = s("label=closed&cursor=x&done=purged&evil=%3Cb%3E");
    desk.form(|| views::save_view(s("dead-letters"), query, s(" My night "), s("yes")));
    assert_eq!(
        desk.log.ordered(),
        ["save_view dead-letters My night label=closed true"]
    );
    assert_eq!(
        desk.log.redirected(),
        "/dead-letters?label=closed&done=view_saved"
    );
    desk.form(|| views::delete_view(s("operations"), s(""), s("2")));
    assert_eq!(desk.log.redirected(), "/operations?done=absent_view");
    let refusing = FakeDesk::refusing(Code::InvalidRequest);
    refusing.form(|| views::save_view(s("operations"), s("unseen=purged"), s(""), s("")));
    let back = refusing.log.redirected();
    assert!(back.starts_with("/operations?unseen=purged&refused="), "{back}");
    let path = back.split('#').next().unwrap_or_default();
    let page = refusing.page(path);
    assert!(
        page.contains("data-code=\"invalid_request\""),
        "the list accepts what its form sends back: {page}"
    );
}

#[test]
fn preferences_are_kept_and_applied_to_the_whole_document() {
    let desk = FakeDesk::default();
    let form = PreferenceForm {
        theme: s("dark"),
        density: s("dense"),
        zone: s("named"),
        zone_name: s("Asia/Kolkata"),
        shortcuts: s(""),
    };
    desk.form(|| preferences::prefer(form.clone()));
    assert_eq!(desk.log.ordered(), ["prefer dark dense Asia/Kolkata false"]);
    let wrong = PreferenceForm {
        zone_name: s("Mars/Olympus"),
        ..form
    };
    desk.form(|| preferences::prefer(wrong));
    assert!(desk.log.redirected().contains("refused=invalid_request"));
    let chosen = FakeDesk {
        around: Around {
            preferences: Preferences {
                theme: Theme::Dark,
                density: Density::Dense,
                zone: "Asia/Kolkata".parse().expect("a zone"),
                shortcuts: false,
            },
            ..Around::default()
        },
        ..FakeDesk::default()
    };
    let page = chosen.page("/operations/op_7f3a");
    for attribute in [
        "data-theme=\"dark\"",
        "data-density=\"dense\"",
        "data-shortcuts=\"off\"",
        "data-zone=\"Asia/Kolkata\"",
    ] {
        assert!(page.contains(attribute), "{attribute}: {page}");
    }
    assert!(
        page.contains(" IST, "),
        "times are in the chosen zone, UTC beside it: {page}"
    );
    assert!(
        !chosen.page("/dead-letters").contains("UTC</time>"),
        "and on the desk"
    );
}

#[test]
fn a_pause_stands_on_every_page() {
    let desk = FakeDesk {
        around: Around {
            paused: vec![providers::sample_pause(samples::now())],
            ..Around::default()
        },
        ..FakeDesk::default()
    };
    for path in ["/dead-letters", "/operations/op_7f3a", "/audit", "/nowhere"] {
        let page = desk.page(path);
        assert!(page.contains("data-paused=\"genace\""), "{path}");
        assert!(page.contains("their 502s &lt;b&gt;bill"), "{path}");
    }
    assert!(!FakeDesk::default().page("/audit").contains("data-paused"));
    desk.form(|| providers::pause_provider(s("genace"), s("they bill twice"), s("k")));
    desk.form(|| providers::resume_provider(s("genace"), s("they stopped"), s("k")));
    desk.form(|| providers::pause_provider(s("genace"), s(" "), s("k")));
    assert_eq!(
        desk.log.ordered(),
        ["pause genace they bill twice k", "resume genace they stopped k"]
    );
    assert!(desk.log.redirected().contains("form=provider-genace"));
}

#[test]
fn history_is_marked_compared_and_offers_nothing() {
    let desk = FakeDesk::default();
    let page = desk.page("/operations/op_7f3a?at=5");
    assert!(page.contains("This is history."), "{page}");
    assert!(
        page.contains("data-field=\"phase\" data-differs=\"true\""),
        "{page}"
    );
    assert_eq!(
        page.matches("<form").count(),
        1,
        "signing out is the only form of a page of history"
    );
    let not_kept = desk.page("/operations/op_7f3a?at=2");
    assert!(not_kept.contains("data-not-kept"), "{not_kept}");
    desk.page("/operations/op_7f3a?at=99");
    assert_eq!(desk.log.status(), 404);
    let wrong = FakeDesk::default();
    wrong.page("/operations/op_7f3a?at=soon");
    assert_eq!(wrong.log.status(), 400);
}

#[test]
fn a_stale_plan_says_what_changed_field_by_field() {
    let desk = FakeDesk::default();
    let page = desk.page(
        "/operations/op_7f3a/review?refused=plan_stale&form=confirm&seen=5&was=observe&typed.reason=again",
    );
    assert!(page.contains("data-stale=\"5\""), "{page}");
    assert!(page.contains("data-was=\"observe\""), "{page}");
    assert!(
        page.contains("data-field=\"execution\" data-differs=\"true\""),
        "{page}"
    );
    assert!(
        page.contains("data-action=\"deliver\""),
        "the new plan is offered"
    );
    let honest = desk.page("/operations/op_7f3a/review?seen=5&was=observe");
    assert!(!honest.contains("data-stale"), "nothing was refused");
}
