//! `dlo_claims`: who is looking at an operation. A claim whose time is over is none.

use super::text::Reader;
use crate::database::{DbError, Row, Tx};
use crate::values;
use app::desk::{CLAIM_MINUTES, ClaimView};
use app::domain::ids::OperationId;
use chrono::TimeDelta;

/// The claim that holds now.
pub async fn current(tx: &mut Tx, operation: &OperationId) -> Result<Option<ClaimView>, DbError> {
    let now = tx.now();
    let sql = "SELECT claimed_by, since, ends_at FROM dlo_claims WHERE operation_id = $1 AND ends_at > $2";
    let row = tx.fetch_optional(sql, values![operation, now]).await?;
    row.as_ref()
        .map(|row| {
            let reader = Reader {
                row,
                table: "dlo_claims",
                id: operation.0.clone(),
            };
            Ok(ClaimView {
                by: reader.text("claimed_by")?,
                since: reader.get("since", Row::time)?,
                until: reader.get("ends_at", Row::time)?,
            })
        })
        .transpose()
}

/// Claims for [`CLAIM_MINUTES`]: anew, further, or in the place of another. The caller holds the operation's lock.
pub async fn claim(tx: &mut Tx, operation: &OperationId, by: &str) -> Result<ClaimView, DbError> {
    let now = tx.now();
    let since = match current(tx, operation).await? {
        Some(held) if held.by == by => held.since,
        Some(_) | None => now,
    };
    let until = now + TimeDelta::minutes(CLAIM_MINUTES);
    tx.execute(
        "INSERT INTO dlo_claims (operation_id, claimed_by, since, ends_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (operation_id) DO UPDATE SET claimed_by = excluded.claimed_by, since = excluded.since, \
         ends_at = excluded.ends_at",
        values![operation, by, since, until],
    )
    .await?;
    Ok(ClaimView {
        by: by.to_owned(),
        since,
        until,
    })
}

/// Ends a claim; `false` when there was none.
pub async fn release(tx: &mut Tx, operation: &OperationId) -> Result<bool, DbError> {
    let held = current(tx, operation).await?.is_some();
    tx.execute(
        "DELETE FROM dlo_claims WHERE operation_id = $1",
        values![operation],
    )
    .await?;
    Ok(held)
}
