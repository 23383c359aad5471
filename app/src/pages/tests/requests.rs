//! Whole requests: a path to a document, a form to an order and a redirect.

use super::fake::FakeDesk;
use crate::desk::Code;
use crate::pages::decisions::{self, DecisionForm};
use crate::pages::review_confirm::{self, ConfirmForm};
use crate::pages::{approve, login, message_forms, purge, recovery};

fn s(text: &str) -> String {
    text.to_owned()
}

#[test]
fn every_route_answers_a_whole_document_with_our_script_alone() {
    let desk = FakeDesk::default();
    let letter = crate::pages::samples::dead_letters(crate::pages::samples::now())
        .remove(0)
        .id;
    let ended = crate::pages::samples::recoveries(crate::pages::samples::now())
        .remove(1)
        .id;
    let paths = [
        (s("/dead-letters?label=closed"), "<h1 class=\"vh\">Dead letters"),
        (format!("/dead-letters/{letter}"), "<h1>Message "),
        (format!("/dead-letters/{letter}/purge"), "<h1>Purge message "),
        (s("/operations"), "<h1>Operations"),
        (s("/operations/op_7f3a"), "data-operation=\"op_7f3a\""),
        (s("/operations/a%2Fb%20c"), "data-operation=\"a/b c\""),
        (
            s("/operations/op_7f3a/review?observe=gj_48211"),
            "<h1>Read the status of",
        ),
        (s("/recoveries"), "<h1>Recoveries"),
        (format!("/recoveries/{ended}"), "<h1>Observe"),
        (
            format!("/recoveries/{ended}/approve"),
            "<h1>Approve a new generation",
        ),
        (s("/operations/op_7f3a?at=5"), "This is history."),
        (s("/providers"), "<h1>Providers"),
        (s("/preferences"), "<h1>Preferences"),
        (s("/queues"), "<h1>Queues"),
        (s("/audit"), "<h1>Audit"),
        (s("/permissions"), "<h1>What you may do"),
        (s("/setup?link=good"), "<h1>Set up"),
        (s("/login"), "<h1>Sign in"),
    ];
    for (path, words) in paths {
        let html = desk.page(&path);
        assert!(
            html.starts_with("<!DOCTYPE html><html lang=\"en\" data-theme="),
            "{path}: {html}"
        );
        assert!(html.ends_with("</html>"), "{path}");
        assert!(html.contains(words), "{path}: {html}");
        let script = format!(
            "<script type=\"module\" src=\"{}\"></script>",
            crate::assets::SCRIPT.path
        );
        assert!(html.contains(&script), "{path}: {html}");
        assert_eq!(html.matches("<script").count(), 1, "{path}");
        assert!(html.contains("<main id=\"main\""), "{path}");
        assert_eq!(desk.log.status(), 200, "{path}");
    }
}

#[test]
fn what_is_not_there_is_said_with_its_status() {
    let wrong = [
        ("/operations/op_x", 404, "There is no operation"),
        ("/dead-letters/zz", 404, "There is no message"),
        ("/nowhere", 404, "There is nothing at this address"),
        ("/setup?link=bad", 404, "The link is worth nothing"),
        ("/dead-letters?label=nope", 400, "This address cannot be read"),
        ("/audit?from=2026-12-01&to=2026-01-01", 400, "reversed"),
    ];
    for (path, status, words) in wrong {
        let desk = FakeDesk::default();
        let html = desk.page(path);
        assert_eq!(desk.log.status(), status, "{path}");
        let text: String = scraper::Html::parse_document(&html)
            .root_element()
            .text()
            .collect();
        assert!(text.contains(words), "{path}: {text}");
        assert!(text.contains("Back to the dead letters"), "{path}");
    }
    let down = FakeDesk {
        down: true,
        ..FakeDesk::default()
    };
    assert!(
        down.page("/dead-letters")
            .contains("The dead letters cannot be read")
    );
    assert_eq!(down.log.status(), 503);
}

#[test]
fn an_id_cannot_leave_the_title() {
    let title = crate::pages::in_title("There is no operation </title><script>&\u{202e}");
    assert_eq!(
        title,
        "There is no operation &lt;/title&gt;&lt;script&gt;&amp;U+202E – Dead Letter Office"
    );
}

#[test]
fn the_root_goes_to_the_desk() {
    let desk = FakeDesk::default();
    desk.page("/");
    assert_eq!(desk.log.redirected(), "/dead-letters");
}

fn confirm(desk: &FakeDesk, reason: &str) {
    let form = ConfirmForm {
        operation: s("op_7f3a"),
        revision: s("7"),
        action: s("deliver"),
        reason: s(reason),
        key: s("key-1"),
        back: s("label=closed"),
        ..ConfirmForm::default()
    };
    desk.form(|| review_confirm::confirm_recovery(form));
}

#[test]
fn a_confirmed_plan_is_ordered_once_and_leads_to_its_recovery() {
    let desk = FakeDesk::default();
    confirm(&desk, " disk has room ");
    assert_eq!(
        desk.log.ordered(),
        ["confirm op_7f3a deliver r7 - disk has room key-1"]
    );
    assert_eq!(
        desk.log.redirected(),
        "/recoveries/00000000-0000-0000-0000-000000000000?done=requested"
    );
}

#[test]
fn a_refusal_leads_back_to_the_form_with_what_was_typed() {
    let desk = FakeDesk::refusing(Code::PlanStale);
    confirm(&desk, "disk has room");
    let back = desk.log.redirected();
    assert!(back.starts_with("/operations/op_7f3a/review?"), "{back}");
    assert!(
        back.contains("refused=plan_stale&form=confirm&typed.reason=disk%20has%20room"),
        "{back}"
    );
    assert!(back.ends_with("#refused"), "{back}");
    let html = desk.page(back.trim_end_matches("#refused"));
    assert!(
        html.contains("The plan changed while you were reading."),
        "{html}"
    );
    assert!(html.contains(">disk has room</textarea>"), "{html}");
}

#[test]
fn a_form_without_a_reason_never_reaches_the_port() {
    let desk = FakeDesk::default();
    confirm(&desk, "  ");
    assert!(desk.log.ordered().is_empty());
    assert!(desk.log.redirected().contains("refused=invalid_request"));
}

#[test]
fn a_decision_is_recorded_with_its_fields() {
    let desk = FakeDesk::default();
    let form = DecisionForm {
        operation: s("a/b c"),
        decision: s("choose_job"),
        revision: s("7"),
        reason: s("it is this one"),
        key: s("k"),
        page: s("review"),
        job_id: s("gj_1"),
        ..DecisionForm::default()
    };
    desk.form(|| decisions::record_decision(form.clone()));
    assert_eq!(
        desk.log.ordered(),
        ["decide a/b c choose_job r7 it is this one k"]
    );
    assert_eq!(desk.log.redirected(), "/operations/a%2Fb%20c?done=decided");
    let refusing = FakeDesk::refusing(Code::JobHeldElsewhere);
    refusing.form(|| decisions::record_decision(form));
    let back = refusing.log.redirected();
    assert!(
        back.starts_with("/operations/a%2Fb%20c/review?refused=job_held_elsewhere&form=choose_job"),
        "{back}"
    );
    assert!(back.contains("typed.job_id=gj_1"), "{back}");
}

#[test]
fn messages_are_acknowledged_linked_replayed_and_purged() {
    let desk = FakeDesk::default();
    desk.form(|| message_forms::acknowledge_message(s("m1"), s("old"), s("k1"), s("")));
    assert_eq!(desk.log.redirected(), "/dead-letters/m1?done=acknowledged");
    desk.form(|| message_forms::link_message(s("m1"), s("op_1"), s("same"), s("k2"), s("")));
    assert_eq!(desk.log.redirected(), "/dead-letters/m1?done=linked");
    desk.form(|| message_forms::replay_message(s("m1"), s("again"), s("k3"), s("")));
    assert_eq!(desk.log.redirected(), "/dead-letters/m1?done=replayed");
    desk.form(|| purge::purge_message(s("m1"), s("m1"), s("spam"), s("k4"), s("label=closed&evil=1")));
    assert_eq!(desk.log.redirected(), "/dead-letters?label=closed&done=purged");
    let orders = [
        "acknowledge m1 old k1",
        "link m1 op_1 same k2",
        "replay m1 again k3",
        "purge m1 spam m1 k4",
    ];
    assert_eq!(desk.log.ordered(), orders);
}

#[test]
fn a_recovery_is_cancelled() {
    let desk = FakeDesk::default();
    let id = "00000000-0000-0000-0000-000000000007";
    desk.form(|| recovery::cancel_recovery(s(id), s("wrong one"), s("k")));
    assert_eq!(desk.log.redirected(), format!("/recoveries/{id}?done=cancelled"));
    desk.form(|| recovery::cancel_recovery(s("zz"), s("wrong one"), s("k")));
    assert!(desk.log.redirected().contains("refused=bad_id"));
}

#[test]
fn a_recovery_is_approved() {
    let desk = FakeDesk::default();
    let id = "00000000-0000-0000-0000-000000000007";
    desk.form(|| approve::approve_recovery(s(id), s("I agree"), s("k")));
    assert_eq!(desk.log.redirected(), format!("/recoveries/{id}?done=approved"));
    assert_eq!(desk.log.ordered(), [format!("approve {id} I agree k")]);
    desk.form(|| approve::approve_recovery(s(id), s(" "), s("k")));
    assert!(
        desk.log
            .redirected()
            .contains("refused=invalid_request&form=approve")
    );
}

#[test]
fn signing_in_leads_back_but_never_away() {
    let desk = FakeDesk::default();
    desk.form(|| login::sign_in(s("ada"), s("pw"), s("/operations/op_1")));
    assert_eq!(desk.log.redirected(), "/operations/op_1");
    desk.form(|| login::sign_in(s("ada"), s("pw"), s("//evil.test")));
    assert_eq!(desk.log.redirected(), "/dead-letters");
    let refusing = FakeDesk::refusing(Code::Unauthenticated);
    refusing.form(|| login::sign_in(s("ada"), s("pw"), s("/audit")));
    let back = refusing.log.redirected();
    assert_eq!(
        back,
        "/login?next=%2Faudit&refused=unauthenticated&form=sign-in&typed.name=ada#refused"
    );
    assert!(!back.contains("pw"), "a password is never kept");
}
