//! Receipts (DESIGN 4.6): stored for ever, in one transaction with the end of their recovery.

use super::end::{Ending, end, release_if_closed};
use super::permit::Permit;
use super::row::lock;
use super::{held_by_others, worker};
use crate::database::{Database, DbError};
use crate::storage::audit::{self, Entry};
use crate::storage::{attempts, operations};
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::recovery::RecoveryState;
use app::domain::transition::apply_receipt;

/// How a creation ends by what is known of its attempt.
pub(super) fn ending_of(receipt: Option<&Receipt>, attempted: bool) -> Ending {
    let Some(receipt) = receipt else {
        return if attempted {
            Ending::new(
                RecoveryState::OutcomeUnknown,
                "The request may have left, and no answer was kept. Nothing is sent again: a person must find out.",
            )
        } else {
            Ending::new(
                RecoveryState::Cancelled,
                "The work ended before anything was sent.",
            )
        };
    };
    match receipt.kind {
        ReceiptKind::Accepted => {
            let named = receipt
                .job_id
                .as_ref()
                .map_or_else(String::new, |job_id| format!(" as {job_id}"));
            Ending::new(
                RecoveryState::Succeeded,
                format!("The provider accepted it{named}: {}.", receipt.detail),
            )
        }
        ReceiptKind::Rejected => Ending::new(
            RecoveryState::Failed,
            format!("The provider rejected it: {}.", receipt.detail),
        ),
        ReceiptKind::NotSent => Ending::new(
            RecoveryState::Failed,
            format!("Nothing was sent: {}.", receipt.detail),
        ),
        ReceiptKind::ConfirmedByPerson => {
            Ending::new(RecoveryState::Failed, "A person confirmed that nothing was sent.")
        }
        ReceiptKind::Unknown => Ending::new(
            RecoveryState::OutcomeUnknown,
            format!(
                "Sent, and the outcome is unknown: {}. Nothing is sent again.",
                receipt.detail
            ),
        ),
    }
}

/// Stores what came back and ends the recovery, lease or no lease. A receipt that comes after its recovery was ended is
/// kept all the same: it closes its own attempt, writes the record where the design says so, and its id is evidence.
pub async fn store_receipt(
    database: &Database,
    permit: &Permit,
    receipt: &Receipt,
) -> Result<RecoveryState, DbError> {
    let mut tx = database.write().await?;
    let stored_before = &permit.stored;
    let operation_id = &stored_before.recovery.operation_id;
    let (Some(record), Some(stored), Some(attempt)) = (
        operations::lock(&mut tx, operation_id).await?,
        lock(&mut tx, stored_before.recovery.id).await?,
        permit.attempt.as_ref(),
    ) else {
        return Err(DbError::Inconsistent {
            table: "dlo_attempts",
            column: "recovery_id",
            id: stored_before.recovery.id.to_string(),
        });
    };
    attempts::append_receipt(&mut tx, operation_id, attempt.id, receipt).await?;
    let newest = attempts::list(&mut tx, operation_id)
        .await?
        .iter()
        .map(|other| other.number)
        .max();
    let held = held_by_others(&mut tx, &record, receipt.job_id.as_ref()).await?;
    let is_newest = newest == Some(attempt.number);
    let change = apply_receipt(&record, attempt, receipt, is_newest, tx.now(), |job_id| {
        held.contains(job_id)
    });
    operations::save(&mut tx, &change.record, &change.events).await?;
    let ending = ending_of(Some(receipt), true);
    let ended = end(&mut tx, &stored, change.record.revision, &worker(), &ending).await?;
    if !ended {
        // The recovery ended before its receipt came: what it held back is let go now, if the receipt closes it.
        release_if_closed(&mut tx, &stored).await?;
        let entry = Entry::new(&worker(), format!("late_receipt_{}", receipt.kind))
            .effect(stored.recovery.effect)
            .operation(operation_id)
            .recovery(stored.recovery.id)
            .revisions(record.revision, Some(change.record.revision))
            .reason(ending.outcome.clone());
        audit::append(&mut tx, entry).await?;
    }
    tx.commit().await?;
    Ok(if ended {
        ending.state
    } else {
        stored.recovery.state
    })
}
