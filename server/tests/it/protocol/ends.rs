//! A recovery never stays open.

use super::play::{NO_WORKER, Play};
use crate::support::backend::Backend;
use serde_json::json;
use server::database::Database;
use server::fixture::{Armed, JobScript, ReadFault};

crate::on_every_backend!(
    a_job_that_spends_its_retries_dies_and_ends_its_recovery,
    a_job_that_is_gone_ends_its_recovery,
    a_dispatch_whose_job_is_deleted_is_cancelled,
    following_ends_still_running,
);

async fn a_job_that_spends_its_retries_dies_and_ends_its_recovery(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.accepted("op_1", "gj_1").await;
    play.fixture.fault_all_reads(Armed::forever(ReadFault::Reset));
    let ended = play.recover("op_1", "observe").await;
    assert_eq!(ended["state"], "failed", "{ended:#}");
    let letters = play.until("/api/v1/dead-letters?job_name=generation.observe", |list| {
        list["items"]
            .as_array()
            .is_some_and(|items| items.len() == 1 && items[0]["operation_id"] == "op_1")
    });
    let letter = letters.await["items"][0].clone();
    assert_eq!(letter["queue"], "dead-letter-office");
    assert_eq!(letter["action"], "observe");
    assert_eq!(letter["error_category"], "connection");
    assert_eq!(letter["attempts"], 2);
    assert!(
        ended["outcome"]
            .as_str()
            .is_some_and(|words| words.contains("connection")),
        "{ended:#}"
    );
    while play.count("SELECT COUNT(*) AS n FROM dlo_messages").await == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    play.fixture.clear_faults();
    play.fixture.put_job("gj_1", JobScript::resting("running"));
    let mut order = play.order("op_1", "observe").await;
    order["dead_letter_id"] = letter["id"].clone();
    use app::domain::role::Role;
    let answer = play
        .app
        .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &order)
        .await
        .expect(202)
        .json();
    let ended = play.ended(answer["recovery_id"].as_str().expect("an id")).await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
}

async fn a_job_that_is_gone_ends_its_recovery(backend: Backend, database: Database) {
    // Housekeeping without a worker's claims: the reconciler alone must see it.
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    let recovery = play.confirm("op_1", "observe").await;
    play.sql("DELETE FROM soniq_jobs").await;
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "cancelled", "{ended:#}");
    let recovery = play.confirm("op_1", "observe").await;
    play.sql("UPDATE soniq_jobs SET status = 'cancelled'").await;
    assert_eq!(play.ended(&recovery).await["state"], "cancelled");
}

async fn a_dispatch_whose_job_is_deleted_is_cancelled(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.ready("op_1").await;
    let recovery = play.confirm("op_1", "dispatch").await;
    assert_eq!(
        play.count("SELECT COUNT(*) AS n FROM dlo_recoveries WHERE reservation_open")
            .await,
        1
    );
    play.sql("DELETE FROM soniq_jobs").await;
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "cancelled", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["phase"], &record["revision"]),
        (&json!("prepared"), &json!(1)),
        "the record is untouched"
    );
    assert_eq!(
        play.count("SELECT COUNT(*) AS n FROM dlo_recoveries WHERE reservation_open")
            .await,
        0
    );
}

async fn following_ends_still_running(backend: Backend, database: Database) {
    use app::domain::role::Role;
    let play = Play::start_with(
        backend,
        database,
        super::play::ALL,
        "[policy]\nobserve_bound_seconds = 3",
    )
    .await;
    play.fixture.put_job("gj_1", JobScript::resting("running"));
    play.accepted("op_1", "gj_1").await;
    let mut order = play.order("op_1", "observe").await;
    order["follow"] = true.into();
    let answer = play
        .app
        .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &order)
        .await
        .expect(202)
        .json();
    let ended = play.ended(answer["recovery_id"].as_str().expect("an id")).await;
    assert_eq!(ended["state"], "still_running", "{ended:#}");
    assert!(play.fixture.gets("gj_1") >= 2, "it polls");
    assert_eq!(
        play.count("SELECT COALESCE(MAX(attempts), 0) AS n FROM soniq_jobs")
            .await,
        1,
        "polling spends no attempts"
    );
}
