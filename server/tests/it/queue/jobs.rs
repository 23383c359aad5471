//! Claiming and ending jobs.

use super::shared::{enqueue, id, json};
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::domain::ids::QueueJobId;
use chrono::{Duration, Utc};
use serde_json::json as value;
use server::database::Database;
use server::storage::jobs::{self, JobState};
use server::storage::stats;
use server::values;
use std::collections::BTreeSet;

crate::on_every_backend!(
    are_claimed_in_soniqs_order,
    two_workers_never_win_the_same,
    only_the_holder_ends_a_claim,
    are_cancelled_only_before_the_claim,
    lost_claims_are_taken_up_again,
    a_move_copies_and_never_hangs,
    stats_are_never_off_while_jobs_move,
);

const LEASE: Duration = Duration::seconds(30);

async fn claim(database: &Database) -> Option<jobs::Claimed> {
    let mut tx = database.write().await.expect("begin");
    let claimed = jobs::claim(&mut tx, None, LEASE).await.expect("claim");
    tx.commit().await.expect("commit");
    claimed
}

async fn state(database: &Database, id: QueueJobId) -> JobState {
    let mut tx = database.read().await.expect("begin");
    jobs::state(&mut tx, id).await.expect("state")
}

async fn are_claimed_in_soniqs_order(_backend: Backend, database: Database) {
    let now = Utc::now();
    let rows = [
        (1, Some(now - Duration::minutes(1)), 100, 0),
        (2, None, 100, 2),
        (3, None, 100, 1),
        (4, Some(now + Duration::hours(1)), 1, 0),
        (5, Some(now - Duration::minutes(2)), 100, 0),
        (6, None, 50, 9),
    ];
    let mut tx = database.write().await.expect("begin");
    for (n, scheduled_at, priority, created) in rows {
        tx.execute(
            "INSERT INTO soniq_jobs (id, job_name, args, queue, priority, max_attempts, attempts, scheduled_at, created_at) \
             VALUES ($1, 'j', $2, 'render', $3, NULL, NULL, $4, $5)",
            values![id(n), json("{\"n\": 1.0}"), priority, scheduled_at, now + Duration::seconds(created)],
        )
        .await
        .expect("insert");
    }
    tx.commit().await.expect("commit");
    let mut tx = database.write().await.expect("begin");
    let other = jobs::claim(&mut tx, Some(&["other".to_owned()]), LEASE)
        .await
        .expect("claim");
    assert!(other.is_none(), "another queue's job");
    tx.rollback().await.expect("rollback");
    let mut order = Vec::new();
    while let Some(claimed) = claim(&database).await {
        assert_eq!(
            (claimed.attempt, claimed.max_attempts),
            (1, 3),
            "NULLs are the columns' defaults"
        );
        order.push(claimed.id.0);
    }
    assert_eq!(order, [6, 3, 2, 5, 1].map(id));
    assert_eq!(
        raw::number(
            &database,
            "SELECT COUNT(*) FROM soniq_jobs WHERE worker_id IS NOT NULL"
        )
        .await,
        0
    );
}

async fn two_workers_never_win_the_same(backend: Backend, database: Database) {
    let total: i64 = match backend.kind {
        Kind::Sqlite => 2000,
        Kind::Memory | Kind::Postgres => 300,
    };
    let mut tx = database.write().await.expect("begin");
    for n in 0..total {
        tx.execute(
            "INSERT INTO soniq_jobs (id, job_name, args, queue, created_at) VALUES ($1, 'j', $2, 'render', $3)",
            values![id(u128::try_from(n).expect("small")), json("{}"), Utc::now()],
        )
        .await
        .expect("insert");
    }
    tx.commit().await.expect("commit");
    // A second connection to the same file, as another process would have.
    let second = match backend.kind {
        Kind::Memory => database.clone(),
        Kind::Sqlite | Kind::Postgres => Database::open(&backend.location).await.expect("open"),
    };
    let worker = |database: Database| {
        tokio::spawn(async move {
            let mut won = Vec::new();
            while let Some(claimed) = claim(&database).await {
                won.push(claimed.id);
            }
            won
        })
    };
    let (first, second) = (worker(database.clone()), worker(second));
    let mut won = first.await.expect("a worker");
    won.extend(second.await.expect("a worker"));
    assert_eq!(won.len(), usize::try_from(total).expect("small"));
    assert_eq!(
        won.iter().collect::<BTreeSet<_>>().len(),
        won.len(),
        "some job was won twice"
    );
    assert_eq!(
        raw::number(&database, "SELECT COUNT(*) FROM soniq_jobs WHERE attempts = 1").await,
        total
    );
}

async fn only_the_holder_ends_a_claim(_backend: Backend, database: Database) {
    let job = enqueue(&database, 1, "j", "{}", "render").await;
    let first = claim(&database).await.expect("a job");
    let mut tx = database.write().await.expect("begin");
    assert!(
        jobs::retry(&mut tx, job, first.attempt, "once", Duration::zero())
            .await
            .expect("retry")
    );
    tx.commit().await.expect("commit");
    let second = claim(&database).await.expect("the job again");
    assert_eq!(second.attempt, 2);
    let mut tx = database.write().await.expect("begin");
    let late = json("{\"late\": true}");
    assert!(
        !jobs::finish(&mut tx, job, first.attempt, Some(late), LEASE)
            .await
            .expect("finish")
    );
    assert!(
        !jobs::retry(&mut tx, job, first.attempt, "late", LEASE)
            .await
            .expect("retry")
    );
    assert!(!jobs::release(&mut tx, job, first.attempt).await.expect("release"));
    assert!(
        jobs::renew(&mut tx, job, first.attempt, LEASE)
            .await
            .expect("renew")
            .is_none()
    );
    assert!(
        jobs::renew(&mut tx, job, second.attempt, LEASE)
            .await
            .expect("renew")
            .is_some()
    );
    assert!(
        jobs::finish(&mut tx, job, second.attempt, Some(json("{\"ok\": 1}")), LEASE)
            .await
            .expect("finish")
    );
    assert!(
        !jobs::finish(&mut tx, job, second.attempt, None, LEASE)
            .await
            .expect("finish"),
        "done once"
    );
    tx.commit().await.expect("commit");
    assert_eq!(state(&database, job).await, JobState::Done);
    assert_eq!(raw::number(&database, "SELECT COUNT(*) FROM dlo_leases").await, 0);
    let kept = raw::rows(
        &database,
        "SELECT CAST(result AS TEXT), last_error, expires_at IS NOT NULL FROM soniq_jobs",
    )
    .await;
    assert_eq!(kept, [[value!("{\"ok\": 1}"), value!("once"), value!(1)]]);
}

async fn are_cancelled_only_before_the_claim(_backend: Backend, database: Database) {
    let job = enqueue(&database, 1, "j", "{}", "render").await;
    assert_eq!(state(&database, job).await, JobState::Queued);
    let mut tx = database.write().await.expect("begin");
    assert!(jobs::cancel(&mut tx, job).await.expect("cancel"));
    assert!(!jobs::cancel(&mut tx, job).await.expect("cancel"), "once");
    tx.commit().await.expect("commit");
    assert_eq!(state(&database, job).await, JobState::Cancelled);
    assert!(claim(&database).await.is_none());
    let job = enqueue(&database, 2, "j", "{}", "render").await;
    claim(&database).await.expect("a job");
    let mut tx = database.write().await.expect("begin");
    assert!(!jobs::cancel(&mut tx, job).await.expect("cancel"));
    assert_eq!(
        jobs::state(&mut tx, job).await.expect("state"),
        JobState::Processing
    );
    assert_eq!(
        jobs::state(&mut tx, QueueJobId(id(99))).await.expect("state"),
        JobState::Missing
    );
}

async fn lost_claims_are_taken_up_again(_backend: Backend, database: Database) {
    let ours = enqueue(&database, 1, "j", "{}", jobs::OWN_QUEUE).await;
    let theirs = enqueue(&database, 2, "j", "{}", "render").await;
    let stranger = enqueue(&database, 3, "j", "{}", jobs::OWN_QUEUE).await;
    let mut tx = database.write().await.expect("begin");
    for _ in 0..2 {
        jobs::claim(&mut tx, None, Duration::milliseconds(1))
            .await
            .expect("claim")
            .expect("a job");
    }
    // Somebody else's worker took this one: no lease of ours.
    let long_ago = tx.now() - Duration::hours(1);
    tx.execute(
        "UPDATE soniq_jobs SET status = 'processing', attempts = 1, updated_at = $2 WHERE id = $1",
        values![stranger, long_ago],
    )
    .await
    .expect("update");
    tx.commit().await.expect("commit");
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let mut tx = database.write().await.expect("begin");
    assert!(jobs::has_lost(&mut tx, LEASE).await.expect("look"));
    assert_eq!(jobs::requeue_lost(&mut tx, LEASE).await.expect("requeue"), 3);
    assert!(!jobs::has_lost(&mut tx, LEASE).await.expect("look"));
    for job in [ours, theirs, stranger] {
        assert_eq!(jobs::state(&mut tx, job).await.expect("state"), JobState::Queued);
    }
    tx.commit().await.expect("commit");
    assert_eq!(
        claim(&database).await.expect("again").attempt,
        2,
        "the attempt stays counted"
    );
}

async fn a_move_copies_and_never_hangs(backend: Backend, database: Database) {
    // What Soniq's own move fails on: null arguments, NULL columns, a NUL in the error.
    let mut tx = database.write().await.expect("begin");
    tx.execute(
        "INSERT INTO soniq_jobs (id, job_name, args, queue, priority, max_attempts, created_at, status, attempts) \
         VALUES ($1, 'j', $2, NULL, NULL, NULL, NULL, 'processing', 1)",
        values![id(1), json("null")],
    )
    .await
    .expect("insert");
    let job = QueueJobId(id(1));
    assert!(
        jobs::move_to_dead_letters(&mut tx, job, "job_not_found", None, "a\0b")
            .await
            .expect("move")
    );
    assert!(
        !jobs::move_to_dead_letters(&mut tx, job, "job_not_found", None, "")
            .await
            .expect("move"),
        "once"
    );
    assert_eq!(jobs::state(&mut tx, job).await.expect("state"), JobState::Dead);
    tx.commit().await.expect("commit");
    let rows = raw::rows(
        &database,
        "SELECT CAST(args AS TEXT), queue, priority, max_attempts, attempts FROM soniq_dead_letter_jobs \
         WHERE original_created_at = moved_to_dead_letter_at AND moved_to_dead_letter_at = created_at",
    )
    .await;
    assert_eq!(
        rows,
        [[
            value!("null"),
            value!("default"),
            value!(100),
            value!(3),
            value!(3)
        ]]
    );
    if backend.kind != Kind::Postgres {
        assert_eq!(
            raw::texts(&database, "SELECT hex(last_error) FROM soniq_dead_letter_jobs").await,
            ["610062"]
        );
    }
}

async fn stats_are_never_off_while_jobs_move(_backend: Backend, database: Database) {
    const JOBS: i64 = 120;
    for n in 0..JOBS {
        enqueue(
            &database,
            u128::try_from(n).expect("small"),
            "j",
            "{}",
            if n % 2 == 0 { "a" } else { "b" },
        )
        .await;
    }
    let mover = {
        let database = database.clone();
        tokio::spawn(async move {
            while let Some(claimed) = claim(&database).await {
                let mut tx = database.write().await.expect("begin");
                jobs::move_to_dead_letters(&mut tx, claimed.id, "permanent_failure", Some(1), "e")
                    .await
                    .expect("move");
                tx.commit().await.expect("commit");
            }
        })
    };
    loop {
        let ended = mover.is_finished();
        let mut tx = database.read().await.expect("begin");
        let view = stats::read(&mut tx).await.expect("stats");
        drop(tx);
        assert_eq!(view.totals.total, JOBS, "{view:?}");
        assert_eq!(
            view.queues.iter().map(|queue| queue.totals.total).sum::<i64>(),
            JOBS
        );
        if ended {
            assert_eq!(view.totals.dead_letter, JOBS);
            break;
        }
        tokio::task::yield_now().await;
    }
    mover.await.expect("the mover");
}
