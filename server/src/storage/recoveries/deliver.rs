//! What a delivery did (DESIGN 4.8): recorded output by output, so that one bad output does not undo the good ones.

use super::end::{Ending, end};
use super::permit::{Permit, hold, lease};
use super::worker;
use crate::config::Config;
use crate::database::{Database, DbError};
use crate::storage::operations;
use crate::values;
use app::domain::operation::Operation;
use app::domain::transition::{OutputResult, apply_delivery};

/// Records results; with `ending`, ends the recovery in the same transaction. `None` when the lease was lost.
pub async fn record_delivery(
    database: &Database,
    config: &Config,
    permit: &Permit,
    results: &[OutputResult],
    ending: impl FnOnce(&Operation) -> Option<Ending>,
) -> Result<Option<Operation>, DbError> {
    let mut tx = database.write().await?;
    let Some((record, stored)) = hold(&mut tx, permit).await? else {
        return Ok(None);
    };
    // Another job may have been attached since: these copies are of the one that was read.
    if record.job_id != permit.record.job_id {
        return Ok(None);
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
    tx.commit().await?;
    Ok(Some(change.record))
}
