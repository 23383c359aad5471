//! Leases: who works on a claimed job, and until when. They live in our table, because Soniq has none and its clean-up
//! must not decide about our rows.

use super::OWN_QUEUE;
use crate::database::{DbError, Tx};
use crate::values;
use app::domain::ids::QueueJobId;
use chrono::{DateTime, Duration, Utc};

/// Extends a lease that is still held, and with it the running recovery's. Answers until when; `None`: it is lost.
///
/// Never called for creations.
pub async fn renew(
    tx: &mut Tx,
    id: QueueJobId,
    attempt: i64,
    lease: Duration,
) -> Result<Option<DateTime<Utc>>, DbError> {
    // The recovery before its job: the lock order of every transaction.
    let sql = format!(
        "SELECT id FROM dlo_recoveries WHERE queue_job_id = $1 AND finished_at IS NULL{}",
        tx.for_update()
    );
    tx.fetch_optional(&sql, values![id]).await?;
    if !holds(tx, id, attempt).await? {
        return Ok(None);
    }
    let until = tx.now() + lease;
    tx.execute(
        "UPDATE dlo_leases SET until_at = $3 WHERE job_id = $1 AND attempt = $2",
        values![id, attempt, until],
    )
    .await?;
    tx.execute(
        "UPDATE dlo_recoveries SET lease_until = $2 \
         WHERE queue_job_id = $1 AND finished_at IS NULL AND lease_until IS NOT NULL",
        values![id, until],
    )
    .await?;
    Ok(Some(until))
}

/// Whether the claim with this attempt still stands; locks the job's row until the transaction ends.
pub async fn holds(tx: &mut Tx, id: QueueJobId, attempt: i64) -> Result<bool, DbError> {
    let sql = format!(
        "SELECT 1 AS held FROM soniq_jobs WHERE id = $1 AND attempts = $2 AND status = 'processing'{}",
        tx.for_update()
    );
    Ok(tx.fetch_optional(&sql, values![id, attempt]).await?.is_some())
}

/// Whether [`requeue_lost`] would find anything: asked before the write lock is taken.
pub async fn has_lost(tx: &mut Tx, lease: Duration) -> Result<bool, DbError> {
    let now = tx.now();
    let sql = "SELECT EXISTS (SELECT 1 FROM dlo_leases WHERE until_at <= $1) \
               OR EXISTS (SELECT 1 FROM soniq_jobs j WHERE j.queue = $2 AND j.status = 'processing' \
               AND j.updated_at <= $3 AND NOT EXISTS (SELECT 1 FROM dlo_leases l WHERE l.job_id = j.id)) AS found";
    tx.fetch_one(sql, values![now, OWN_QUEUE, now - lease])
        .await?
        .flag("found")
}

/// Puts back, without backoff, what a worker of ours claimed and did not end before its lease did.
///
/// A row of our own queue that is `processing` without any lease (somebody else's worker took it) counts as lost when
/// nothing has touched it for `lease`. Rows of other queues are taken up only under a lease of ours.
pub async fn requeue_lost(tx: &mut Tx, lease: Duration) -> Result<u64, DbError> {
    let now = tx.now();
    let requeued = tx
        .execute(
            "UPDATE soniq_jobs SET status = 'queued', updated_at = $1 WHERE status = 'processing' AND ( \
             EXISTS (SELECT 1 FROM dlo_leases l WHERE l.job_id = soniq_jobs.id \
             AND l.attempt = soniq_jobs.attempts AND l.until_at <= $1) \
             OR (queue = $2 AND updated_at <= $3 \
             AND NOT EXISTS (SELECT 1 FROM dlo_leases l WHERE l.job_id = soniq_jobs.id)))",
            values![now, OWN_QUEUE, now - lease],
        )
        .await?;
    tx.execute("DELETE FROM dlo_leases WHERE until_at <= $1", values![now])
        .await?;
    Ok(requeued)
}

/// The claim has ended.
pub(super) async fn drop_lease(tx: &mut Tx, id: QueueJobId, attempt: i64) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM dlo_leases WHERE job_id = $1 AND attempt = $2",
        values![id, attempt],
    )
    .await?;
    Ok(())
}
