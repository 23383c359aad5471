//! Our replays are Soniq's jobs, and they wake its worker.

use super::programs::{both, median_and_longest};
use crate::protocol::play::{NO_WORKER, Play};
use app::domain::role::Role;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How often the pick-up is measured.
const SAMPLES: usize = 15;
/// The design's bound on the wake-up.
const BOUND: Duration = Duration::from_millis(200);
/// How often the worker looks for work by itself.
const POLL: Duration = Duration::from_secs(20);

struct Replayed {
    job: String,
    /// Before our request was sent.
    asked: DateTime<Utc>,
}

async fn replay(play: &Play, letter: &str) -> Replayed {
    let path = format!("/api/v1/dead-letters/{letter}/replay");
    let asked = Utc::now();
    let answer = play
        .app
        .post(
            Role::Operator,
            &path,
            &json!({ "reason": "the provider answers again" }),
        )
        .await
        .expect(200)
        .json();
    Replayed {
        job: answer["job_id"].as_str().expect("a job").to_owned(),
        asked,
    }
}

/// Waits until the count is one.
async fn until_one(play: &Play, sql: &str) {
    let started = Instant::now();
    while play.count(sql).await != 1 {
        assert!(started.elapsed() < Duration::from_secs(30), "never: {sql}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().expect("a time").parse().expect("a time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_worker_starts_our_replay_at_once_and_its_lineage_is_kept() {
    let Some((backend, database, soniq)) = both().await else {
        return;
    };
    let allow = "[policy]\nreplay_without_record = \"allow\"";
    let play = Play::start_with(backend, database.clone(), NO_WORKER, allow).await;
    let mut console = soniq.console();
    let _worker = soniq
        .worker_that_polls(&database, &["--queues", "render"], POLL)
        .await;
    let args = json!({ "operation_id": "op_unknown", "job_id": "gj_1" });
    let letter = console.enqueue(&[("render.poll", args)]).remove(0);
    play.until("/api/v1/dead-letters", |list| {
        list["items"][0]["id"] == letter.as_str()
    })
    .await;
    console.break_renders(false);
    let mut jobs = Vec::new();
    let mut delays = Vec::new();
    for _ in 0..SAMPLES {
        // Soniq forgets an announcement that comes between its last look and its wait.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let Replayed { job, asked } = replay(&play, &letter).await;
        let over = format!("SELECT COUNT(*) AS n FROM soniq_jobs WHERE id = '{job}' AND status = 'done'");
        until_one(&play, &over).await;
        let ran = format!("SELECT at FROM interop_runs WHERE job_id = '{job}'");
        let ran = database
            .look_up(&ran, vec![])
            .await
            .expect("a row")
            .expect("it ran");
        delays.push(
            (ran.time("at").expect("a time") - asked)
                .to_std()
                .unwrap_or_default(),
        );
        jobs.push(job);
    }
    delays.sort_unstable();
    let quarter = delays[SAMPLES / 4];
    let (median, longest) = median_and_longest(delays);
    println!(
        "our replay to the handler's start: a quarter within {quarter:?}, median {median:?}, longest {longest:?} of {SAMPLES}"
    );
    // A machine with other work delays some; without the announcement not one would start so soon.
    assert!(quarter < BOUND && longest < POLL / 2, "{quarter:?} {longest:?}");
    // One more, and it dies again: under its own new id, with nothing of its ancestor's count.
    console.break_renders(true);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let Replayed { job: died, .. } = replay(&play, &letter).await;
    let again = play
        .until("/api/v1/dead-letters", |list| {
            list["items"][0]["id"] == died.as_str()
        })
        .await["items"][0]
        .clone();
    assert_ne!(died, letter);
    assert_eq!(
        (&again["attempts"], &again["resurrection_count"], &again["reason"]),
        (&json!(2), &json!(0), &json!("max_retries_exceeded")),
        "{again:#}"
    );
    jobs.push(died.clone());
    // The lineage: dead letter, replay, new job, its end.
    let row = play.get(&format!("/api/v1/dead-letters/{letter}")).await;
    assert_eq!(
        (&row["resurrection_count"], &row["replays"]),
        (&json!(SAMPLES + 1), &json!(SAMPLES + 1)),
        "{row:#}"
    );
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let followed: Vec<(String, String)> = row["lineage"]["replays"]
        .as_array()
        .expect("a lineage")
        .iter()
        .map(|replay| (text(&replay["job_id"]), text(&replay["end"])))
        .collect();
    let wanted: Vec<(String, String)> = jobs
        .iter()
        .rev()
        .map(|job| {
            (
                job.clone(),
                if *job == died { "dead_letter" } else { "done" }.to_owned(),
            )
        })
        .collect();
    assert_eq!(followed, wanted, "newest first, each to its end");
    assert_eq!(row["lineage"]["replayed_outside"], 0);
    let again = play.get(&format!("/api/v1/dead-letters/{died}")).await;
    assert_eq!(again["lineage"]["came_from"]["dead_letter_id"], letter.as_str());
    let kept = database
        .look_up_all(
            "SELECT r.job_id, r.dead_letter_id, r.replayed_by, r.reason, r.replayed_at, j.status, d.id AS died \
             FROM dlo_replays r LEFT JOIN soniq_jobs j ON j.id = r.job_id \
             LEFT JOIN soniq_dead_letter_jobs d ON d.id = r.job_id ORDER BY r.replayed_at",
            vec![],
        )
        .await
        .expect("rows");
    assert_eq!(kept.len(), jobs.len());
    for (row, job) in kept.iter().zip(&jobs) {
        let id = |column: &str| row.uuid(column).expect("an id").to_string();
        assert_eq!((&id("job_id"), &id("dead_letter_id")), (job, &letter));
        assert_eq!(row.text("replayed_by").expect("who"), "test-operator");
        assert_eq!(row.text("reason").expect("why"), "the provider answers again");
        let (status, dead) = (
            row.opt_text("status").expect("a status"),
            row.opt_uuid("died").expect("an id"),
        );
        if *job == died {
            assert!(status.is_none() && dead.is_some(), "{job}");
        } else {
            assert_eq!((status.as_deref(), dead), (Some("done"), None), "{job}");
        }
    }
    let last = kept
        .last()
        .expect("a replay")
        .time("replayed_at")
        .expect("a time");
    assert_eq!(time(&row["last_resurrection_at"]), last);
    // Soniq's own records say the same of all of it.
    let listed = console.ask(&json!({ "do": "list" }));
    let theirs = listed
        .as_array()
        .expect("a list")
        .iter()
        .find(|theirs| theirs["id"] == letter.as_str())
        .expect("the dead letter");
    assert_eq!(theirs["resurrection_count"], json!(SAMPLES + 1));
    // And Soniq's own replay is told from ours.
    let job = console.ask(&json!({ "do": "replay", "id": letter }));
    assert!(job.is_string(), "{job}");
    let row = play.get(&format!("/api/v1/dead-letters/{letter}")).await;
    assert_eq!(
        (&row["resurrection_count"], &row["replays"]),
        (&json!(SAMPLES + 2), &json!(SAMPLES + 1)),
        "{row:#}"
    );
}
