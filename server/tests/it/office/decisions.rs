//! Each decision, where it is allowed and where it is not.

use crate::support::backend::Backend;
use crate::support::desk::Desk;
use app::desk::Code;
use app::domain::attempt::ReceiptKind;
use app::domain::decision::{Decision, DecisionKind};
use app::domain::ids::{AttemptId, DeadLetterId, JobId, OperationId, RecoveryId};
use app::domain::label::Label;
use app::domain::operation::{Dispatch, Phase};
use app::domain::plan::Action;
use app::domain::remote::Execution;
use chrono::{Duration, Utc};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use server::database::Database;
use server::storage::attempts;
use server::storage::audit::{Verified, verify};
use server::values;
use uuid::Uuid;

crate::on_every_backend!(
    attach_job,
    attach_needs_an_answer,
    choose_job,
    adopt_as_operation,
    confirm_not_sent,
    outside_send_excluded,
    close_and_reopen,
    outputs_lost,
    money,
    acknowledge_obsolete,
    prepare_new_operation,
    malformed_decisions,
);

fn accepted(job_id: &str) -> Value {
    json!({"phase": "accepted", "dispatch": "sent", "remote": {"job_id": job_id, "execution": "running"}})
}

fn failed_not_sent() -> Value {
    json!({"phase": "failed", "dispatch": "confirmed_not_sent"})
}

fn job(id: &str) -> JobId {
    JobId::from(id)
}

fn id(id: &str) -> OperationId {
    OperationId::from(id)
}

async fn attach_job(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({"phase": "submitting", "dispatch": "outcome_unknown"}))
        .await;
    let attach = || Decision::AttachJob { job_id: job("gj_1") };
    desk.script.says(Execution::Succeeded);
    let revision = desk.view("a").await.revision;
    let first = desk
        .decide_as(&desk.operator, "a", revision, attach(), "k")
        .await
        .expect("attached");
    let view = desk.view("a").await;
    assert_eq!(
        (view.remote.job_id.clone(), view.phase, view.dispatch),
        (Some(job("gj_1")), Phase::Succeeded, Dispatch::Sent)
    );
    assert_eq!(first.0, view.revision);
    let again = desk
        .decide_as(&desk.operator, "a", revision, attach(), "k")
        .await
        .expect("the first answer");
    assert_eq!(
        (again, desk.script.reads()),
        (first, 1),
        "the provider is not asked again"
    );
    assert_eq!(desk.refused("a", attach()).await, Code::NotAllowedHere);
    desk.made("b", json!({"phase": "submitting"})).await;
    assert_eq!(desk.refused("b", attach()).await, Code::JobHeldElsewhere);
    assert_eq!(desk.script.reads(), 1, "what is refused anyway is not asked");
}

async fn attach_needs_an_answer(_backend: Backend, database: Database) {
    let desk = Desk::new(database.clone());
    desk.made("a", json!({"phase": "submitting"})).await;
    let attach = || Decision::AttachJob { job_id: job("gj_1") };
    assert_eq!(
        desk.refused("a", attach()).await,
        Code::JobNotConfirmed,
        "not found"
    );
    assert_eq!(desk.script.reads(), 1);
    let moved = "[providers.genace]\nprofile = \"genace\"\nbase_url = \"https://other.example.test\"\n";
    let elsewhere = Desk::configured(database, moved);
    elsewhere.script.says(Execution::Running);
    assert_eq!(elsewhere.refused("a", attach()).await, Code::JobNotConfirmed);
    assert_eq!(
        elsewhere.script.reads(),
        0,
        "an old record is never asked for elsewhere"
    );
}

async fn choose_job(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", accepted("gj_1")).await;
    assert_eq!(
        desk.refused("a", Decision::ChooseJob { job_id: job("gj_1") })
            .await,
        Code::NotAllowedHere
    );
    desk.patch("a", 1, json!({"remote": {"job_id": "gj_2"}}))
        .await
        .expect("contested");
    assert_eq!(
        desk.refused("a", Decision::ChooseJob { job_id: job("gj_9") })
            .await,
        Code::NotAllowedHere
    );
    let (_, plan) = desk
        .decide("a", Decision::ChooseJob { job_id: job("gj_2") })
        .await
        .expect("chosen");
    assert_eq!((plan.action, plan.job_id), (Action::Observe, Some(job("gj_2"))));
    let view = desk.view("a").await;
    assert_eq!(
        (view.remote.job_id, view.label),
        (Some(job("gj_2")), Label::RenderInProgress)
    );
    assert_eq!(view.decisions[0].detail, json!({"job_id": "gj_2"}));
    desk.made("b", accepted("gj_3")).await;
    desk.patch("b", 1, json!({"remote": {"job_id": "gj_2"}}))
        .await
        .expect("contested");
    assert_eq!(
        desk.refused("b", Decision::ChooseJob { job_id: job("gj_2") })
            .await,
        Code::JobHeldElsewhere
    );
    // Also where no other id is left to choose, though then nothing offers the choice.
    desk.made("c", accepted("gj_3")).await;
    let refused = desk.refused("c", Decision::ChooseJob { job_id: job("gj_3") });
    assert_eq!(refused.await, Code::JobHeldElsewhere);
    let offered = desk.view("c").await.plan.decisions;
    assert!(!offered.contains(&DecisionKind::ChooseJob), "{offered:?}");
}

async fn adopt_as_operation(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", accepted("gj_1")).await;
    let adopt = |new: &str| Decision::AdoptAsOperation {
        job_id: job("gj_2"),
        id: id(new),
    };
    assert_eq!(desk.refused("a", adopt("b")).await, Code::NotAllowedHere);
    let more = json!({"remote": {"job_id": "gj_2", "execution": "succeeded", "outputs": [{"index": 0}]}});
    desk.patch("a", 1, more).await.expect("contested");
    assert_eq!(
        desk.refused("a", adopt("a")).await,
        Code::NotAllowedHere,
        "the id is taken"
    );
    desk.decide("a", adopt("b")).await.expect("adopted");
    let (parent, child) = (desk.view("a").await, desk.view("b").await);
    assert_eq!(
        (parent.label, parent.children),
        (Label::RenderInProgress, vec![id("b")])
    );
    assert_eq!(
        (child.remote.job_id, child.parent),
        (Some(job("gj_2")), Some(id("a")))
    );
    assert_eq!(
        (child.phase, child.plan.action),
        (Phase::Succeeded, Action::Deliver)
    );
}

async fn confirm_not_sent(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let confirm = || Decision::ConfirmNotSent {
        evidence: "their log has no such request".to_owned(),
    };
    desk.made("a", json!({"phase": "submitting", "dispatch": "outcome_unknown"}))
        .await;
    let by_operator = desk
        .decide_as(&desk.operator, "a", 1, confirm(), "k")
        .await
        .expect_err("role");
    assert_eq!(by_operator.code, Code::RoleRequired);
    let mut tx = desk.database().write().await.expect("begin");
    let (attempt, recovery) = (AttemptId(Uuid::from_u128(1)), RecoveryId(Uuid::from_u128(2)));
    attempts::insert(&mut tx, &id("a"), recovery, attempt)
        .await
        .expect("attempt");
    tx.commit().await.expect("commit");
    assert_eq!(
        desk.refused("a", confirm()).await,
        Code::NotAllowedHere,
        "it may still be under way"
    );
    let mut tx = desk.database().write().await.expect("begin");
    let long_ago = tx.now() - Duration::hours(1);
    tx.execute("UPDATE dlo_attempts SET started_at = $1", values![long_ago])
        .await
        .expect("age");
    tx.commit().await.expect("commit");
    desk.script.finds("gj_7");
    desk.decide("a", confirm()).await.expect("confirmed");
    let view = desk.view("a").await;
    assert_eq!(
        (view.phase, view.dispatch),
        (Phase::Prepared, Dispatch::ConfirmedNotSent)
    );
    let kinds: Vec<_> = view
        .attempts
        .iter()
        .map(|attempt| attempt.receipt.as_ref().map(|receipt| receipt.kind))
        .collect();
    assert_eq!(kinds, [Some(ReceiptKind::ConfirmedByPerson)]);
    assert_eq!(view.plan.action, Action::Dispatch);
    assert_eq!(view.decisions[0].detail["candidates"]["job_ids"], json!(["gj_7"]));
    desk.made("b", accepted("gj_1")).await;
    assert_eq!(desk.refused("b", confirm()).await, Code::NotAllowedHere);
}

async fn outside_send_excluded(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({"dispatch": "confirmed_not_sent"})).await;
    let exclude = || Decision::OutsideSendExcluded {
        evidence: "asked them".to_owned(),
        through: Utc::now(),
    };
    assert_eq!(desk.refused("a", exclude()).await, Code::NotAllowedHere);
    desk.dies("render.submit", json!({"operation_id": "a"}), Utc::now())
        .await;
    desk.project().await;
    assert!(
        desk.view("a")
            .await
            .plan
            .decisions
            .contains(&DecisionKind::OutsideSendExcluded)
    );
    let (_, plan) = desk.decide("a", exclude()).await.expect("excluded");
    assert!(
        !plan.decisions.contains(&DecisionKind::OutsideSendExcluded),
        "nothing competes any more"
    );
}

async fn close_and_reopen(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", accepted("gj_1")).await;
    assert_eq!(desk.refused("a", Decision::Reopen).await, Code::NotAllowedHere);
    let (_, plan) = desk.decide("a", Decision::CloseUnresolved).await.expect("closed");
    assert_eq!(
        (plan.action, plan.label, plan.refund_unresolved),
        (Action::Acknowledge, Label::Closed, true)
    );
    assert_eq!(
        desk.refused("a", Decision::CloseUnresolved).await,
        Code::NotAllowedHere
    );
    let (_, plan) = desk.decide("a", Decision::Reopen).await.expect("reopened");
    assert_eq!(plan.label, Label::RenderInProgress);
    let entries = verify(desk.database()).await.expect("verify");
    assert_eq!(
        entries,
        Verified::Whole { entries: 4 },
        "two decisions, two refusals"
    );
}

async fn outputs_lost(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let failed = json!({"index": 0, "state": "failed", "category": "output_expired"});
    let remote = json!({"job_id": "gj_1", "execution": "succeeded", "outputs": [{"index": 0}]});
    desk.made(
        "a",
        json!({"phase": "succeeded", "dispatch": "sent", "remote": remote, "outputs": [failed.clone()]}),
    )
    .await;
    let lose = |index: u32| Decision::OutputsLost { indexes: vec![index] };
    assert_eq!(
        desk.refused("a", lose(0)).await,
        Code::NotAllowedHere,
        "one failure is no loss"
    );
    for revision in 1..3 {
        desk.patch("a", revision, json!({"outputs": [failed.clone()]}))
            .await
            .expect("failed again");
    }
    assert_eq!(desk.view("a").await.plan.row, 7);
    assert_eq!(desk.refused("a", lose(5)).await, Code::NotAllowedHere);
    let (_, plan) = desk.decide("a", lose(0)).await.expect("lost");
    assert_eq!(plan.label, Label::Closed);
    assert_eq!(desk.view("a").await.lost_outputs, [0]);
}

async fn money(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let charge = json!({"state": "charged", "charged": "12"});
    let remote = json!({"job_id": "gj_1", "execution": "failed"});
    desk.made(
        "a",
        json!({"phase": "failed", "dispatch": "sent", "remote": remote, "charge": charge}),
    )
    .await;
    let confirm = |amount: i64| Decision::RefundConfirmed {
        reference: "r-1".to_owned(),
        amount: Decimal::from(amount),
    };
    let (_, plan) = desk
        .decide("a", Decision::RefundRequested)
        .await
        .expect("requested");
    assert!(plan.refund_unresolved, "asking settles nothing");
    let (_, plan) = desk.decide("a", confirm(5)).await.expect("a part");
    assert!(plan.refund_unresolved);
    let (_, plan) = desk.decide("a", confirm(7)).await.expect("the rest");
    assert_eq!(
        (plan.refund_unresolved, plan.action),
        (false, Action::Acknowledge)
    );
    assert_eq!(
        desk.refused("a", Decision::ChargeAccepted).await,
        Code::NotAllowedHere
    );
    let remote = json!({"job_id": "gj_2", "execution": "failed"});
    desk.made(
        "b",
        json!({"phase": "failed", "dispatch": "sent", "remote": remote}),
    )
    .await;
    let (_, plan) = desk
        .decide("b", Decision::ChargeAccepted)
        .await
        .expect("accepted");
    assert!(!plan.refund_unresolved);
}

async fn acknowledge_obsolete(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({"phase": "submitting"})).await;
    let all = || Decision::AcknowledgeObsolete { dead_letter_id: None };
    assert_eq!(desk.refused("a", all()).await, Code::NotAllowedHere);
    desk.made(
        "done",
        json!({"phase": "delivered", "remote": {"job_id": "gj_1"}}),
    )
    .await;
    let args = json!({"operation_id": "done"});
    let first = desk.dies("render.deliver", args.clone(), Utc::now()).await;
    desk.dies("render.deliver", args.clone(), Utc::now()).await;
    let foreign = desk
        .dies("render.deliver", json!({"operation_id": "a"}), Utc::now())
        .await;
    desk.project().await;
    let one = |id: Uuid| Decision::AcknowledgeObsolete {
        dead_letter_id: Some(DeadLetterId(id)),
    };
    assert_eq!(desk.refused("done", one(foreign)).await, Code::NotAllowedHere);
    let open = async || {
        let letters = desk.view("done").await.dead_letters;
        letters
            .iter()
            .filter(|letter| letter.disposition == app::domain::dead_letter::Disposition::Open)
            .count()
    };
    assert_eq!(open().await, 2);
    desk.decide("done", one(first)).await.expect("one");
    assert_eq!(open().await, 1);
    desk.decide("done", all()).await.expect("all");
    assert_eq!(open().await, 0);
}

async fn prepare_new_operation(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let specification = json!({"current_revision": 7, "model": "newer", "model_available": true, "active": true,
        "estimated_credits": "1", "body": {}});
    desk.office
        .put_specification(&desk.reporter, "spec-1", &specification)
        .await
        .expect("facts");
    let prepare = |new: &str| Decision::PrepareNewOperation { id: id(new) };
    desk.made("a", json!({"phase": "submitting"})).await;
    assert_eq!(desk.refused("a", prepare("b")).await, Code::NotAllowedHere);
    desk.made("failed", failed_not_sent()).await;
    assert_eq!(
        desk.refused("failed", prepare("a")).await,
        Code::NotAllowedHere,
        "the id is taken"
    );
    desk.decide("failed", prepare("child")).await.expect("prepared");
    let child = desk.view("child").await;
    assert_eq!(
        (child.phase, child.dispatch),
        (Phase::Prepared, Dispatch::ConfirmedNotSent)
    );
    assert_eq!(
        (child.specification.revision, child.model.as_deref()),
        (7, Some("newer"))
    );
    assert_eq!(
        (child.parent.clone(), child.plan.action),
        (Some(id("failed")), Action::Dispatch)
    );
    assert_eq!(
        desk.refused("failed", prepare("twin")).await,
        Code::NotAllowedHere,
        "one open child per parent"
    );
    desk.decide("child", Decision::CloseUnresolved)
        .await
        .expect("closed");
    desk.decide("failed", prepare("twin"))
        .await
        .expect("the first one is not open any more");
}

async fn malformed_decisions(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", accepted("gj_1")).await;
    for decision in [
        Decision::AttachJob { job_id: job("") },
        Decision::ChooseJob { job_id: job("a\nb") },
        Decision::AdoptAsOperation {
            job_id: job("gj_1"),
            id: id(&"x".repeat(201)),
        },
        Decision::ConfirmNotSent {
            evidence: " ".to_owned(),
        },
        Decision::OutputsLost { indexes: vec![] },
        Decision::OutputsLost { indexes: vec![1, 1] },
        Decision::RefundConfirmed {
            reference: "r".to_owned(),
            amount: Decimal::ZERO,
        },
        Decision::RefundConfirmed {
            reference: String::new(),
            amount: Decimal::ONE,
        },
    ] {
        assert_eq!(
            desk.refused("a", decision.clone()).await,
            Code::InvalidRequest,
            "{decision:?}"
        );
    }
}
