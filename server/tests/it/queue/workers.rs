//! The worker loop and what becomes of each job.

use super::shared::{enqueue, id};
use crate::support::backend::Backend;
use crate::support::raw;
use app::domain::ids::QueueJobId;
use app::domain::operation::ErrorCategory;
use serde_json::{Value, json};
use server::config::{Retries, Worker as WorkerConfig};
use server::database::Database;
use server::queue::{Job, JobFailure, Registry, Settings, Worker, listen, run_once};
use server::storage::jobs::{self, JobState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

crate::on_every_backend!(
    retries_then_buries,
    a_panic_is_one_jobs_failure,
    bad_arguments_and_crash_loops_are_buried,
    the_loop_works_and_stops,
    a_long_handler_keeps_its_lease_and_stopping_gives_it_back,
    a_handler_that_takes_too_long_fails,
);

fn settings(queue: &str) -> Settings {
    let retries = Retries {
        max_attempts: 3,
        backoff_seconds: vec![0],
    };
    let mut settings = Settings::new(Some(vec![queue.to_owned()]), &WorkerConfig::default(), &retries);
    settings.poll = Duration::from_millis(50);
    settings.grace = Duration::from_millis(300);
    settings
}

async fn dead(database: &Database) -> Vec<Vec<Value>> {
    raw::rows(
        database,
        "SELECT job_name, dead_letter_reason, attempts, last_error FROM soniq_dead_letter_jobs ORDER BY job_name",
    )
    .await
}

async fn wait_for(database: &Database, job: QueueJobId, wanted: JobState) {
    for _ in 0..200 {
        let mut tx = database.read().await.expect("begin");
        let found = jobs::state(&mut tx, job).await.expect("state");
        drop(tx);
        if found == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{job} never became {wanted:?}");
}

async fn retries_then_buries(_backend: Backend, database: Database) {
    let tried = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&tried);
    let registry = Registry::new()
        .on(
            "works",
            |job: Job| async move { Ok(json!({ "n": job.args["n"] })) },
        )
        .on("fails", move |_| {
            seen.fetch_add(1, Ordering::SeqCst);
            async { Err(JobFailure::new(ErrorCategory::StorageFull, "no space left")) }
        })
        .on("hopeless", |_| async {
            Err(JobFailure::permanent(ErrorCategory::Rejected, "never"))
        });
    let works = enqueue(&database, 1, "works", "{\"n\": 7}", "q").await;
    enqueue(&database, 2, "fails", "{}", "q").await;
    enqueue(&database, 3, "hopeless", "{}", "q").await;
    let elsewhere = enqueue(&database, 4, "works", "{}", "another").await;
    assert_eq!(
        run_once(&database, &registry, &settings("q")).await.expect("run"),
        5
    );
    assert_eq!(tried.load(Ordering::SeqCst), 3);
    wait_for(&database, works, JobState::Done).await;
    wait_for(&database, elsewhere, JobState::Queued).await;
    assert_eq!(
        dead(&database).await,
        [
            [
                json!("fails"),
                json!("max_retries_exceeded"),
                json!(3),
                json!("Max retries exceeded: storage_full: no space left")
            ],
            [
                json!("hopeless"),
                json!("permanent_failure"),
                json!(1),
                json!("Retry policy declined: rejected: never")
            ],
        ]
    );
}

async fn a_panic_is_one_jobs_failure(_backend: Backend, database: Database) {
    let registry = Registry::new()
        .on("breaks", |job: Job| async move {
            assert!(job.attempt > 3, "kaputt");
            Ok(Value::Null)
        })
        .on("works", |_| async { Ok(Value::Null) });
    enqueue(&database, 1, "breaks", "{}", "q").await;
    let works = enqueue(&database, 2, "works", "{}", "q").await;
    run_once(&database, &registry, &settings("q")).await.expect("run");
    wait_for(&database, works, JobState::Done).await;
    assert_eq!(
        dead(&database).await,
        [[
            json!("breaks"),
            json!("max_retries_exceeded"),
            json!(3),
            json!("Max retries exceeded: other: handler panicked: kaputt")
        ]]
    );
}

async fn bad_arguments_and_crash_loops_are_buried(_backend: Backend, database: Database) {
    let registry = Registry::new().on("j", |_| async { Ok(Value::Null) });
    for (n, args) in ["null", "[1]", "\"x\"", "1", "1.5", "true"]
        .into_iter()
        .enumerate()
    {
        enqueue(&database, n as u128, "j", args, "q").await;
    }
    enqueue(&database, 9, "j", "{}", "q").await;
    raw::script(
        &database,
        &format!("UPDATE soniq_jobs SET attempts = 3 WHERE id = '{}'", id(9)),
    )
    .await
    .expect("update");
    run_once(&database, &registry, &settings("q")).await.expect("run");
    let mut found: Vec<(String, i64, String)> = dead(&database)
        .await
        .into_iter()
        .map(|row| {
            let text = |at: usize| row[at].as_str().expect("text").to_owned();
            (
                text(1),
                row[2].as_i64().expect("number"),
                text(3).replace("Backend contract violation: job args must be dict, got ", ""),
            )
        })
        .collect();
    found.sort();
    let bad = |kind: &str| ("invalid_arguments".to_owned(), 3, kind.to_owned());
    let crashed = "Max attempts exceeded (job crashed repeatedly)".to_owned();
    let mut wanted: Vec<_> = ["NoneType", "list", "str", "int", "float", "bool"]
        .map(bad)
        .into();
    wanted.push(("max_retries_exceeded".to_owned(), 4, crashed));
    wanted.sort();
    assert_eq!(found, wanted);
}

async fn the_loop_works_and_stops(_backend: Backend, database: Database) {
    let bell = Arc::new(Notify::new());
    let stop = CancellationToken::new();
    let registry = Registry::new().on("works", |_| async { Ok(Value::Null) });
    let mut slow = settings("q");
    slow.poll = Duration::from_secs(3600);
    let worker = Worker {
        database: database.clone(),
        registry: Arc::new(registry),
        settings: Arc::new(slow),
        bell: Arc::clone(&bell),
    };
    let running = tokio::spawn(worker.run(stop.clone()));
    let ear = tokio::spawn(listen(
        database.clone(),
        Some(vec!["q".to_owned()]),
        Arc::clone(&bell),
        stop.clone(),
    ));
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut jobs = Vec::new();
    for n in 0..10 {
        jobs.push(enqueue(&database, n, "works", "{}", "q").await);
    }
    // SQLite announces nothing: whoever queues in this process rings.
    bell.notify_one();
    for job in jobs {
        wait_for(&database, job, JobState::Done).await;
    }
    stop.cancel();
    tokio::time::timeout(Duration::from_secs(5), running)
        .await
        .expect("it stops")
        .expect("in good order");
    tokio::time::timeout(Duration::from_secs(5), ear)
        .await
        .expect("it stops")
        .expect("in good order");
}

async fn a_long_handler_keeps_its_lease_and_stopping_gives_it_back(_backend: Backend, database: Database) {
    let started = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&started);
    let registry = Registry::new().on("long", move |_| {
        seen.fetch_add(1, Ordering::SeqCst);
        async {
            tokio::time::sleep(Duration::from_secs(600)).await;
            Ok(Value::Null)
        }
    });
    let mut short = settings("q");
    short.lease = Duration::from_millis(900);
    let worker = Worker {
        database: database.clone(),
        registry: Arc::new(registry),
        settings: Arc::new(short),
        bell: Arc::new(Notify::new()),
    };
    let job = enqueue(&database, 1, "long", "{}", "q").await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(worker.run(stop.clone()));
    wait_for(&database, job, JobState::Processing).await;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(started.load(Ordering::SeqCst), 1, "the lease was renewed");
    stop.cancel();
    tokio::time::timeout(Duration::from_secs(5), running)
        .await
        .expect("it stops")
        .expect("in good order");
    wait_for(&database, job, JobState::Queued).await;
    assert_eq!(raw::number(&database, "SELECT COUNT(*) FROM dlo_leases").await, 0);
}

async fn a_handler_that_takes_too_long_fails(_backend: Backend, database: Database) {
    let registry = Registry::new().on("long", |_| async {
        tokio::time::sleep(Duration::from_secs(600)).await;
        Ok(Value::Null)
    });
    let mut bounded = settings("q");
    bounded.timeout = Some(Duration::from_millis(50));
    enqueue(&database, 1, "long", "{}", "q").await;
    run_once(&database, &registry, &bounded).await.expect("run");
    let rows = dead(&database).await;
    assert_eq!(
        rows[0][3],
        json!("Max retries exceeded: timeout: Job timed out after 0.05s")
    );
}
