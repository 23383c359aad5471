//! Each replay is followed: dead letter, new job, its end, its own dead letter.

use super::shared::{Letter, bury, caller, id, opened};
use crate::protocol::play::Play;
use crate::support::backend::Backend;
use crate::support::raw;
use app::desk::{Lineage, ReplayEnd, ReplayView};
use app::domain::ids::{DeadLetterId, QueueJobId};
use app::domain::role::Role;
use chrono::Duration;
use serde_json::json;
use server::config::{Config, Policy, ReplayWithoutRecord};
use server::database::Database;
use server::office::Office;
use server::storage::jobs;
use std::sync::Arc;

crate::on_every_backend!(
    a_replay_is_followed_to_its_end,
    counts_of_others_are_told_from_ours,
    a_recovery_stands_in_the_lineage,
    the_page_shows_each_end,
);

fn office(database: &Database) -> Office {
    let policy = Policy {
        replay_without_record: ReplayWithoutRecord::Allow,
        ..Policy::default()
    };
    Office::new(
        database.clone(),
        Arc::new(Config {
            policy,
            ..Config::default()
        }),
    )
}

async fn lineage(office: &Office, letter: DeadLetterId) -> Lineage {
    let found = office
        .dead_letter(&caller(Role::Viewer), &letter.to_string())
        .await
        .expect("a view");
    opened(found).lineage.expect("a lineage")
}

/// The replay that made this job.
async fn replayed(office: &Office, letter: DeadLetterId, job: QueueJobId) -> ReplayView {
    let lineage = lineage(office, letter).await;
    lineage
        .replays
        .into_iter()
        .find(|replay| replay.job_id == job)
        .expect("the replay is recorded")
}

async fn replay(office: &Office, letter: DeadLetterId, key: &str) -> QueueJobId {
    office
        .replay(
            &caller(Role::Operator),
            &letter.to_string(),
            "Bearer abcdefghijklmnop is no reason",
            key,
        )
        .await
        .expect("replayed")
}

async fn claim(database: &Database) -> jobs::Claimed {
    let mut tx = database.write().await.expect("begin");
    let claimed = jobs::claim(&mut tx, None, Duration::seconds(30))
        .await
        .expect("claim")
        .expect("a job");
    tx.commit().await.expect("commit");
    claimed
}

async fn a_replay_is_followed_to_its_end(_backend: Backend, database: Database) {
    let office = office(&database);
    let letter = bury(&database, &Letter::default()).await;
    let sql = async |text: String| raw::script(&database, &text).await.expect("it runs");
    let looked = async || office.project(false).await.expect("a look");

    // Queued, processing, done; and done for ever, when the row has gone.
    let job = replay(&office, letter, "k1").await;
    let seen = replayed(&office, letter, job).await;
    assert_eq!((seen.end, seen.ended_at), (ReplayEnd::Queued, None));
    assert_eq!(seen.replayed_by, "a-operator");
    assert!(seen.reason.contains("is no reason") && !seen.reason.contains("abcdefghijklmnop"));
    let claimed = claim(&database).await;
    assert_eq!(replayed(&office, letter, job).await.end, ReplayEnd::Processing);
    let mut tx = database.write().await.expect("begin");
    jobs::finish(&mut tx, job, claimed.attempt, None, Duration::seconds(300))
        .await
        .expect("finish");
    tx.commit().await.expect("commit");
    looked().await;
    sql(format!("DELETE FROM soniq_jobs WHERE id = '{job}'")).await;
    let seen = replayed(&office, letter, job).await;
    assert_eq!(seen.end, ReplayEnd::Done);
    assert!(seen.ended_at.is_some());

    // Cancelled.
    let job = replay(&office, letter, "k2").await;
    let mut tx = database.write().await.expect("begin");
    assert!(jobs::cancel(&mut tx, job).await.expect("cancel"));
    tx.commit().await.expect("commit");
    looked().await;
    assert_eq!(replayed(&office, letter, job).await.end, ReplayEnd::Cancelled);

    // Deleted before anybody saw how it ended.
    let job = replay(&office, letter, "k3").await;
    sql(format!("DELETE FROM soniq_jobs WHERE id = '{job}'")).await;
    looked().await;
    assert_eq!(replayed(&office, letter, job).await.end, ReplayEnd::Gone);

    // Dead again, under its own id; and it knows where it came from.
    let job = replay(&office, letter, "k4").await;
    claim(&database).await;
    let mut tx = database.write().await.expect("begin");
    jobs::move_to_dead_letters(&mut tx, job, "max_retries_exceeded", None, "again")
        .await
        .expect("move");
    tx.commit().await.expect("commit");
    let again = DeadLetterId(job.0);
    for looks in 0..2 {
        let seen = replayed(&office, letter, job).await;
        assert_eq!(
            (seen.end, seen.dead_letter_id, seen.dead_letter_purged),
            (ReplayEnd::DeadLetter, Some(again), false),
            "{looks}"
        );
        looked().await;
    }
    let from = lineage(&office, again).await.came_from.expect("an origin");
    assert_eq!((from.dead_letter_id, from.purged), (letter, false));
    let approver = caller(Role::Approver);
    for (key, one) in [("k5", again), ("k6", letter)] {
        let text = one.to_string();
        if one == letter {
            let seen = replayed(&office, letter, job).await;
            assert!(seen.dead_letter_purged && seen.end == ReplayEnd::DeadLetter);
        }
        assert!(
            office
                .purge(&approver, &text, "old", &text, key)
                .await
                .expect("purged")
        );
    }
    let ends = "SELECT ended FROM dlo_replays WHERE ended_at IS NOT NULL ORDER BY ended";
    assert_eq!(
        raw::texts(&database, ends).await,
        ["cancelled", "dead_letter", "done", "gone"],
        "what was seen outlives its rows"
    );
}

async fn counts_of_others_are_told_from_ours(_backend: Backend, database: Database) {
    let office = office(&database);
    let letter = bury(&database, &Letter::default()).await;
    replay(&office, letter, "k1").await;
    let seen = lineage(&office, letter).await;
    assert_eq!((seen.replayed_outside, seen.not_counted), (0, 0));
    let count = async |count: &str| {
        let sql = format!("UPDATE soniq_dead_letter_jobs SET resurrection_count = {count}");
        raw::script(&database, &sql).await.expect("update");
    };
    // Another tool replays it twice.
    count("resurrection_count + 2").await;
    let seen = lineage(&office, letter).await;
    assert_eq!(
        (seen.replayed_outside, seen.not_counted, seen.replays.len()),
        (2, 0, 1)
    );
    // Somebody forgets them all.
    count("NULL").await;
    let seen = lineage(&office, letter).await;
    assert_eq!((seen.replayed_outside, seen.not_counted), (0, 1));
}

async fn a_recovery_stands_in_the_lineage(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.accepted("op_1", "gj_none").await;
    let letter = play
        .dead_letter("render.poll", &json!({ "operation_id": "op_1" }))
        .await;
    let mut order = play.order("op_1", "observe").await;
    order["dead_letter_id"] = letter.as_str().into();
    let answer = play
        .app
        .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &order)
        .await
        .expect(202)
        .json();
    let recovery = answer["recovery_id"].as_str().expect("an id");
    let ended = play.ended(recovery).await;
    let path = format!("/api/v1/dead-letters/{letter}");
    let seen = play
        .until(&path, |seen| seen["lineage"]["replays"][0]["end"] == "done")
        .await;
    let replay = &seen["lineage"]["replays"][0];
    assert_eq!(replay["job_id"], answer["job_id"]);
    assert_eq!(
        (&replay["recovery_id"], &replay["recovery_state"]),
        (&json!(recovery), &ended["state"])
    );
    assert_eq!(replay["reason"], "the test asks for it");
    assert_eq!(
        (&seen["replays"], &seen["resurrection_count"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(seen["lineage"]["replayed_outside"], 0);
    // The same shape inside its operation.
    let record = play.record("op_1").await;
    assert_eq!(record["dead_letters"][0], seen);
}

async fn the_page_shows_each_end(backend: Backend, database: Database) {
    let allow = "[policy]\nreplay_without_record = \"allow\"";
    let play = Play::start_with(backend, database, crate::protocol::play::NO_WORKER, allow).await;
    let letter = play.dead_letter("thumbs.make", &json!({})).await;
    let path = format!("/api/v1/dead-letters/{letter}/replay");
    let body = json!({ "reason": "once more" });
    let job = play
        .app
        .post(Role::Operator, &path, &body)
        .await
        .expect(200)
        .json();
    let job = job["job_id"].as_str().expect("a job").to_owned();
    play.sql("UPDATE soniq_dead_letter_jobs SET resurrection_count = resurrection_count + 2")
        .await;
    let mut browser = play.app.signed_in(Role::Viewer).await;
    let page = format!("/dead-letters/{letter}");
    let shown = browser.get(&page).await.expect(200);
    assert!(shown.has(&format!("tr[data-replay='{job}'][data-end=queued]")));
    assert!(shown.has("[data-outside='2']"));
    // It dies again: the page leads to its own dead letter, and that one back.
    let mut tx = play.app.office.database.write().await.expect("begin");
    let dead = QueueJobId::parse(&job).expect("an id");
    jobs::move_to_dead_letters(&mut tx, dead, "permanent_failure", None, "no")
        .await
        .expect("move");
    tx.commit().await.expect("commit");
    let shown = browser.get(&page).await.expect(200);
    assert!(shown.has(&format!(
        "tr[data-replay='{job}'][data-end=dead_letter] a[href='/dead-letters/{job}']"
    )));
    let back = browser.get(&format!("/dead-letters/{job}")).await.expect(200);
    assert!(back.has(&format!(
        "[data-came-from='{letter}'] a[href='/dead-letters/{letter}']"
    )));
    assert_ne!(job, id(1).to_string());
}
