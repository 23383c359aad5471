//! `dlo_paused_providers`: a switch per provider that stops creation, and nothing else.

use crate::database::{DbError, Tx};
use crate::values;

/// Stops creation at a provider. A second pause replaces the reason.
pub async fn pause(tx: &mut Tx, provider: &str, reason: &str, by: &str) -> Result<(), DbError> {
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_paused_providers (provider, reason, paused_by, paused_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (provider) DO UPDATE SET reason = excluded.reason, paused_by = excluded.paused_by, \
         paused_at = excluded.paused_at",
        values![provider, reason, by, now],
    )
    .await?;
    Ok(())
}

/// Allows it again; `false` when it was not paused.
pub async fn resume(tx: &mut Tx, provider: &str) -> Result<bool, DbError> {
    Ok(tx
        .execute(
            "DELETE FROM dlo_paused_providers WHERE provider = $1",
            values![provider],
        )
        .await?
        == 1)
}

/// Why creation is paused there; `None` when it is not.
pub async fn paused(tx: &mut Tx, provider: &str) -> Result<Option<String>, DbError> {
    let sql = "SELECT reason FROM dlo_paused_providers WHERE provider = $1";
    tx.fetch_optional(sql, values![provider])
        .await?
        .map(|row| row.text("reason"))
        .transpose()
}
