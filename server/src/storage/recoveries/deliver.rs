//! What a delivery did (DESIGN 4.8): recorded output by output, so that one bad output does not undo the good ones.

use super::end::{Ending, end};
use super::permit::{Permit, hold, lease};
use super::worker;
use crate::config::Config;
use crate::database::{Database, DbError};
use crate::storage::operations;
use crate::values;
use app::domain::ids::JobId;
use app::domain::operation::Operation;
use app::domain::recovery::RecoveryState;
use app::domain::transition::{OutputResult, apply_delivery};

/// What became of the results.
#[derive(Debug, Clone)]
pub enum Recorded {
    /// The record as it stands with them.
    Written(Box<Operation>),
    /// The lease was lost: nothing was written.
    Lost,
    /// Another job has been attached since: nothing was written, and the recovery has ended with these words.
    Moved(String),
}

/// Records results; with `ending`, ends the recovery in the same transaction.
pub async fn record_delivery(
    database: &Database,
    config: &Config,
    permit: &Permit,
    results: &[OutputResult],
    ending: impl FnOnce(&Operation) -> Option<Ending>,
) -> Result<Recorded, DbError> {
    let mut tx = database.write().await?;
    let Some((record, stored)) = hold(&mut tx, permit).await? else {
        return Ok(Recorded::Lost);
    };
    // Another job may have been attached since: these copies are of the one that was read.
    if record.job_id != permit.record.job_id {
        let name = |job: Option<&JobId>| job.map_or("no job", |id| id.as_str()).to_owned();
        let outcome = format!(
            "Job {} is attached now, and {} was being copied: nothing more was recorded of it. What was copied before \
             stays with it; review the plan again.",
            name(record.job_id.as_ref()),
            name(permit.record.job_id.as_ref())
        );
        let ending = Ending::new(RecoveryState::Failed, outcome.clone());
        end(&mut tx, &stored, record.revision, &worker(), &ending).await?;
        tx.commit().await?;
        return Ok(Recorded::Moved(outcome));
    }
    let change = apply_delivery(&record, results, tx.now());
    operations::save(&mut tx, &change.record, &change.events).await?;
    match ending(&change.record) {
        Some(ending) => {
            end(&mut tx, &stored, change.record.revision, &worker(), &ending).await?;
        }
        None => {
            tx.execute(
                "UPDATE dlo_recoveries SET heard_at = $1, lease_until = $2 WHERE id = $3",
                values![tx.now(), tx.now() + lease(config), stored.recovery.id],
            )
            .await?;
        }
    }
    tx.commit_at("delivery").await?;
    Ok(Recorded::Written(Box::new(change.record)))
}
