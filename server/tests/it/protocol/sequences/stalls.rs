//! A worker that stalls between its permit and its first byte, played by hand.

use crate::protocol::play::{NO_WORKER, Play};
use crate::support::backend::Backend;
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::ids::{AttemptId, JobId, RecoveryId};
use serde_json::json;
use server::background::Duties;
use server::database::Database;
use server::provider::Creators;
use server::storage::attempts;
use server::storage::jobs;
use server::storage::recoveries::{self, Permission, Permit, Recorded};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

crate::on_every_backend!(
    a_worker_that_wakes_too_late_sends_nothing,
    a_stored_receipt_decides_a_second_claim,
    late_receipts_move_nothing_and_lose_nothing,
    a_database_clock_that_leapt_stops_the_first_byte,
    another_job_attached_in_mid_delivery_is_said,
);

const LEASE: Duration = Duration::from_secs(1);

/// Claims the recovery's queue job and takes the permit, as a worker does; then it stalls.
async fn stalled(play: &Play, recovery: &str) -> Permit {
    let database = &play.app.office.database;
    let mut tx = database.write().await.expect("begin");
    let lease = chrono::Duration::from_std(LEASE).expect("a lease");
    jobs::claim(&mut tx, None, lease)
        .await
        .expect("claim")
        .expect("a job");
    tx.commit().await.expect("commit");
    let id = RecoveryId::parse(recovery).expect("an id");
    let attempt = AttemptId(Uuid::now_v7());
    match recoveries::permit(database, &play.app.office.config, id, attempt, LEASE)
        .await
        .expect("permit")
    {
        Permission::Granted(permit) => *permit,
        other => panic!("{other:?}"),
    }
}

/// A second worker, which works until the guard is dropped.
fn second_worker(play: &Play) -> (tokio_util::sync::DropGuard, tokio::task::JoinSet<()>) {
    let stop = CancellationToken::new();
    let duties = Duties {
        worker: true,
        housekeeping: false,
    };
    let working = server::background::start(&play.app.office, duties, &stop).expect("the worker starts");
    (stop.drop_guard(), working)
}

async fn a_worker_that_wakes_too_late_sends_nothing(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.ready("op_1").await;
    let recovery = play.confirm("op_1", "dispatch").await;
    let permit = stalled(&play, &recovery).await;
    let _second = second_worker(&play);
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "outcome_unknown", "{ended:#}");
    // A person truthfully says that nothing was sent, once timeout and lease are over.
    tokio::time::sleep(Duration::from_millis(6_100)).await;
    play.decide(
        "op_1",
        json!({ "decision": "confirm_not_sent", "evidence": "the provider was asked" }),
    )
    .await
    .expect(200);
    assert_eq!(play.recover("op_1", "dispatch").await["state"], "succeeded");
    assert_eq!(play.posts(), 1);
    let before = play.record("op_1").await;
    // The first worker wakes. Even if its own clock were wrong, the permit is looked at once more.
    let office = &play.app.office;
    let creators = Creators::from_config(&office.config).expect("creators");
    let still = async {
        recoveries::may_send(&office.database, &permit)
            .await
            .expect("asked")
    };
    let receipt = creators
        .get("genace")
        .expect("configured")
        .create_while(
            &permit.record.id,
            &json!({}),
            still,
            || true,
            &CancellationToken::new(),
        )
        .await;
    assert_eq!(receipt.kind, ReceiptKind::NotSent, "{receipt:?}");
    assert_eq!(play.posts(), 1, "it sends nothing");
    recoveries::store_receipt(&office.database, &permit, &receipt)
        .await
        .expect("kept");
    let after = play.record("op_1").await;
    assert_eq!(
        (&after["phase"], &after["revision"], &after["remote"]["job_id"]),
        (&before["phase"], &before["revision"], &before["remote"]["job_id"]),
        "its late receipt moves nothing"
    );
}

async fn a_stored_receipt_decides_a_second_claim(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.ready("op_1").await;
    let recovery = play.confirm("op_1", "dispatch").await;
    let permit = stalled(&play, &recovery).await;
    let attempt = permit.attempt.as_ref().expect("an attempt");
    let mut tx = play.app.office.database.write().await.expect("begin");
    attempts::append_receipt(
        &mut tx,
        &permit.record.id,
        attempt.id,
        &receipt(ReceiptKind::Accepted, Some("gj_7")),
    )
    .await
    .expect("kept");
    tx.commit().await.expect("commit");
    let _second = second_worker(&play);
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    assert_eq!(play.posts(), 0);
    let plan = play.plan("op_1").await;
    assert_eq!(
        (&plan["action"], &plan["job_id"]),
        (&json!("observe"), &json!("gj_7"))
    );
}

async fn late_receipts_move_nothing_and_lose_nothing(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    let kinds = [
        (ReceiptKind::NotSent, None),
        (ReceiptKind::Rejected, None),
        (ReceiptKind::Accepted, Some("gj_late")),
    ];
    let reports = [
        ("delivered", json!({ "phase": "delivered" })),
        ("attached", json!({ "remote": { "job_id": "gj_other" } })),
    ];
    for (name, report) in &reports {
        for (kind, job) in &kinds {
            let id = format!("op_{name}_{kind}");
            play.ready(&id).await;
            let recovery = play.confirm(&id, "dispatch").await;
            let permit = stalled(&play, &recovery).await;
            let revision = play.record(&id).await["revision"].as_i64().expect("a revision");
            let path = format!("/api/v1/operations/{id}");
            let mut report = report.clone();
            if *name == "attached" {
                report = json!({ "remote": { "job_id": format!("gj_{kind}") } });
            }
            play.app
                .patch(app::domain::role::Role::Reporter, &path, revision, &report)
                .await
                .expect(200);
            let before = play.record(&id).await;
            let job = job.map(|job| format!("{job}_{name}"));
            recoveries::store_receipt(
                &play.app.office.database,
                &permit,
                &receipt(*kind, job.as_deref()),
            )
            .await
            .expect("kept");
            let after = play.record(&id).await;
            assert_eq!(
                (&after["phase"], &after["dispatch"], &after["remote"]["job_id"]),
                (&before["phase"], &before["dispatch"], &before["remote"]["job_id"]),
                "{id}"
            );
            if let Some(job) = job {
                let alternatives = after["plan"]["alternatives"].to_string();
                assert!(alternatives.contains(&job), "{id}: {alternatives}");
            }
        }
    }
    assert_eq!(play.posts(), 0);
}

async fn a_database_clock_that_leapt_stops_the_first_byte(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.ready("op_1").await;
    let recovery = play.confirm("op_1", "dispatch").await;
    let permit = stalled(&play, &recovery).await;
    let database = &play.app.office.database;
    assert!(recoveries::may_send(database, &permit).await.expect("asked"));
    // An hour on: by the database's clock the lease ended long ago, whatever the worker's own clock says.
    play.sql("UPDATE dlo_recoveries SET lease_until = created_at")
        .await;
    assert!(!recoveries::may_send(database, &permit).await.expect("asked"));
}

async fn another_job_attached_in_mid_delivery_is_said(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.operation(
        "op_1",
        json!({
            "phase": "succeeded", "dispatch": "sent",
            "remote": { "job_id": "gj_1", "fetch": "ok", "execution": "succeeded", "outputs": [{ "index": 0 }] },
        }),
    )
    .await;
    let recovery = play.confirm("op_1", "deliver").await;
    let permit = stalled(&play, &recovery).await;
    play.sql("UPDATE dlo_operations SET job_id = 'gj_2' WHERE id = 'op_1'")
        .await;
    let (database, config) = (&play.app.office.database, &play.app.office.config);
    let recorded = recoveries::record_delivery(database, config, &permit, &[], |_| None)
        .await
        .expect("recorded");
    assert!(matches!(recorded, Recorded::Moved(_)), "{recorded:?}");
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "failed");
    let words = ended["outcome"].as_str().expect("words");
    assert!(words.contains("gj_1") && words.contains("gj_2"), "{words}");
}

fn receipt(kind: ReceiptKind, job: Option<&str>) -> Receipt {
    Receipt {
        kind,
        status: None,
        job_id: job.map(JobId::from),
        job_id_at: None,
        charge: None,
        detail: "as the test says".to_owned(),
        category: None,
    }
}
