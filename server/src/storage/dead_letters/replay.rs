//! Replay and purge, as the contract says (DESIGN 5).

use crate::config::Messages;
use crate::database::{DbError, Tx};
use crate::storage::{jobs, messages};
use crate::values;
use app::domain::ids::{DeadLetterId, QueueJobId, RecoveryId};

/// Who replays, and why.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    /// The new job's id, fresh.
    pub job_id: QueueJobId,
    pub by: &'a str,
    pub reason: &'a str,
    /// The recovery that the replay carries out, if one does.
    pub recovery: Option<RecoveryId>,
}

/// Replays the dead letter as it is: a new queued job of the same name, args, queue, priority and attempts. The dead
/// letter stays and counts it. `None` when there is no such dead letter.
pub async fn replay(
    tx: &mut Tx,
    id: DeadLetterId,
    replay: &Replay<'_>,
) -> Result<Option<QueueJobId>, DbError> {
    if !count_resurrection(tx, id, replay).await? {
        return Ok(None);
    }
    let now = tx.now();
    tx.execute(
        "INSERT INTO soniq_jobs (id, job_name, args, status, attempts, max_attempts, queue, priority, scheduled_at, \
         created_at, updated_at) \
         SELECT $2, job_name, args, 'queued', 0, max_attempts, queue, priority, $3, $3, $3 \
         FROM soniq_dead_letter_jobs WHERE id = $1",
        values![id, replay.job_id, now],
    )
    .await?;
    let queue = tx
        .fetch_one(
            "SELECT queue FROM soniq_dead_letter_jobs WHERE id = $1",
            values![id],
        )
        .await?;
    jobs::announce(tx, &queue.text("queue")?).await?;
    Ok(Some(replay.job_id))
}

/// Counts a replay on the dead letter, and keeps which job came of it. The job itself is the caller's: a recovery queues
/// the next action instead of the message. `false` when there is no such dead letter.
pub async fn count_resurrection(tx: &mut Tx, id: DeadLetterId, replay: &Replay<'_>) -> Result<bool, DbError> {
    let now = tx.now();
    let counted = tx
        .execute(
            "UPDATE soniq_dead_letter_jobs SET resurrection_count = COALESCE(resurrection_count, 0) + 1, \
             last_resurrection_at = $2 WHERE id = $1",
            values![id, now],
        )
        .await?;
    if counted == 0 {
        return Ok(false);
    }
    tx.execute(
        "INSERT INTO dlo_replays (job_id, dead_letter_id, recovery_id, replayed_by, reason, replayed_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        values![replay.job_id, id, replay.recovery, replay.by, replay.reason, now],
    )
    .await?;
    // A letter that is not projected yet counts its replays from dlo_replays when it is.
    tx.execute(
        "UPDATE dlo_messages SET own_replays = own_replays + 1, last_resurrection_at = $2, \
         resurrections = (SELECT COALESCE(d.resurrection_count, 0) FROM soniq_dead_letter_jobs d WHERE d.id = $1) \
         WHERE message_id = $1",
        values![id, now],
    )
    .await?;
    Ok(true)
}

/// Deletes the dead letter, finally; what the message knew stays. Never touches `soniq_jobs`, not even a row of the same
/// id. `false` when there is no such dead letter.
pub async fn purge(tx: &mut Tx, config: &Messages, id: DeadLetterId) -> Result<bool, DbError> {
    messages::project_one(tx, config, id).await?;
    let lock = format!(
        "SELECT 1 AS found FROM soniq_dead_letter_jobs WHERE id = $1{}",
        tx.for_update()
    );
    if tx.fetch_optional(&lock, values![id]).await?.is_none() {
        return Ok(false);
    }
    let now = tx.now();
    tx.execute(
        "UPDATE dlo_messages SET purged_at = $2, \
         resurrections = (SELECT COALESCE(d.resurrection_count, 0) FROM soniq_dead_letter_jobs d WHERE d.id = $1), \
         last_resurrection_at = (SELECT d.last_resurrection_at FROM soniq_dead_letter_jobs d WHERE d.id = $1) \
         WHERE message_id = $1",
        values![id, now],
    )
    .await?;
    tx.execute("DELETE FROM soniq_dead_letter_jobs WHERE id = $1", values![id])
        .await?;
    Ok(true)
}
