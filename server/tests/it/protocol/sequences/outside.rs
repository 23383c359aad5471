//! What somebody else may have sent.

use crate::protocol::play::{NO_WORKER, Play, verdict};
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(a_replay_by_others_blocks_until_it_is_excluded);

async fn a_replay_by_others_blocks_until_it_is_excluded(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    let letter = play
        .dead_letter("render.submit", &json!({ "operation_id": "op_1" }))
        .await;
    play.ready("op_1").await;
    let blocked = async || verdict(&play.plan("op_1").await, "no_competing_job").to_owned();
    assert_eq!(blocked().await, "pass", "it died before the evidence was given");
    // Soniq's own command line: a new job, and the count; then that job hangs.
    play.sql(&format!(
        "UPDATE soniq_dead_letter_jobs SET resurrection_count = 1, last_resurrection_at = moved_to_dead_letter_at \
         WHERE id = '{letter}'"
    ))
    .await;
    play.sql(
        "INSERT INTO soniq_jobs (id, job_name, args, status, queue, created_at, updated_at) VALUES \
         ('00000000-0000-4000-8000-0000000000b2', 'render.submit', '{\"operation_id\": \"op_1\"}', 'processing', \
         'render', '2026-01-02T03:04:05.678901+00:00', '2026-01-02T03:04:05.678901+00:00')",
    )
    .await;
    assert_eq!(blocked().await, "block");
    let path = format!("/api/v1/dead-letters/{letter}/purge");
    play.app
        .post(
            Role::Approver,
            &path,
            &json!({ "reason": "done with it", "confirm": letter }),
        )
        .await
        .expect(200);
    assert_eq!(blocked().await, "block", "a purge forgets nothing");
    let exclude = json!({
        "decision": "outside_send_excluded", "evidence": "the gateway's log", "through": chrono::Utc::now().to_rfc3339(),
    });
    play.decide("op_1", exclude).await.expect(200);
    assert_eq!(blocked().await, "block", "the hung job may still send");
    play.sql("DELETE FROM soniq_jobs WHERE job_name = 'render.submit'")
        .await;
    assert_eq!(blocked().await, "pass");
    play.confirm("op_1", "dispatch").await;
}
