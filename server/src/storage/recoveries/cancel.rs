//! Cancelling a recovery that nothing was done for yet.

use super::end::{Ending, end};
use super::row::lock;
use super::{key_conflict, stored_answer};
use crate::database::Database;
use crate::storage::idempotency::{self, Begin, Claim};
use crate::storage::{jobs, operations};
use app::desk::{Answer, Code, DeskError};
use app::domain::ids::RecoveryId;
use app::domain::recovery::{Recovery, RecoveryState};
use app::domain::role::Caller;

/// Cancels an awaiting or requested recovery, and its queued job with it.
pub async fn cancel(
    database: &Database,
    caller: &Caller,
    id: RecoveryId,
    reason: &str,
    claim: &Claim,
) -> Answer<Recovery> {
    let mut tx = database.write().await?;
    match idempotency::begin(&mut tx, claim).await? {
        Begin::New => {}
        Begin::Stored { answer, .. } => return stored_answer(answer),
        Begin::Conflict => return Err(key_conflict()),
    }
    let unknown = || DeskError::new(Code::NotFound, "There is no recovery with this id.");
    let found = super::list::get(&mut tx, id).await?.ok_or_else(unknown)?;
    let record = operations::lock(&mut tx, &found.recovery.operation_id)
        .await?
        .ok_or_else(unknown)?;
    let stored = lock(&mut tx, id).await?.ok_or_else(unknown)?;
    match stored.recovery.state {
        RecoveryState::AwaitingApproval | RecoveryState::Requested => {}
        RecoveryState::Running => {
            return Err(DeskError::new(
                Code::NotAllowedHere,
                "It is running: what it began cannot be taken back.",
            ));
        }
        RecoveryState::Succeeded
        | RecoveryState::AlreadyDone
        | RecoveryState::StillRunning
        | RecoveryState::Refused
        | RecoveryState::Failed
        | RecoveryState::Cancelled
        | RecoveryState::OutcomeUnknown => {
            return Err(DeskError::new(
                Code::NotAllowedHere,
                format!("It has ended already: {}.", stored.recovery.state),
            ));
        }
    }
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
    tx.commit().await?;
    Ok(after)
}
