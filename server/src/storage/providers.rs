//! `dlo_paused_providers`: a switch per provider that stops creation, and nothing else.

use super::audit::{self, Entry};
use crate::database::{Database, DbError, Row, Tx};
use crate::values;
use app::domain::role::Caller;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// A provider at which creation is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    pub provider: String,
    pub reason: String,
    pub by: String,
    pub at: DateTime<Utc>,
}

/// Stops creation at a provider, and keeps who did so and why.
///
/// # Errors
/// When the database does not answer.
pub async fn pause_creation(
    database: &Database,
    by: &Caller,
    provider: &str,
    reason: &str,
) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    pause(&mut tx, provider, reason, &by.name).await?;
    let entry = Entry::new(by, "creation_paused").reason(format!("{provider}: {reason}"));
    audit::append(&mut tx, entry).await?;
    tx.commit().await
}

/// Allows creation again, and keeps who did so and why. `false` when it was not paused.
///
/// # Errors
/// As [`pause_creation`].
pub async fn resume_creation(
    database: &Database,
    by: &Caller,
    provider: &str,
    reason: &str,
) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    if !resume(&mut tx, provider).await? {
        return Ok(false);
    }
    let entry = Entry::new(by, "creation_resumed").reason(format!("{provider}: {reason}"));
    audit::append(&mut tx, entry).await?;
    tx.commit().await?;
    Ok(true)
}

/// Where creation is stopped, by name.
///
/// # Errors
/// As [`pause_creation`].
pub async fn all_paused(tx: &mut Tx) -> Result<Vec<Pause>, DbError> {
    let rows = tx.fetch_all(ALL, values![]).await?;
    rows.iter().map(from_row).collect()
}

/// As [`all_paused`], in one statement of its own: every page asks.
///
/// # Errors
/// As [`pause_creation`].
pub async fn now_paused(database: &Database) -> Result<Vec<Pause>, DbError> {
    let rows = database.look_up_all(ALL, values![]).await?;
    rows.iter().map(from_row).collect()
}

const ALL: &str = "SELECT provider, reason, paused_by, paused_at FROM dlo_paused_providers ORDER BY provider";

fn from_row(row: &Row) -> Result<Pause, DbError> {
    Ok(Pause {
        provider: row.text("provider")?,
        reason: row.text("reason")?,
        by: row.text("paused_by")?,
        at: row.time("paused_at")?,
    })
}

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

/// How many prepared operations wait to be sent, by provider.
pub async fn waiting(tx: &mut Tx) -> Result<BTreeMap<String, i64>, DbError> {
    let sql = "SELECT provider, COUNT(*) AS found FROM dlo_operations WHERE next_action = 'dispatch' GROUP BY provider";
    let rows = tx.fetch_all(sql, values![]).await?;
    rows.iter()
        .map(|row| Ok((row.text("provider")?, row.int("found")?)))
        .collect()
}
