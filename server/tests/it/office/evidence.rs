//! Dead letters and later reports as evidence about a record.

use crate::support::backend::Backend;
use crate::support::desk::Desk;
use crate::support::raw;
use app::desk::{Code, RecoveryOrder};
use app::domain::decision::Decision;
use app::domain::ids::{JobId, OperationId};
use app::domain::label::Label;
use app::domain::plan::Action;
use chrono::{TimeDelta, Utc};
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(
    a_message_knows_an_id_that_the_record_lacks,
    a_message_that_waited_is_evidence_at_once,
    a_closure_is_voided_by_new_evidence,
    a_decision_sees_letters_that_nobody_has_read,
    no_creation_is_confirmed_over_a_letter_that_counts_do_not_show,
);

async fn a_message_knows_an_id_that_the_record_lacks(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({"dispatch": "confirmed_not_sent"})).await;
    assert_eq!(desk.view("a").await.plan.action, Action::Dispatch);
    desk.dies(
        "render.poll",
        json!({"operation_id": "a", "job_id": "gj_1"}),
        Utc::now(),
    )
    .await;
    desk.project().await;
    let view = desk.view("a").await;
    assert_eq!(
        (view.plan.action, view.plan.job_id, view.plan.row),
        (Action::Observe, Some(JobId::from("gj_1")), 4)
    );
    assert_eq!((view.revision, view.label), (2, Label::RenderInProgress));
}

async fn a_message_that_waited_is_evidence_at_once(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.dies(
        "render.poll",
        json!({"operation_id": "a", "job_id": "gj_1"}),
        Utc::now(),
    )
    .await;
    desk.project().await;
    let made = desk.made("a", json!({"dispatch": "confirmed_not_sent"})).await;
    assert_eq!((made.revision, made.plan.row), (1, 4));
    assert_eq!(made.dead_letters.len(), 1);
    assert_eq!(made.dead_letters[0].label, Label::RenderInProgress);
}

async fn a_closure_is_voided_by_new_evidence(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({"phase": "submitting", "dispatch": "outcome_unknown"}))
        .await;
    desk.decide("a", Decision::CloseUnresolved).await.expect("closed");
    desk.dies(
        "render.poll",
        json!({"operation_id": "a", "job_id": "gj_1"}),
        Utc::now(),
    )
    .await;
    desk.project().await;
    let view = desk.view("a").await;
    assert_eq!((view.closure, view.label), (None, Label::RenderInProgress));
    desk.decide("a", Decision::CloseUnresolved)
        .await
        .expect("closed again");
    let revision = desk.view("a").await.revision;
    let view = desk
        .patch("a", revision, json!({"phase": "accepted"}))
        .await
        .expect("a report");
    assert_eq!(view.closure, None, "a report that contradicts it voids it too");
}

/// A letter that names a job came with an old date while somebody else purged another: the counts agree, and the newest
/// are all known. What would create reads it all the same.
async fn no_creation_is_confirmed_over_a_letter_that_counts_do_not_show(
    _backend: Backend,
    database: Database,
) {
    let desk = Desk::new(database);
    desk.made("a", json!({"dispatch": "confirmed_not_sent"})).await;
    let mut last = None;
    for n in 0..20 {
        let args = json!({ "operation_id": format!("other_{n}") });
        last = Some(desk.dies("render.poll", args, Utc::now()).await);
    }
    desk.project().await;
    let gone = format!(
        "DELETE FROM soniq_dead_letter_jobs WHERE id = '{}'",
        last.expect("letters")
    );
    raw::script(&desk.office.database, &gone)
        .await
        .expect("a purge by somebody else");
    let args = json!({"operation_id": "a", "job_id": "gj_1"});
    desk.dies("render.submit", args, Utc::now() - TimeDelta::days(1))
        .await;
    let order = RecoveryOrder {
        revision: 1,
        action: Action::Dispatch,
        reason: "it is due".to_owned(),
        job_id: None,
        dead_letter_id: None,
        confirm: Some("a".to_owned()),
        follow: false,
    };
    let id = OperationId::from("a");
    let refused = desk
        .office
        .confirm(&desk.approver, &id, order, "k")
        .await
        .expect_err("new evidence");
    assert_eq!(refused.code, Code::PlanStale);
    assert_eq!(
        refused.plan.map(|plan| (plan.action, plan.job_id)),
        Some((Action::Observe, Some(JobId::from("gj_1"))))
    );
}

async fn a_decision_sees_letters_that_nobody_has_read(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({"phase": "submitting", "dispatch": "outcome_unknown"}))
        .await;
    desk.dies(
        "render.poll",
        json!({"operation_id": "a", "job_id": "gj_1"}),
        Utc::now(),
    )
    .await;
    let confirm = Decision::ConfirmNotSent {
        evidence: "e".to_owned(),
    };
    let refused = desk
        .decide_as(&desk.approver, "a", 1, confirm, "k")
        .await
        .expect_err("new evidence");
    assert_eq!(refused.code, Code::PlanStale);
    assert_eq!(
        refused.plan.map(|plan| (plan.revision, plan.action)),
        Some((2, Action::Observe))
    );
}
