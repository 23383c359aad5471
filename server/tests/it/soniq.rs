//! Beside the real Soniq, on PostgreSQL: `./check` makes the Python environment and names it.

use crate::protocol::play::{NO_WORKER, Play};
use crate::support::backend::{Backend, Kind};
use app::domain::role::Role;
use serde_json::json;
use std::process::Command;

/// The folder of Soniq's programs.
const PROGRAMS: &str = "DLO_TEST_SONIQ";
/// Set by `./check`: a missing Soniq fails instead of being left out.
const REQUIRED: &str = "DLO_TEST_REQUIRE_SONIQ";

/// Runs `soniq` on this database.
fn soniq(backend: &Backend, arguments: &[&str]) -> String {
    let programs = std::env::var(PROGRAMS).expect("the environment was asked before");
    let answer = Command::new(format!("{programs}/soniq"))
        .args(arguments)
        .env("SONIQ_DATABASE_URL", &backend.url)
        // A worker wants a module of jobs; this one has none, so that every name is unknown to it.
        .env("SONIQ_JOBS_MODULES", "json")
        .output()
        .expect("soniq runs");
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    assert!(
        answer.status.success(),
        "soniq {arguments:?}: {text} {}",
        String::from_utf8_lossy(&answer.stderr)
    );
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_dead_letters_are_ours_and_our_replays_are_its_jobs() {
    if std::env::var(PROGRAMS).is_err() {
        assert!(
            std::env::var(REQUIRED).is_err(),
            "{PROGRAMS} is not set and Soniq is required"
        );
        eprintln!("left out: the real Soniq ({PROGRAMS} is not set; ./check sets it)");
        return;
    }
    let Some((backend, database)) = Backend::open(Kind::Postgres).await else {
        return;
    };
    soniq(&backend, &["setup"]);
    let allow = "[policy]\nreplay_without_record = \"allow\"";
    let play = Play::start_with(backend, database, NO_WORKER, allow).await;
    // The real worker knows no such task: it moves the job to the dead letters.
    play.sql(
        "INSERT INTO soniq_jobs (id, job_name, args, status, queue, max_attempts) VALUES \
         ('00000000-0000-4000-8000-0000000000a1', 'no.such.task', '{\"operation_id\": \"op_1\"}', 'queued', 'delivery', 4)",
    )
    .await;
    soniq(&play.app.backend, &["worker", "--run-once"]);
    let list = play.get("/api/v1/dead-letters").await;
    let letter = &list["items"][0];
    assert_eq!(letter["reason"], "job_not_found", "{list:#}");
    assert_eq!(letter["error_category"], "handler_missing");
    assert_eq!(
        (&letter["attempts"], &letter["label"]),
        (&json!(4), &json!("no_operation_record"))
    );
    let path = format!(
        "/api/v1/dead-letters/{}/replay",
        letter["id"].as_str().expect("an id")
    );
    let replayed = play
        .app
        .post(Role::Operator, &path, &json!({ "reason": "try it again" }))
        .await
        .expect(200);
    let job = replayed.json()["job_id"].as_str().expect("a job").to_owned();
    // It takes our replay up, and it dies again under its own new id.
    soniq(&play.app.backend, &["worker", "--run-once"]);
    let again = play
        .until(&format!("/api/v1/dead-letters/{job}"), |seen| {
            seen["reason"] == "job_not_found"
        })
        .await;
    assert_eq!(again["resurrection_count"], 0);
    let totals = play.get("/api/v1/queues").await;
    assert_eq!(
        (&totals["totals"]["dead_letter"], &totals["totals"]["total"]),
        (&json!(2), &json!(2))
    );
    let told = soniq(&play.app.backend, &["dead-letter", "list"]);
    assert!(told.contains("no.such.task"), "{told}");
    // It applies its own migrations beside ours, and ours change nothing of its.
    soniq(&play.app.backend, &["setup"]);
    play.app.office.database.migrate().await.expect("ours again");
}
