//! Cancelling a recovery that nothing was done for yet, or one that follows a render.

use super::end::{Ending, end};
use super::row::lock;
use super::{key_conflict, stored_answer};
use crate::database::Database;
use crate::failure::Failure;
use crate::storage::idempotency::{self, Begin, Claim};
use crate::storage::{jobs, operations};
use app::desk::{Code, DeskError};
use app::domain::ids::RecoveryId;
use app::domain::protocol::may_cancel;
use app::domain::recovery::{Recovery, RecoveryState};
use app::domain::role::Caller;

/// Cancels an awaiting or requested recovery, and its queued job with it. A running one can be cancelled when it only
/// follows a render: it creates nothing, and a read that is under way writes nothing any more.
pub async fn cancel(
    database: &Database,
    caller: &Caller,
    id: RecoveryId,
    reason: &str,
    claim: &Claim,
) -> Result<Recovery, Failure> {
    let mut tx = database.write().await?;
    match idempotency::begin(&mut tx, claim).await? {
        Begin::New => {}
        Begin::Stored { answer, .. } => return Ok(stored_answer(answer)?),
        Begin::Conflict => return Err(key_conflict().into()),
    }
    let unknown = || DeskError::new(Code::NotFound, "There is no recovery with this id.");
    let found = super::list::get(&mut tx, id).await?.ok_or_else(unknown)?;
    let record = operations::lock(&mut tx, &found.recovery.operation_id)
        .await?
        .ok_or_else(unknown)?;
    let stored = lock(&mut tx, id).await?.ok_or_else(unknown)?;
    may_cancel(stored.recovery.state, stored.recovery.follow)
        .map_err(|why| DeskError::new(Code::NotAllowedHere, why))?;
    if let Some(job) = stored.recovery.job_id {
        jobs::cancel(&mut tx, job).await?;
    }
    let ending = Ending::new(
        RecoveryState::Cancelled,
        format!("Cancelled by {}: {reason}", caller.name),
    );
    end(&mut tx, &stored, record.revision, caller, &ending).await?;
    let after = super::list::get(&mut tx, id).await?.ok_or_else(unknown)?.recovery;
    idempotency::keep(&mut tx, claim, 200, &serde_json::json!(after)).await?;
    tx.commit_at("cancel").await?;
    Ok(after)
}
