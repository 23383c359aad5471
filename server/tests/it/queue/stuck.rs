//! Jobs that nobody carries on are shown, each with what it means, and left as they are.

use super::shared::{caller, id, json};
use crate::support::app::TestApp;
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::desk::{QueuesView, StuckKind};
use app::domain::role::Role;
use chrono::Duration;
use server::config::Config;
use server::database::{Database, Value};
use server::office::Office;
use server::values;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

crate::on_every_backend!(
    each_way_to_hang_is_shown,
    a_long_backlog_is_counted_whole,
    the_dead_table_is_measured
);

/// A job, in minutes before now.
struct Job {
    n: u128,
    status: &'static str,
    queue: Option<&'static str>,
    attempts: Option<i64>,
    due: i64,
    touched: i64,
    worker: Option<Uuid>,
}

impl Default for Job {
    fn default() -> Self {
        Self {
            n: 0,
            status: "processing",
            queue: Some("render"),
            attempts: Some(1),
            due: 60,
            touched: 60,
            worker: None,
        }
    }
}

async fn put(database: &Database, job: &Job) {
    let mut tx = database.write().await.expect("begin");
    let now = tx.now();
    tx.execute(
        "INSERT INTO soniq_jobs (id, job_name, args, status, queue, attempts, max_attempts, priority, scheduled_at, \
         worker_id, created_at, updated_at) VALUES ($1, 'render.poll', $2, $3, $4, $5, 3, 100, $6, $7, $6, $8)",
        values![
            id(job.n),
            json("{}"),
            job.status,
            job.queue,
            job.attempts,
            now - Duration::minutes(job.due),
            job.worker,
            now - Duration::minutes(job.touched)
        ],
    )
    .await
    .expect("insert");
    tx.commit().await.expect("commit");
}

async fn worker(database: &Database, n: u128, status: &str, heard: i64) -> Uuid {
    let mut tx = database.write().await.expect("begin");
    let now = tx.now();
    let queues = tx.pick("'{render}'", "'[\"render\"]'");
    let sql = format!(
        "INSERT INTO soniq_workers (id, hostname, pid, queues, status, last_heartbeat, started_at) \
         VALUES ($1, 'host', $2, {queues}, $3, $4, $5)"
    );
    tx.execute(
        &sql,
        values![
            id(n),
            i32::try_from(n).expect("small"),
            status,
            now - Duration::minutes(heard),
            now - Duration::hours(9)
        ],
    )
    .await
    .expect("insert");
    tx.commit().await.expect("commit");
    id(n)
}

async fn lease(database: &Database, n: u128, minutes: i64) {
    let mut tx = database.write().await.expect("begin");
    let until = tx.now() + Duration::minutes(minutes);
    tx.execute(
        "INSERT INTO dlo_leases (job_id, attempt, until_at) VALUES ($1, 1, $2)",
        values![id(n), until],
    )
    .await
    .expect("insert");
    tx.commit().await.expect("commit");
}

async fn seen(database: &Database) -> QueuesView {
    Office::new(database.clone(), Arc::new(Config::default()))
        .queues(&caller(Role::Viewer))
        .await
        .expect("the queues")
}

async fn each_way_to_hang_is_shown(backend: Backend, database: Database) {
    let living = worker(&database, 201, "active", 0).await;
    let silent = worker(&database, 202, "active", 30).await;
    let stopped = worker(&database, 203, "stopped", 0).await;
    let none = Job::default;
    let queued = || Job {
        status: "queued",
        attempts: Some(0),
        ..Job::default()
    };
    let jobs = [
        // Stuck.
        (
            Job {
                n: 1,
                queue: None,
                ..queued()
            },
            Some(StuckKind::NoQueue),
        ),
        (
            Job {
                n: 2,
                attempts: None,
                ..queued()
            },
            Some(StuckKind::NoAttempts),
        ),
        (
            Job {
                n: 3,
                attempts: None,
                touched: 0,
                ..none()
            },
            Some(StuckKind::NoAttempts),
        ),
        (Job { n: 4, ..none() }, Some(StuckKind::LeaseOver)),
        (
            Job {
                n: 5,
                worker: Some(silent),
                touched: 0,
                ..none()
            },
            Some(StuckKind::WorkerGone),
        ),
        (
            Job {
                n: 6,
                worker: Some(stopped),
                ..none()
            },
            Some(StuckKind::WorkerGone),
        ),
        (Job { n: 7, ..none() }, Some(StuckKind::NoWorker)),
        (
            Job {
                n: 8,
                worker: Some(living),
                ..none()
            },
            Some(StuckKind::TooLong),
        ),
        (Job { n: 9, ..queued() }, Some(StuckKind::NeverClaimed)),
        (
            Job {
                n: 10,
                queue: Some("nobodys"),
                ..queued()
            },
            Some(StuckKind::NeverClaimed),
        ),
        // At work, just due, due later, over.
        (Job { n: 21, ..none() }, None),
        (
            Job {
                n: 22,
                worker: Some(living),
                touched: 2,
                ..none()
            },
            None,
        ),
        (
            Job {
                n: 23,
                touched: 1,
                ..none()
            },
            None,
        ),
        (
            Job {
                n: 24,
                due: 1,
                ..queued()
            },
            None,
        ),
        (
            Job {
                n: 25,
                due: -60,
                ..queued()
            },
            None,
        ),
        (
            Job {
                n: 26,
                status: "done",
                ..none()
            },
            None,
        ),
        (
            Job {
                n: 27,
                status: "cancelled",
                attempts: None,
                ..none()
            },
            None,
        ),
    ];
    for (job, _) in &jobs {
        put(&database, job).await;
    }
    lease(&database, 4, -10).await;
    lease(&database, 21, 1).await;
    let mut wanted: BTreeMap<String, StuckKind> = jobs
        .iter()
        .filter_map(|(job, stuck)| Some((id(job.n).to_string(), (*stuck)?)))
        .collect();
    if backend.kind != Kind::Postgres {
        // Python's text of no time: later than every moment, and never reached. And an ordinary far moment.
        for (n, at) in [(11, "soon"), (28, "2999-01-01T00:00:00+00:00")] {
            put(&database, &Job { n, ..queued() }).await;
            let sql = format!(
                "UPDATE soniq_jobs SET scheduled_at = '{at}' WHERE id = '{}'",
                id(n)
            );
            raw::script(&database, &sql).await.expect("update");
        }
        wanted.insert(id(11).to_string(), StuckKind::UnreadableTime);
        // There a worker may be gone from the table altogether.
        put(
            &database,
            &Job {
                n: 12,
                worker: Some(id(299)),
                ..none()
            },
        )
        .await;
        wanted.insert(id(12).to_string(), StuckKind::WorkerGone);
    }
    let before = raw::rows(
        &database,
        "SELECT id, status, attempts, queue FROM soniq_jobs ORDER BY id",
    )
    .await;
    let queues = seen(&database).await;
    let found: BTreeMap<String, StuckKind> = queues
        .stuck
        .items
        .iter()
        .map(|job| (job.id.clone(), job.stuck))
        .collect();
    assert_eq!(found, wanted);
    let counted: i64 = queues.stuck.counts.iter().map(|count| count.jobs).sum();
    assert_eq!(usize::try_from(counted), Ok(wanted.len()));
    for job in &queues.stuck.items {
        assert!(job.means.starts_with(job.stuck.means()), "{job:?}");
    }
    let means = |n: u128| {
        let job = queues.stuck.items.iter().find(|job| job.id == id(n).to_string());
        job.expect("it is stuck").means.clone()
    };
    assert!(
        means(9).contains("Living Soniq workers that take the queue render: 1."),
        "{}",
        means(9)
    );
    assert!(
        means(10).contains("none takes the queue nobodys"),
        "{}",
        means(10)
    );
    assert!(
        means(1).contains("none takes jobs without a queue"),
        "{}",
        means(1)
    );
    let after = raw::rows(
        &database,
        "SELECT id, status, attempts, queue FROM soniq_jobs ORDER BY id",
    )
    .await;
    assert_eq!(before, after, "nothing was touched");

    let app = TestApp::start(backend, database, Config::default()).await;
    let answer = app.get(Role::Viewer, "/api/v1/queues").await.expect(200).json();
    assert_eq!(
        answer["stuck"]["items"].as_array().map(Vec::len),
        Some(wanted.len()),
        "{answer:#}"
    );
    let page = app.signed_in(Role::Viewer).await.get("/queues").await.expect(200);
    for (id, stuck) in &wanted {
        assert!(
            page.has(&format!("tr[data-stuck={stuck}][data-job='{id}']")),
            "{id}: {stuck}"
        );
    }
    assert!(
        page.body
            .contains("no worker with a list of queues ever picks it")
    );
}

async fn a_long_backlog_is_counted_whole(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    let due = tx.now() - Duration::hours(1);
    for n in 0..130 {
        let row: Vec<Value> = values![id(n), json("{}"), due, due - Duration::hours(1)];
        tx.execute(
            "INSERT INTO soniq_jobs (id, job_name, args, status, queue, attempts, max_attempts, priority, scheduled_at, \
             created_at, updated_at) VALUES ($1, 'j', $2, 'queued', 'q', 0, 3, 100, $3, $4, $4)",
            row,
        )
        .await
        .expect("insert");
    }
    tx.commit().await.expect("commit");
    put(
        &database,
        &Job {
            n: 900,
            ..Job::default()
        },
    )
    .await;
    let stuck = seen(&database).await.stuck;
    assert_eq!(stuck.items.len(), 100);
    let counted: Vec<(StuckKind, i64)> = stuck
        .counts
        .iter()
        .map(|count| (count.stuck, count.jobs))
        .collect();
    assert_eq!(
        counted,
        [(StuckKind::NoWorker, 1), (StuckKind::NeverClaimed, 130)]
    );
    assert!(
        stuck.items.iter().any(|job| job.stuck == StuckKind::NoWorker),
        "a backlog hides nothing that hangs for ever"
    );
}

async fn the_dead_table_is_measured(_backend: Backend, database: Database) {
    assert_eq!(seen(&database).await.dead_letters.rows, 0);
    let now = database.read().await.expect("begin").now();
    let days = [0, 1, 3, 6, 30, 200];
    for (n, days) in (1..).zip(days) {
        super::shared::bury(
            &database,
            &super::shared::Letter {
                n,
                died_at: now - Duration::days(days) - Duration::hours(1),
                ..super::shared::Letter::default()
            },
        )
        .await;
    }
    super::shared::project(&database).await;
    let office = Office::new(database.clone(), Arc::new(Config::default()));
    for n in [3, 5] {
        let letter = id(n).to_string();
        office
            .purge(&caller(Role::Approver), &letter, "old", &letter, &letter)
            .await
            .expect("purged");
    }
    let table = seen(&database).await.dead_letters;
    assert_eq!(table.rows, 4);
    assert_eq!(
        (table.died_last_day, table.died_last_week, table.purged_last_week),
        (1, 4, 2),
        "{table:?}"
    );
    // Four died and two went in seven days.
    assert!((table.growth_per_day - 0.3).abs() < 0.001, "{table:?}");
    let oldest = table.oldest_at.expect("an oldest");
    assert_eq!((now - oldest).num_days(), 200);
    assert!(table.bytes > 4 * 100, "{table:?}");
}
