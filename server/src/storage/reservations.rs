//! Credits held back from an owner by confirmed creations, on `dlo_recoveries`.

use super::operations;
use super::text::Reader;
use crate::database::{DbError, Tx};
use crate::values;
use app::domain::ids::{OperationId, RecoveryId};
use app::domain::protocol::{counted_by_facts, outcome_is_known};
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

/// The sum of the owner's open reservations, but for one recovery's own.
pub async fn open_sum(tx: &mut Tx, owner: &str, except: Option<RecoveryId>) -> Result<Decimal, DbError> {
    let rows = tx
        .fetch_all(
            "SELECT id, reserved FROM dlo_recoveries WHERE owner = $1 AND reservation_open AND reserved IS NOT NULL",
            values![owner],
        )
        .await?;
    let mut sum = Decimal::ZERO;
    for row in &rows {
        let id = row.uuid("id")?;
        if except != Some(RecoveryId(id)) {
            sum = sum.saturating_add(
                Reader {
                    row,
                    table: "dlo_recoveries",
                    id: id.to_string(),
                }
                .amount("reserved")?,
            );
        }
    }
    Ok(sum)
}

/// Ends one recovery's reservation.
pub async fn end(tx: &mut Tx, recovery: RecoveryId) -> Result<(), DbError> {
    let none = tx.pick("FALSE", "0");
    let sql = format!("UPDATE dlo_recoveries SET reservation_open = {none} WHERE id = $1");
    tx.execute(&sql, values![recovery]).await?;
    Ok(())
}

/// Ends all reservations of an operation: `confirm_not_sent`, or a closure.
pub async fn end_of_operation(tx: &mut Tx, operation: &OperationId) -> Result<(), DbError> {
    let none = tx.pick("FALSE", "0");
    let sql = format!(
        "UPDATE dlo_recoveries SET reservation_open = {none} WHERE operation_id = $1 AND reservation_open"
    );
    tx.execute(&sql, values![operation]).await?;
    Ok(())
}

/// Ends the reservations of creations that the owner's facts of `as_of` have counted already. Called when facts arrive.
pub async fn end_counted(tx: &mut Tx, owner: &str, as_of: DateTime<Utc>) -> Result<(), DbError> {
    let sql = "SELECT recovery.id, recovery.operation_id, recovery.finished_at, \
               (SELECT MIN(receipt.received_at) FROM dlo_attempts AS attempt \
               JOIN dlo_receipts AS receipt ON receipt.attempt_id = attempt.id \
               WHERE attempt.recovery_id = recovery.id AND receipt.kind = 'accepted') AS accepted_at \
               FROM dlo_recoveries AS recovery WHERE recovery.owner = $1 AND recovery.reservation_open";
    let rows = tx.fetch_all(sql, values![owner]).await?;
    for row in &rows {
        let operation = OperationId(row.text("operation_id")?);
        let (accepted_at, finished_at) = (row.opt_time("accepted_at")?, row.opt_time("finished_at")?);
        let record = operations::load(tx, &operation).await?;
        let known = record.as_ref().is_some_and(outcome_is_known);
        if counted_by_facts(known, accepted_at, finished_at, as_of) {
            end(tx, RecoveryId(row.uuid("id")?)).await?;
        }
    }
    Ok(())
}
