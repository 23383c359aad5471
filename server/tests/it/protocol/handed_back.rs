//! Handing an action back to the application's own workers.

use super::play::{NO_WORKER, Play};
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(
    the_applications_worker_reports,
    done_without_a_report_ends_it,
    done_after_a_report_ends_it_as_reported,
    a_row_removed_after_a_report_ends_it_as_reported,
);

const QUEUE: &str = "[actions.observe]\nexecute = \"queue\"\njob_name = \"render.poll\"";

async fn the_applications_worker_reports(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, QUEUE).await;
    play.accepted("op_1", "gj_1").await;
    let recovery = play.confirm("op_1", "observe").await;
    let job = "SELECT COUNT(*) AS n FROM soniq_jobs WHERE job_name = 'render.poll' AND queue = 'default' AND status = 'queued'";
    assert_eq!(play.count(job).await, 1);
    let path = format!("/api/v1/recoveries/{recovery}/report");
    let seen = json!({ "observation": { "job_id": "gj_1", "fetch": "ok", "execution": "succeeded", "outputs": [{ "index": 0, "content_type": "video/mp4", "url": "https://cdn/x?sig=1" }] } });
    play.app
        .post(Role::Operator, &path, &seen)
        .await
        .refused(403, "role_required");
    assert_eq!(
        play.app
            .post(Role::Reporter, &path, &seen)
            .await
            .expect(200)
            .json()["state"],
        "running"
    );
    let ended = play
        .app
        .post(Role::Reporter, &path, &json!({ "outcome": "done" }))
        .await
        .expect(200)
        .json();
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["phase"], &record["remote"]["source"]),
        (&json!("succeeded"), &json!("reported")),
        "{record:#}"
    );
    assert!(!record.to_string().contains("sig=1"), "a reported URL was kept");
}

async fn done_without_a_report_ends_it(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, QUEUE).await;
    play.accepted("op_1", "gj_1").await;
    let recovery = play.confirm("op_1", "observe").await;
    play.sql("UPDATE soniq_jobs SET status = 'done'").await;
    assert_eq!(play.ended(&recovery).await["state"], "failed");
}

async fn done_after_a_report_ends_it_as_reported(backend: Backend, database: Database) {
    reported_then(backend, database, "UPDATE soniq_jobs SET status = 'done'").await;
}

/// Soniq with `result_ttl = 0` keeps no done rows.
async fn a_row_removed_after_a_report_ends_it_as_reported(backend: Backend, database: Database) {
    reported_then(backend, database, "DELETE FROM soniq_jobs").await;
}

async fn reported_then(backend: Backend, database: Database, how_it_ends: &str) {
    let play = Play::start_with(backend, database, NO_WORKER, QUEUE).await;
    play.accepted("op_1", "gj_1").await;
    let recovery = play.confirm("op_1", "observe").await;
    let seen = json!({ "observation": { "job_id": "gj_1", "fetch": "ok", "execution": "running" } });
    let path = format!("/api/v1/recoveries/{recovery}/report");
    play.app.post(Role::Reporter, &path, &seen).await.expect(200);
    play.sql(how_it_ends).await;
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
}
