//! What must hold after any number of deaths.

use super::bot::Bot;
use super::machine::{Call, Process, Stage};
use serde_json::{Value, json};
use server::fixture::output_body;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Leases, repeated claims, the reconciler and a circuit's longest pause fit into it with room to spare on a slow machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// What a run came to, for the figures.
#[derive(Debug, Default)]
pub struct Found {
    pub operations: usize,
    pub recoveries: i64,
    pub posts: usize,
    pub copies: usize,
    pub replays: usize,
    pub unknown: usize,
}

/// Waits until no recovery is open, then checks everything.
pub async fn hold(stage: &Stage, process: &Process, bots: &[Bot], cookie: &str) -> Found {
    nothing_stays_open(stage).await;
    let at = &process.at;
    let mut found = Found {
        recoveries: stage.count("SELECT COUNT(*) AS n FROM dlo_recoveries").await,
        ..Found::default()
    };
    found.posts = sent_once(stage);
    what_was_answered_is_there(stage, at, bots, &mut found).await;
    the_queue_adds_up(stage, at, bots, &mut found).await;
    found.copies = copies_are_whole(stage, at, bots).await;
    reservations_are_let_go(stage).await;
    sessions_survive(stage, at, cookie).await;
    stage.said(&["audit", "verify"]);
    found.unknown = the_unknown_can_be_sent_once_more(stage, at, bots).await;
    nothing_stays_open(stage).await;
    stage.said(&["audit", "verify"]);
    sent_once(stage);
    found
}

async fn nothing_stays_open(stage: &Stage) {
    let started = Instant::now();
    loop {
        let twice = stage
            .count("SELECT COUNT(*) AS n FROM (SELECT operation_id FROM dlo_recoveries WHERE finished_at IS NULL \
                    GROUP BY operation_id HAVING COUNT(*) > 1) AS twice")
            .await;
        assert_eq!(twice, 0, "two recoveries of one operation are active");
        let open = stage
            .count("SELECT COUNT(*) AS n FROM dlo_recoveries WHERE finished_at IS NULL AND state <> 'awaiting_approval'")
            .await;
        if open == 0 {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{open} recoveries stay open");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Nobody here ever confirms wrongly that nothing was sent, so one operation is worth one creation request at most.
fn sent_once(stage: &Stage) -> usize {
    let mut sent: BTreeMap<String, u32> = BTreeMap::new();
    for post in stage.fixture.posts() {
        *sent.entry(post.client_reference.unwrap_or_default()).or_default() += 1;
    }
    for (operation, times) in &sent {
        assert_eq!(*times, 1, "{operation} was sent {times} times");
    }
    sent.len()
}

/// An order that was answered is not lost, and the record agrees with the provider's own books.
async fn what_was_answered_is_there(stage: &Stage, at: &str, bots: &[Bot], found: &mut Found) {
    for recovery in bots.iter().flat_map(|bot| &bot.recoveries) {
        let value = stage.get(at, &format!("/recoveries/{recovery}")).await;
        assert!(
            !value["finished_at"].is_null() || value["state"] == "awaiting_approval",
            "{value:#}"
        );
    }
    let posts: Vec<String> = stage
        .fixture
        .posts()
        .into_iter()
        .filter_map(|post| post.client_reference)
        .collect();
    for task in bots.iter().flat_map(|bot| bot.done.iter().chain(&bot.open)) {
        let (status, record) = stage
            .call(at, &Call::get(&format!("/operations/{}", task.id)))
            .await
            .expect("an answer");
        if status == 404 {
            continue;
        }
        found.operations += 1;
        let was_sent = posts.contains(&task.id);
        let attempts = record["attempts"].as_array().map_or(0, Vec::len);
        assert!(!was_sent || attempts == 1, "sent without an attempt: {record:#}");
        if was_sent {
            // Whatever was lost, the record never says that nothing was sent.
            assert_ne!(record["dispatch"], "confirmed_not_sent", "{record:#}");
        }
        let creating = record["recoveries"].as_array().map_or(0, |recoveries| {
            let began =
                |recovery: &&Value| recovery["action"] == "dispatch" && recovery["state"] != "cancelled";
            recoveries.iter().filter(began).count()
        });
        assert!(
            attempts <= creating,
            "more attempts than confirmed dispatches: {record:#}"
        );
    }
}

/// Dead letters, jobs and counts say the same, and every replay that was answered is there, once.
async fn the_queue_adds_up(stage: &Stage, at: &str, bots: &[Bot], found: &mut Found) {
    let totals = stage.get(at, "/queues").await["totals"].clone();
    for status in ["queued", "processing", "cancelled"] {
        let count = stage
            .count(&format!(
                "SELECT COUNT(*) AS n FROM soniq_jobs WHERE status = '{status}'"
            ))
            .await;
        assert_eq!(totals[status], count, "{status}: {totals:#}");
    }
    let dead = stage
        .count("SELECT COUNT(*) AS n FROM soniq_dead_letter_jobs")
        .await;
    assert_eq!(totals["dead_letter"], dead, "{totals:#}");
    let twice = stage
        .count("SELECT COUNT(*) AS n FROM soniq_jobs j JOIN soniq_dead_letter_jobs d ON d.id = j.id")
        .await;
    assert_eq!(twice, 0, "a job is alive and dead");
    // Nobody works on the application's queue here: every replay's job is still there.
    let jobs = stage
        .count("SELECT COUNT(*) AS n FROM soniq_jobs WHERE queue = 'render'")
        .await;
    let replays = stage
        .count("SELECT COUNT(*) AS n FROM dlo_replays WHERE recovery_id IS NULL")
        .await;
    assert_eq!(jobs, replays, "a replay and its job are one thing");
    let counted = stage
        .count("SELECT COALESCE(SUM(own_replays), 0) AS n FROM (SELECT CAST(own_replays AS INTEGER) AS own_replays FROM dlo_messages) AS counted")
        .await;
    let all = stage.count("SELECT COUNT(*) AS n FROM dlo_replays").await;
    assert_eq!(counted, all, "each replay is counted once");
    for letter in bots.iter().flat_map(|bot| &bot.letters) {
        for job in &letter.replays {
            let there = stage
                .count(&format!(
                    "SELECT COUNT(*) AS n FROM soniq_jobs WHERE id = '{job}'"
                ))
                .await;
            assert_eq!(there, 1, "replay {job} was answered");
            found.replays += 1;
        }
        let there = stage
            .count(&format!(
                "SELECT COUNT(*) AS n FROM soniq_dead_letter_jobs WHERE id = '{}'",
                letter.id
            ))
            .await;
        let may_be_gone = letter.purged || letter.asked_to_purge;
        assert!(there == 1 || may_be_gone, "{} is lost", letter.id);
        assert!(there == 0 || !letter.purged, "{} was purged", letter.id);
    }
}

/// Every published file is byte for byte what the provider has, and what is delivered is all there.
async fn copies_are_whole(stage: &Stage, at: &str, bots: &[Bot]) -> usize {
    let mut copies = 0;
    for task in bots.iter().flat_map(|bot| bot.done.iter().chain(&bot.open)) {
        let (status, record) = stage
            .call(at, &Call::get(&format!("/operations/{}", task.id)))
            .await
            .expect("an answer");
        if status == 404 {
            continue;
        }
        let job = record["remote"]["job_id"].as_str().unwrap_or_default().to_owned();
        let kept = record["outputs"].as_array().cloned().unwrap_or_default();
        let delivered = kept.iter().filter(|copy| copy["state"] == "delivered");
        for copy in delivered.clone() {
            let key = copy["storage_key"].as_str().expect("a key");
            assert!(
                stage.copies().join(key).is_file(),
                "{key} is recorded and not there"
            );
        }
        if record["phase"] == "delivered" {
            assert_eq!(delivered.count(), 2, "{record:#}");
        }
        copies += folder_is_whole(stage, &task.id, &job);
    }
    copies
}

/// Whatever lies under an operation's job is a whole output.
fn folder_is_whole(stage: &Stage, operation: &str, job: &str) -> usize {
    let mut copies = 0;
    let mut folders = vec![stage.copies()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                // What is staged is not published.
                if !path
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().contains("staging"))
                {
                    folders.push(path);
                }
            } else if named(&path, operation) {
                let stem = path
                    .file_stem()
                    .and_then(|stem| stem.to_str())
                    .unwrap_or_default();
                let index: usize = stem.parse().expect("an index");
                let (kind, bytes) = if index == 0 {
                    ("video/mp4", 200_000)
                } else {
                    ("image/png", 4096)
                };
                let right = output_body(job, index, kind, bytes);
                assert!(
                    std::fs::read(&path).expect("a file") == right,
                    "{} is not whole",
                    path.display()
                );
                copies += 1;
            }
        }
    }
    copies
}

fn named(path: &Path, operation: &str) -> bool {
    path.components().any(|part| part.as_os_str() == operation)
}

/// A reservation is open only where an attempt is: unknown, or accepted and not yet counted by the owner's facts.
async fn reservations_are_let_go(stage: &Stage) {
    let idle = stage
        .count("SELECT COUNT(*) AS n FROM dlo_recoveries r WHERE r.reservation_open AND r.finished_at IS NOT NULL \
                AND NOT EXISTS (SELECT 1 FROM dlo_attempts a WHERE a.recovery_id = r.id)")
        .await;
    assert_eq!(idle, 0, "reservations without an attempt are left behind");
}

async fn sessions_survive(stage: &Stage, at: &str, cookie: &str) {
    let page = stage
        .client
        .get(format!("{at}/dead-letters"))
        .header("cookie", cookie)
        .header("accept", "text/html")
        .send()
        .await
        .expect("a page");
    assert_eq!(page.status(), 200, "the session is lost");
}

/// Nothing is lost either: what was never sent can be sent, once a person has made sure. Answers how many.
async fn the_unknown_can_be_sent_once_more(stage: &Stage, at: &str, bots: &[Bot]) -> usize {
    let posts: Vec<String> = stage
        .fixture
        .posts()
        .into_iter()
        .filter_map(|post| post.client_reference)
        .collect();
    let mut again = Vec::new();
    for task in bots.iter().flat_map(|bot| bot.done.iter().chain(&bot.open)) {
        let (_, record) = stage
            .call(at, &Call::get(&format!("/operations/{}", task.id)))
            .await
            .expect("an answer");
        if record["dispatch"] == "outcome_unknown"
            && record["phase"] == "submitting"
            && !posts.contains(&task.id)
        {
            again.push(task.id.clone());
        }
    }
    let unknown = again.len();
    for id in again.into_iter().take(3) {
        let started = Instant::now();
        let path = format!("/operations/{id}");
        loop {
            let revision = stage.get(at, &path).await["revision"].clone();
            let decision = json!({ "revision": revision, "decision": "confirm_not_sent", "reason": "the provider's books",
                "evidence": "no job of ours in the provider's books" });
            let (status, body) = stage
                .call(at, &Call::post(&format!("{path}/decisions"), decision))
                .await
                .expect("an answer");
            if status == 200 {
                break;
            }
            // Its attempt must be old enough first.
            assert!(started.elapsed() < PATIENCE, "{status}: {body:#}");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        let started = Instant::now();
        while sent(stage, &id) == 0 {
            // On a machine with too much to do the first byte may be too late once more: then nothing was sent.
            assert!(started.elapsed() < PATIENCE, "{id} cannot be sent");
            dispatched(stage, at, &id).await;
            nothing_stays_open(stage).await;
        }
        assert_eq!(sent(stage, &id), 1, "{id} is sent now, once");
    }
    unknown
}

/// How often the provider was sent this operation.
fn sent(stage: &Stage, id: &str) -> usize {
    let posts = stage.fixture.posts();
    posts
        .iter()
        .filter(|post| post.client_reference.as_deref() == Some(id))
        .count()
}

/// Confirms its dispatch, by two people where two are asked for.
async fn dispatched(stage: &Stage, at: &str, id: &str) {
    let path = format!("/operations/{id}");
    let revision = stage.get(at, &path).await["revision"].clone();
    let order =
        json!({ "revision": revision, "action": "dispatch", "reason": "it was never sent", "confirm": id });
    let (status, body) = stage
        .call(at, &Call::post(&format!("{path}/recoveries"), order))
        .await
        .expect("an answer");
    assert_eq!(status, 202, "{body:#}");
    if body["state"] == "awaiting_approval" {
        let approve = format!(
            "/recoveries/{}/approve",
            body["recovery_id"].as_str().expect("an id")
        );
        let approve = Call::post(&approve, json!({ "reason": "yes" })).by_second();
        let (status, body) = stage.call(at, &approve).await.expect("an answer");
        assert_eq!(status, 200, "{body:#}");
    }
}
