//! Large numbers: ten thousand counts while jobs move, and ten thousand jobs between two workers on one SQLite file.

use super::shared::{id, json};
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::desk::QueuesView;
use app::domain::ids::{DeadLetterId, QueueJobId};
use chrono::Duration;
use server::config::Messages;
use server::database::{Database, Location};
use server::storage::dead_letters::{self, Replay};
use server::storage::{jobs, stats};
use server::values;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use uuid::Uuid;

/// Jobs of each queue; their sum never changes.
const PER_QUEUE: [(&str, i64); 3] = [("render", 7), ("delivery", 5), ("billing", 3)];
const SAMPLES: u64 = 10_000;
const LEASE: Duration = Duration::seconds(600);

async fn queue(database: &Database, count: u128, queue: &str, from: u128) {
    let mut tx = database.write().await.expect("begin");
    let now = tx.now();
    for n in 0..count {
        tx.execute(
            "INSERT INTO soniq_jobs (id, job_name, args, status, queue, attempts, max_attempts, priority, scheduled_at, \
             created_at, updated_at) VALUES ($1, 'j', $2, 'queued', $3, 0, 3, 100, $4, $4, $4)",
            values![id(from + n), json("{}"), queue, now],
        )
        .await
        .expect("insert");
    }
    tx.commit().await.expect("commit");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_are_never_off_on_sqlite() {
    counts_are_never_off(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_are_never_off_on_postgres() {
    counts_are_never_off(Kind::Postgres).await;
}

/// A worker claims and buries; somebody replays and purges in one transaction. Each of these moves a job and makes
/// none: whoever counts in between and finds more or less has looked twice.
async fn counts_are_never_off(kind: Kind) {
    let Some((_backend, database)) = Backend::open(kind).await else {
        return;
    };
    for ((name, count), from) in PER_QUEUE.into_iter().zip((0..).step_by(100)) {
        queue(&database, u128::try_from(count).expect("small"), name, from).await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let moves = Arc::new(AtomicU64::new(0));
    let (told, counted, moved) = (stop.clone(), moves.clone(), database.clone());
    let mover = tokio::spawn(async move {
        while !told.load(Ordering::Relaxed) {
            bury_next(&moved).await;
            bury_next(&moved).await;
            replay_and_purge_next(&moved).await;
            replay_and_purge_next(&moved).await;
            counted.fetch_add(4, Ordering::Relaxed);
        }
    });
    let mut off = 0;
    let mut shapes = HashSet::new();
    for _ in 0..SAMPLES {
        let mut tx = database.read().await.expect("begin");
        let seen = stats::read(&mut tx).await.expect("stats");
        drop(tx);
        off += u64::from(!adds_up(&seen));
        shapes.insert((
            seen.totals.queued,
            seen.totals.processing,
            seen.totals.dead_letter,
        ));
    }
    stop.store(true, Ordering::Relaxed);
    mover.await.expect("the mover ends well");
    assert_eq!(off, 0, "of {SAMPLES} samples");
    assert!(
        moves.load(Ordering::Relaxed) > 100 && shapes.len() > 2,
        "jobs did move: {} moves, {shapes:?}",
        moves.load(Ordering::Relaxed)
    );
}

fn adds_up(seen: &QueuesView) -> bool {
    let sum = |totals: &app::desk::Totals| {
        totals.queued + totals.processing + totals.done + totals.cancelled + totals.dead_letter
    };
    let per_queue: BTreeMap<&str, i64> = seen
        .queues
        .iter()
        .map(|one| (one.queue.as_str(), one.totals.total))
        .collect();
    let all: i64 = PER_QUEUE.iter().map(|(_, count)| count).sum();
    seen.totals.total == all
        && sum(&seen.totals) == all
        && per_queue == PER_QUEUE.into_iter().collect()
        && seen.queues.iter().all(|one| sum(&one.totals) == one.totals.total)
}

async fn bury_next(database: &Database) {
    let mut tx = database.write().await.expect("begin");
    let claimed = jobs::claim(&mut tx, None, LEASE).await.expect("claim");
    tx.commit().await.expect("commit");
    let Some(claimed) = claimed else { return };
    let mut tx = database.write().await.expect("begin");
    jobs::move_to_dead_letters(&mut tx, claimed.id, "max_retries_exceeded", Some(3), "no")
        .await
        .expect("move");
    tx.commit().await.expect("commit");
}

async fn replay_and_purge_next(database: &Database) {
    let mut tx = database.write().await.expect("begin");
    let oldest = "SELECT CAST(id AS TEXT) AS id FROM soniq_dead_letter_jobs ORDER BY moved_to_dead_letter_at, id LIMIT 1";
    let Some(row) = tx.fetch_optional(oldest, vec![]).await.expect("select") else {
        return;
    };
    let letter = DeadLetterId::parse(&row.text("id").expect("text")).expect("an id");
    let replay = Replay {
        job_id: QueueJobId(Uuid::new_v4()),
        by: "test",
        reason: "r",
        recovery: None,
    };
    dead_letters::replay(&mut tx, letter, &replay)
        .await
        .expect("replay")
        .expect("it is there");
    assert!(
        dead_letters::purge(&mut tx, &Messages::default(), letter)
            .await
            .expect("purge")
    );
    tx.commit().await.expect("commit");
}

/// Jobs that two workers share.
const SHARED: u128 = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_on_one_sqlite_file_never_claim_the_same_job() {
    // In memory where the system offers it: ten thousand commits that wait for a disk show nothing more.
    let folder = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a folder");
    let location = Location::File(folder.path().join("shared.db"));
    let first = Database::open(&location).await.expect("it opens");
    first.migrate().await.expect("it migrates");
    // As another process would: connections, locks and readers of its own.
    let second = Database::open(&location).await.expect("it opens again");
    queue(&first, SHARED, "q", 0).await;
    let workers: Vec<_> = [first.clone(), second]
        .into_iter()
        .map(|database| tokio::spawn(claim_all(database)))
        .collect();
    let mut all: Vec<Uuid> = Vec::new();
    for worker in workers {
        let claimed = worker.await.expect("it ends well");
        assert!(!claimed.is_empty(), "both had work");
        all.extend(claimed);
    }
    let distinct: HashSet<&Uuid> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (10_000, 10_000), "each once");
    let left = "SELECT COUNT(*) FROM soniq_jobs WHERE status <> 'processing' OR attempts <> 1";
    assert_eq!(raw::number(&first, left).await, 0);
}

async fn claim_all(database: Database) -> Vec<Uuid> {
    let mut claimed = Vec::new();
    loop {
        let mut tx = database.write().await.expect("nobody waits for long");
        let next = jobs::claim(&mut tx, None, LEASE).await.expect("claim");
        tx.commit().await.expect("commit");
        match next {
            Some(next) => claimed.push(next.id.0),
            None => return claimed,
        }
    }
}
