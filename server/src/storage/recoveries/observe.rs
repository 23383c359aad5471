//! What a read of ours does to the record (DESIGN 4.7), fenced by the permit.

use super::end::{Ending, end};
use super::permit::{Permit, hold, lease};
use super::{held_by_others, worker};
use crate::config::Config;
use crate::database::{Database, DbError};
use crate::storage::operations;
use crate::values;
use app::domain::ids::JobId;
use app::domain::operation::Operation;
use app::domain::transition::{Observation, Reading, apply_observation};

/// What became of the record.
#[derive(Debug, Clone)]
pub struct Seen {
    pub record: Operation,
    /// The read changed more than its own time.
    pub changed: bool,
}

/// Records one read; with `ending`, ends the recovery in the same transaction. `None` when the lease was lost.
pub async fn record_observation(
    database: &Database,
    config: &Config,
    permit: &Permit,
    job_id: &JobId,
    observation: &Observation,
    reading: Reading,
    ending: impl FnOnce(&Seen) -> Option<Ending>,
) -> Result<Option<Seen>, DbError> {
    let mut tx = database.write().await?;
    let Some((record, stored)) = hold(&mut tx, permit).await? else {
        return Ok(None);
    };
    let held = held_by_others(&mut tx, &record, Some(job_id)).await?;
    let mut observation = observation.clone();
    observation.observed_at = observation.observed_at.min(tx.now());
    let change = apply_observation(&record, job_id, &observation, reading, tx.now(), |job_id| {
        held.contains(job_id)
    });
    operations::save(&mut tx, &change.record, &change.events).await?;
    let seen = Seen {
        record: change.record,
        changed: change.changed,
    };
    match ending(&seen) {
        Some(ending) => {
            end(&mut tx, &stored, seen.record.revision, &worker(), &ending).await?;
        }
        None => {
            tx.execute(
                "UPDATE dlo_recoveries SET heard_at = $1, lease_until = $2 WHERE id = $3",
                values![tx.now(), tx.now() + lease(config), stored.recovery.id],
            )
            .await?;
        }
    }
    tx.commit_at("observation").await?;
    Ok(Some(seen))
}
