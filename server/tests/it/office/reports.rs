//! `PUT` and `PATCH`.

use crate::support::backend::Backend;
use crate::support::desk::Desk;
use app::desk::Code;
use app::domain::ids::{JobId, OperationId};
use app::domain::label::Label;
use app::domain::operation::Phase;
use app::domain::plan::Action;
use serde_json::json;
use server::database::Database;
use std::sync::Arc;

crate::on_every_backend!(
    a_record_is_made_once,
    bad_records_are_refused,
    reports_move_forward_only,
    a_second_holder_is_contested,
    another_id_contests,
    a_missing_pin_is_set_by_the_next_report,
    two_who_report_one_id_at_once,
    one_patch_wins,
);

async fn a_record_is_made_once(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let made = desk
        .made(
            "a/b c",
            json!({"dispatch": "confirmed_not_sent", "account": null}),
        )
        .await;
    assert_eq!(
        (made.revision, made.phase, made.label),
        (1, Phase::Prepared, Label::NotSubmitted)
    );
    assert_eq!(made.plan.action, Action::Dispatch);
    assert!(!made.plan.allowed, "nothing is known of the owner");
    assert_eq!(made.timeline.len(), 1);
    let read = desk.view("a/b c").await;
    assert_eq!(
        (read.id, read.timeline, read.created_at),
        (made.id.clone(), made.timeline, made.created_at)
    );
    let again = desk.put("a/b c", json!({})).await.expect_err("exists");
    assert_eq!(again.code, Code::AlreadyExists);
    let refused = desk
        .office
        .put_operation(&desk.operator, &made.id, &json!({}))
        .await
        .expect_err("role");
    assert_eq!(refused.code, Code::RoleRequired);
    let bad = desk.put("a\nb", json!({})).await.expect_err("id");
    assert_eq!(bad.code, Code::BadId);
}

async fn bad_records_are_refused(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    for more in [
        json!({"phase": "perhaps"}),
        json!({"phase": null}),
        json!({"owner": 7}),
        json!({"colour": "blue"}),
        json!({"charge": {"charged": "1e400"}}),
        json!({"outputs": [{"index": 0, "state": "pending"}, {"index": 0, "state": "pending"}]}),
    ] {
        assert_eq!(
            desk.put("a", more.clone()).await.expect_err("refused").code,
            Code::InvalidRecord,
            "{more}"
        );
    }
    let absent = desk
        .office
        .operation(&desk.operator, &OperationId::from("a"))
        .await
        .expect_err("absent");
    assert_eq!(absent.code, Code::NotFound);
}

async fn reports_move_forward_only(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({})).await;
    assert_eq!(
        desk.patch("b", 1, json!({})).await.expect_err("absent").code,
        Code::NotFound
    );
    assert_eq!(
        desk.patch("a", 2, json!({"phase": "accepted"}))
            .await
            .expect_err("stale")
            .code,
        Code::RevisionMismatch
    );
    let after = desk
        .patch("a", 1, json!({"phase": "submitting"}))
        .await
        .expect("forward");
    assert_eq!((after.revision, after.dispatch.as_str()), (2, "outcome_unknown"));
    for (body, code) in [
        (json!({"phase": "prepared"}), Code::PhaseRegression),
        (
            json!({"dispatch": "confirmed_not_sent"}),
            Code::EvidenceRegression,
        ),
        (json!({"phase": 1}), Code::InvalidRecord),
    ] {
        assert_eq!(
            desk.patch("a", 2, body.clone()).await.expect_err("refused").code,
            code,
            "{body}"
        );
    }
    assert_eq!(desk.view("a").await.revision, 2, "a refusal changes nothing");
    let after = desk
        .patch(
            "a",
            2,
            json!({"phase": "delivered", "remote": {"job_id": "gj_1"}}),
        )
        .await
        .expect("forward");
    assert_eq!(after.label, Label::AlreadyDelivered);
    assert_eq!(
        desk.patch("a", 3, json!({"phase": "failed"}))
            .await
            .expect_err("final")
            .code,
        Code::TerminalPhase
    );
}

async fn a_second_holder_is_contested(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let accepted = json!({"phase": "accepted", "dispatch": "sent", "remote": {"job_id": "gj_1", "execution": "running"}});
    let first = desk.made("first", accepted.clone()).await;
    assert_eq!(first.plan.action, Action::Observe);
    let second = desk.made("second", accepted).await;
    assert_eq!(second.remote.job_id, None);
    assert_eq!(second.remote.other_jobs[0].job_id, JobId::from("gj_1"));
    assert_eq!(
        (second.label, second.plan.action),
        (Label::RemoteStateUnclear, Action::Reconcile)
    );
    desk.made("third", json!({})).await;
    let third = desk
        .patch("third", 1, json!({"remote": {"job_id": "gj_1"}}))
        .await
        .expect("a report");
    assert_eq!(
        (third.label, third.plan.action),
        (Label::RemoteStateUnclear, Action::Reconcile)
    );
    assert_eq!(
        desk.view("first").await.label,
        Label::RenderInProgress,
        "the holder is not contested"
    );
}

async fn another_id_contests(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({"phase": "accepted", "remote": {"job_id": "gj_1"}}))
        .await;
    let after = desk
        .patch("a", 1, json!({"remote": {"job_id": "gj_2"}}))
        .await
        .expect("a report");
    assert_eq!(after.remote.job_id, Some(JobId::from("gj_1")));
    assert_eq!((after.label, after.plan.row), (Label::RemoteStateUnclear, 3));
    assert_eq!(after.plan.alternatives.len(), 2, "each known id may be read");
}

async fn a_missing_pin_is_set_by_the_next_report(_backend: Backend, database: Database) {
    let nowhere = Desk::configured(database.clone(), "");
    nowhere
        .made("a", json!({"phase": "accepted", "remote": {"job_id": "gj_1"}}))
        .await;
    let blocked = nowhere.view("a").await;
    assert!(!blocked.plan.allowed);
    let desk = Desk::new(database);
    assert!(!desk.view("a").await.plan.allowed, "not pinned yet");
    desk.patch("a", 1, json!({})).await.expect("a report");
    assert!(
        desk.office
            .plan(&desk.operator, &OperationId::from("a"), None, None)
            .await
            .expect("plan")
            .allowed
    );
}

async fn two_who_report_one_id_at_once(_backend: Backend, database: Database) {
    let desk = Arc::new(Desk::new(database));
    let makers: Vec<_> = (0..6)
        .map(|number| {
            let desk = Arc::clone(&desk);
            tokio::spawn(async move {
                let id = format!("op-{number}");
                desk.made(&id, json!({"phase": "accepted", "remote": {"job_id": "gj_1"}}))
                    .await;
            })
        })
        .collect();
    for maker in makers {
        maker.await.expect("made");
    }
    let mut holders = 0;
    for number in 0..6 {
        let view = desk.view(&format!("op-{number}")).await;
        match view.remote.job_id {
            Some(_) => holders += 1,
            None => assert_eq!(view.label, Label::RemoteStateUnclear),
        }
    }
    assert_eq!(holders, 1);
}

async fn one_patch_wins(_backend: Backend, database: Database) {
    let desk = Arc::new(Desk::new(database));
    desk.made("a", json!({})).await;
    let patches: Vec<_> = (0..6)
        .map(|_| {
            let desk = Arc::clone(&desk);
            tokio::spawn(async move { desk.patch("a", 1, json!({"phase": "submitting"})).await })
        })
        .collect();
    let mut won = 0;
    for patch in patches {
        match patch.await.expect("answered") {
            Ok(view) => {
                assert_eq!(view.revision, 2);
                won += 1;
            }
            Err(refused) => assert_eq!(refused.code, Code::RevisionMismatch),
        }
    }
    assert_eq!(won, 1);
}
