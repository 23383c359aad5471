//! Credits held back from an owner by confirmed creations, on `dlo_recoveries`.

use super::text::Reader;
use crate::database::{DbError, Tx};
use crate::values;
use app::domain::ids::{OperationId, RecoveryId};
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

/// Ends the reservations of creations that the owner's facts of `as_of` have counted already: those whose accepting
/// receipt is older, and those whose outcome was unknown and whose operation has a job by now. Called when facts arrive.
pub async fn end_accepted(tx: &mut Tx, owner: &str, as_of: DateTime<Utc>) -> Result<(), DbError> {
    let none = tx.pick("FALSE", "0");
    let sql = format!(
        "UPDATE dlo_recoveries SET reservation_open = {none} WHERE owner = $1 AND reservation_open AND EXISTS ( \
         SELECT 1 FROM dlo_attempts AS attempt JOIN dlo_receipts AS receipt ON receipt.attempt_id = attempt.id \
         WHERE attempt.recovery_id = dlo_recoveries.id AND receipt.kind = 'accepted' AND receipt.received_at < $2) \
         OR (owner = $1 AND reservation_open AND finished_at < $2 AND EXISTS ( \
         SELECT 1 FROM dlo_operations AS operation \
         WHERE operation.id = dlo_recoveries.operation_id AND operation.job_id IS NOT NULL))"
    );
    tx.execute(&sql, values![owner, as_of]).await?;
    Ok(())
}
