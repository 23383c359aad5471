//! A Soniq worker that takes every queue would take and bury our jobs: it is seen, and builtin recoveries wait.

use super::programs::both;
use crate::protocol::play::{NO_WORKER, Play, verdict};
use app::domain::role::Role;
use std::process::Command;

/// `dlo doctor` on the database: whether all is well, and what it says of workers.
fn doctor(url: &str) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_dlo"))
        .args(["doctor", "--database-url", url])
        .current_dir(folder.path())
        .output()
        .expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = said
        .lines()
        .find(|line| line.contains(" workers: "))
        .unwrap_or_else(|| panic!("{said}"));
    (output.status.success(), line.to_owned())
}

/// The plan does not mind any worker, and may be confirmed.
async fn free(play: &Play) {
    let plan = play.plan("op_1").await;
    assert_ne!(verdict(&plan, "queue_exclusive"), "block", "{plan:#}");
    assert_eq!(plan["allowed"], true, "{plan:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_without_a_queue_list_is_seen_and_builtin_recoveries_are_refused() {
    let Some((backend, database, soniq)) = both().await else {
        return;
    };
    let url = backend.url.clone();
    let play = Play::start_with(backend, database.clone(), NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    // One with its own queues harms nobody.
    let careful = soniq.worker(&database, &["--queues", "render,delivery"]).await;
    free(&play).await;
    let (well, line) = doctor(&url);
    assert!(well && line.starts_with("ok "), "{line}");
    for queues in [None, Some("render,dead-letter-office")] {
        let arguments: Vec<&str> = queues.iter().flat_map(|list| ["--queues", list]).collect();
        let greedy = soniq.worker(&database, &arguments).await;
        let plan = play.plan("op_1").await;
        assert_eq!(verdict(&plan, "queue_exclusive"), "block", "{plan:#}");
        assert_eq!(plan["allowed"], false);
        let named = format!(":{}", greedy.id());
        assert!(plan.to_string().contains(&named), "{plan:#}");
        let order = play.order("op_1", "observe").await;
        let refused = play
            .app
            .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &order)
            .await
            .refused(422, "guard_blocked");
        assert_eq!(verdict(&refused, "queue_exclusive"), "block");
        let (well, line) = doctor(&url);
        assert!(
            !well && line.starts_with("WRONG workers: ") && line.contains(&named),
            "{line}"
        );
        greedy.stop().await;
        free(&play).await;
    }
    assert_eq!(
        play.count("SELECT COUNT(*) AS n FROM soniq_jobs").await,
        0,
        "a refused recovery left a job"
    );
    careful.stop().await;
    let (well, line) = doctor(&url);
    assert!(well, "{line}");
}
