//! `soniq_jobs`: the jobs of the application and of our own worker, as Soniq's workers write them.
//!
//! A claimed job is fenced by its attempt: each claim counts `attempts` on, and everything that ends the claim
//! (`finish`, `retry`, `release`, a move) asks for the attempt that it holds.

mod claim;
mod end;
mod lease;

pub use claim::{Claimed, claim, has_claimable};
pub use end::{finish, move_to_dead_letters, put_back, release, retry, sweep_done};
pub use lease::{has_lost, holds, renew, requeue_lost};

pub use app::domain::protocol::JobState;

use crate::database::{DbError, Tx};
use crate::values;
use app::domain::ids::QueueJobId;
use chrono::{DateTime, Utc};
use serde_json::value::RawValue;

/// The queue that our own worker serves, and nobody else.
pub const OWN_QUEUE: &str = "dead-letter-office";
/// Channel on which Soniq and we announce new jobs; the payload is the queue's name.
pub const NEW_JOB_CHANNEL: &str = "soniq_new_job";
/// Priority of a job when nobody says otherwise (the column's default).
pub const DEFAULT_PRIORITY: i64 = 100;
/// PostgreSQL refuses a longer payload, in bytes.
const MAX_PAYLOAD: usize = 7999;
/// The longest error text that Soniq keeps, in characters.
pub const MAX_ERROR: usize = 8192;

/// A job to be queued.
#[derive(Debug, Clone)]
pub struct NewJob<'a> {
    pub id: QueueJobId,
    pub job_name: &'a str,
    /// A JSON object.
    pub args: &'a RawValue,
    pub queue: &'a str,
    /// Lower goes first.
    pub priority: i64,
    pub max_attempts: i64,
    /// Not claimed before; `None`: at once.
    pub scheduled_at: Option<DateTime<Utc>>,
}

/// Queues a job and wakes the workers of its queue when the transaction commits.
pub async fn enqueue(tx: &mut Tx, job: &NewJob<'_>) -> Result<(), DbError> {
    let now = tx.now();
    tx.execute(
        "INSERT INTO soniq_jobs (id, job_name, args, status, attempts, max_attempts, queue, priority, scheduled_at, \
         created_at, updated_at) VALUES ($1, $2, $3, 'queued', 0, $4, $5, $6, $7, $8, $8)",
        values![
            job.id,
            job.job_name,
            job.args.to_owned(),
            job.max_attempts,
            job.queue,
            job.priority,
            job.scheduled_at,
            now
        ],
    )
    .await?;
    announce(tx, job.queue).await
}

/// Wakes workers that listen (PostgreSQL), when the transaction commits. A queue whose name no payload holds is polled.
pub async fn announce(tx: &mut Tx, queue: &str) -> Result<(), DbError> {
    if queue.len() > MAX_PAYLOAD {
        return Ok(());
    }
    match tx.pick("SELECT pg_notify('soniq_new_job', $1)", "") {
        "" => Ok(()),
        sql => tx.execute(sql, values![queue]).await.map(drop),
    }
}

/// Where the job stands.
pub async fn state(tx: &mut Tx, id: QueueJobId) -> Result<JobState, DbError> {
    let row = tx
        .fetch_one(
            "SELECT (SELECT status FROM soniq_jobs WHERE id = $1) AS status, \
             EXISTS (SELECT 1 FROM soniq_dead_letter_jobs WHERE id = $1) AS dead",
            values![id],
        )
        .await?;
    let dead = row.flag("dead")?;
    match row.opt_text("status")?.as_deref() {
        Some("queued") => Ok(JobState::Queued),
        Some("processing") => Ok(JobState::Processing),
        Some("done") => Ok(JobState::Done),
        Some("cancelled") => Ok(JobState::Cancelled),
        None if dead => Ok(JobState::Dead),
        None => Ok(JobState::Missing),
        Some(_) => Err(DbError::Inconsistent {
            table: "soniq_jobs",
            column: "status",
            id: id.to_string(),
        }),
    }
}

/// Cancels a job that nobody has claimed. `false` when it is not queued (any more).
pub async fn cancel(tx: &mut Tx, id: QueueJobId) -> Result<bool, DbError> {
    let now = tx.now();
    let changed = tx
        .execute(
            "UPDATE soniq_jobs SET status = 'cancelled', updated_at = $2 WHERE id = $1 AND status = 'queued'",
            values![id, now],
        )
        .await?;
    Ok(changed == 1)
}
