//! Receipts (DESIGN 4.6): stored for ever, in one transaction with the end of their recovery.

use super::end::{end, release_if_closed};
use super::permit::Permit;
use super::row::lock;
use super::{held_by_others, worker};
use crate::database::{Database, DbError};
use crate::storage::audit::{self, Entry};
use crate::storage::{attempts, operations};
use app::domain::attempt::Receipt;
use app::domain::protocol::ending_of_attempt;
use app::domain::recovery::RecoveryState;
use app::domain::transition::apply_receipt;

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
    let ending = ending_of_attempt(Some(receipt), true);
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
    tx.commit_at("receipt").await?;
    Ok(if ended {
        ending.state
    } else {
        stored.recovery.state
    })
}

/// Keeps what came back by itself, where a row that cannot be read stands in the way of everything else: its id is evidence
/// all the same, and it decides the recovery's end once the record can be read again.
pub async fn keep_receipt(database: &Database, permit: &Permit, receipt: &Receipt) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    if let Some(attempt) = &permit.attempt {
        let operation = &permit.stored.recovery.operation_id;
        attempts::append_receipt(&mut tx, operation, attempt.id, receipt).await?;
    }
    tx.commit_at("receipt_alone").await
}
