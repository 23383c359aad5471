//! The index over derived values always equals what is derived, after any sequence of reports, letters and decisions.

use crate::support::backend::{Backend, Kind};
use crate::support::desk::Desk;
use app::domain::decision::Decision;
use app::domain::ids::{JobId, OperationId};
use app::domain::label::label;
use app::domain::plan::decide;
use chrono::Utc;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use server::database::Database;
use server::storage::{evidence, operations};

crate::on_every_backend!(the_index_follows_the_facts);

const IDS: [&str; 4] = ["a", "b", "c", "d"];

#[derive(Debug, Clone)]
enum Step {
    Report(usize, Value),
    Dies(usize, Option<usize>),
    Decide(usize, Decision),
}

fn report() -> impl Strategy<Value = Value> {
    let phase = prop::sample::select(vec![
        "prepared",
        "submitting",
        "accepted",
        "succeeded",
        "failed",
        "delivered",
    ]);
    let dispatch = prop::sample::select(vec![
        "confirmed_not_sent",
        "not_recorded",
        "outcome_unknown",
        "sent",
    ]);
    let execution = prop::sample::select(vec!["queued", "running", "succeeded", "failed", "unknown"]);
    let charge = prop::sample::select(vec!["unknown", "none", "charged", "refunded", "refund_pending"]);
    let job = 0..4usize;
    (
        prop::option::of(phase),
        prop::option::of(dispatch),
        prop::option::of(execution),
        prop::option::of(charge),
        prop::option::of(job),
        prop::option::of(0..3usize),
    )
        .prop_map(|(phase, dispatch, execution, charge, job, outputs)| {
            let listed = outputs.map(|count| (0..count).map(|index| json!({"index": index})).collect::<Vec<_>>());
            json!({
                "phase": phase,
                "dispatch": dispatch,
                "remote": {"execution": execution, "job_id": job.map(|job| format!("gj_{job}")), "outputs": listed},
                "charge": charge.map(|state| json!({"state": state, "charged": "3"})),
            })
        })
}

fn decision() -> impl Strategy<Value = Decision> {
    let job_id = (0..4usize).prop_map(|job| JobId(format!("gj_{job}")));
    let fresh = "[e-z]{6}".prop_map(OperationId);
    prop_oneof![
        job_id.clone().prop_map(|job_id| Decision::ChooseJob { job_id }),
        (job_id, fresh.clone()).prop_map(|(job_id, id)| Decision::AdoptAsOperation { job_id, id }),
        fresh.prop_map(|id| Decision::PrepareNewOperation { id }),
        Just(Decision::CloseUnresolved),
        Just(Decision::Reopen),
        Just(Decision::ChargeAccepted),
        Just(Decision::ConfirmNotSent {
            evidence: "e".to_owned()
        }),
        Just(Decision::AcknowledgeObsolete { dead_letter_id: None }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..IDS.len(), report()).prop_map(|(id, body)| Step::Report(id, body)),
        1 => (0..IDS.len(), prop::option::of(0..4usize)).prop_map(|(id, job)| Step::Dies(id, job)),
        2 => (0..IDS.len(), decision()).prop_map(|(id, decision)| Step::Decide(id, decision)),
    ]
}

/// Reports and decisions may be refused; then nothing has changed.
async fn take(desk: &Desk, step: Step) {
    match step {
        Step::Report(id, body) => {
            let mut first = body.clone();
            if first["phase"].is_null() {
                first["phase"] = json!("prepared");
            }
            if desk.put(IDS[id], first).await.is_err()
                && let Ok(view) = desk
                    .office
                    .operation(&desk.operator, &OperationId::from(IDS[id]))
                    .await
            {
                let _refused = desk.patch(IDS[id], view.revision, body).await;
            }
        }
        Step::Dies(id, job) => {
            let job = job.map(|job| format!("gj_{job}"));
            desk.dies(
                "render.poll",
                json!({"operation_id": IDS[id], "job_id": job}),
                Utc::now(),
            )
            .await;
            desk.project().await;
        }
        Step::Decide(id, decision) => {
            if desk
                .office
                .operation(&desk.operator, &OperationId::from(IDS[id]))
                .await
                .is_ok()
            {
                let _refused = desk.decide(IDS[id], decision).await;
            }
        }
    }
}

async fn check(desk: &Desk, after: &str) {
    let mut tx = desk.database().read().await.expect("begin");
    let rows = tx
        .fetch_all("SELECT * FROM dlo_operations", vec![])
        .await
        .expect("rows");
    for row in &rows {
        let record = operations::from_row(row).expect("readable");
        let gathered = evidence::gather(&mut tx, &record).await.expect("evidence");
        let plan = decide(&record, &gathered, tx.now());
        assert_eq!(
            row.text("label").expect("label"),
            label(&record, &gathered).as_str(),
            "{} {after}",
            record.id
        );
        assert_eq!(
            row.text("next_action").expect("action"),
            plan.action.as_str(),
            "{} {after}",
            record.id
        );
        assert_eq!(
            row.flag("refund_unresolved").expect("flag"),
            plan.refund_unresolved,
            "{} {after}",
            record.id
        );
        let messages = tx
            .fetch_all(
                "SELECT * FROM dlo_messages WHERE operation_id = $1",
                server::values![&record.id],
            )
            .await
            .expect("messages");
        for message in &messages {
            assert_eq!(
                message.text("label").expect("label"),
                plan.label.as_str(),
                "{} {after}",
                record.id
            );
            assert_eq!(
                message.opt_text("phase").expect("phase").as_deref(),
                Some(record.phase.as_str())
            );
        }
    }
}

async fn the_index_follows_the_facts(backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let rounds = match backend.kind {
        Kind::Memory => 12,
        Kind::Sqlite | Kind::Postgres => 4,
    };
    let mut runner = TestRunner::deterministic();
    for _ in 0..rounds {
        let steps = prop::collection::vec(step(), 12)
            .new_tree(&mut runner)
            .expect("steps")
            .current();
        for step in steps {
            let after = format!("{step:?}");
            take(&desk, step).await;
            check(&desk, &after).await;
        }
    }
}
