//! How a claim ends: done, tried again later, given back, or moved to the dead letters.

use super::{MAX_ERROR, lease};
use crate::database::{DbError, Tx};
use crate::values;
use app::domain::ids::QueueJobId;
use chrono::Duration;
use serde_json::value::RawValue;

/// The job is done; Soniq's clean-up (or [`sweep_done`]) removes the row after `keep`. `false`: the claim is not held.
pub async fn finish(
    tx: &mut Tx,
    id: QueueJobId,
    attempt: i64,
    result: Option<Box<RawValue>>,
    keep: Duration,
) -> Result<bool, DbError> {
    let now = tx.now();
    let changed = tx
        .execute(
            "UPDATE soniq_jobs SET status = 'done', result = COALESCE($3, result), expires_at = $4, updated_at = $5 \
             WHERE id = $1 AND attempts = $2 AND status = 'processing'",
            values![id, attempt, result, now + keep, now],
        )
        .await?;
    lease::drop_lease(tx, id, attempt).await?;
    Ok(changed == 1)
}

/// Back to the queue after a failure, to be claimed after `delay`. `false`: the claim is not held.
pub async fn retry(
    tx: &mut Tx,
    id: QueueJobId,
    attempt: i64,
    error: &str,
    delay: Duration,
) -> Result<bool, DbError> {
    let now = tx.now();
    let due = (delay > Duration::zero()).then_some(now + delay);
    let changed = tx
        .execute(
            "UPDATE soniq_jobs SET status = 'queued', last_error = $3, scheduled_at = $4, updated_at = $5 \
             WHERE id = $1 AND attempts = $2 AND status = 'processing'",
            values![id, attempt, cut(error), due, now],
        )
        .await?;
    lease::drop_lease(tx, id, attempt).await?;
    Ok(changed == 1)
}

/// Back to the queue untried, for a worker that stops. The attempt stays counted. `false`: the claim is not held.
pub async fn release(tx: &mut Tx, id: QueueJobId, attempt: i64) -> Result<bool, DbError> {
    let now = tx.now();
    let changed = tx
        .execute(
            "UPDATE soniq_jobs SET status = 'queued', scheduled_at = $3, updated_at = $3 \
             WHERE id = $1 AND attempts = $2 AND status = 'processing'",
            values![id, attempt, now],
        )
        .await?;
    lease::drop_lease(tx, id, attempt).await?;
    Ok(changed == 1)
}

/// Back to the queue, to be claimed after `delay`, with so many attempts `spent`: polling spends none. Only for work that
/// creates nothing, whose recovery has a fence of its own. `false`: the claim is not held.
pub async fn put_back(
    tx: &mut Tx,
    id: QueueJobId,
    attempt: i64,
    delay: Duration,
    spent: i64,
) -> Result<bool, DbError> {
    let now = tx.now();
    let changed = tx
        .execute(
            "UPDATE soniq_jobs SET status = 'queued', attempts = $5, scheduled_at = $3, updated_at = $4 \
             WHERE id = $1 AND attempts = $2 AND status = 'processing'",
            values![id, attempt, now + delay, now, spent],
        )
        .await?;
    lease::drop_lease(tx, id, attempt).await?;
    Ok(changed == 1)
}

/// Moves the job to the dead letters under its own id: copied in SQL, byte for byte, and gone from `soniq_jobs`.
///
/// `attempts: None` writes `max_attempts`, as Soniq does for a job that can never succeed. A NULL that the dead table
/// forbids becomes the column's default, so that a move cannot hang. `false` when there is no such job.
pub async fn move_to_dead_letters(
    tx: &mut Tx,
    id: QueueJobId,
    reason: &str,
    attempts: Option<i64>,
    error: &str,
) -> Result<bool, DbError> {
    let now = tx.now();
    let lock = format!(
        "SELECT 1 AS found FROM soniq_jobs WHERE id = $1{}",
        tx.for_update()
    );
    if tx.fetch_optional(&lock, values![id]).await?.is_none() {
        return Ok(false);
    }
    tx.execute(
        "INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, last_error, \
         dead_letter_reason, original_created_at, moved_to_dead_letter_at, resurrection_count, last_resurrection_at, \
         tags, created_at) \
         SELECT id, job_name, args, COALESCE(queue, 'default'), COALESCE(priority, 100), COALESCE(max_attempts, 3), \
         COALESCE($2, max_attempts, 3), $3, $4, COALESCE(created_at, $5), $5, 0, NULL, NULL, $5 \
         FROM soniq_jobs WHERE id = $1",
        values![id, attempts, cut(error), reason, now],
    )
    .await?;
    tx.execute("DELETE FROM soniq_jobs WHERE id = $1", values![id])
        .await?;
    tx.execute("DELETE FROM dlo_leases WHERE job_id = $1", values![id])
        .await?;
    Ok(true)
}

/// Removes what is done and kept long enough, from the given queues only: they are this worker's own.
pub async fn sweep_done(tx: &mut Tx, queues: &[String]) -> Result<u64, DbError> {
    let now = tx.now();
    let mut removed = 0;
    for queue in queues {
        removed += tx
            .execute(
                "DELETE FROM soniq_jobs WHERE queue = $1 AND status = 'done' AND expires_at < $2",
                values![queue, now],
            )
            .await?;
    }
    Ok(removed)
}

/// As much of an error text as Soniq keeps.
fn cut(error: &str) -> String {
    error.chars().take(MAX_ERROR).collect()
}
