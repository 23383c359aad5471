//! The link that makes the first person: worth something once, for a while, and only while there is nobody.

use super::audit::{self, Entry};
use super::operators::add_alone;
use super::tokens::hash;
use crate::database::{Database, DbError, Tx};
use crate::values;
use app::domain::role::{Caller, Role};
use chrono::TimeDelta;

/// How long a link is worth something.
pub const VALID: TimeDelta = TimeDelta::minutes(30);

async fn nobody(tx: &mut Tx) -> Result<bool, DbError> {
    let row = tx
        .fetch_one("SELECT COUNT(*) AS n FROM dlo_operators", vec![])
        .await?;
    Ok(row.int("n")? == 0)
}

/// Keeps a new link by the hash of its secret, while there is nobody. `false` when there is somebody.
///
/// # Errors
/// When the database does not answer.
pub async fn offer(database: &Database, secret: &str) -> Result<bool, DbError> {
    // Read first: a database that takes no changes has somebody, or is of no use yet.
    if !nobody(&mut database.read().await?).await? {
        return Ok(false);
    }
    let mut tx = database.write().await?;
    if !nobody(&mut tx).await? {
        return Ok(false);
    }
    let now = tx.now();
    tx.execute("DELETE FROM dlo_setup_links WHERE expires_at <= $1", values![now])
        .await?;
    tx.execute(
        "INSERT INTO dlo_setup_links (hash, expires_at) VALUES ($1, $2)",
        values![hash(secret), now + VALID],
    )
    .await?;
    tx.commit().await?;
    Ok(true)
}

async fn fits(tx: &mut Tx, secret: &str) -> Result<bool, DbError> {
    let now = tx.now();
    let found = tx
        .fetch_optional(
            "SELECT hash FROM dlo_setup_links WHERE hash = $1 AND expires_at > $2",
            values![hash(secret), now],
        )
        .await?;
    Ok(found.is_some() && nobody(tx).await?)
}

/// Whether a link is worth something now.
///
/// # Errors
/// When the database does not answer.
pub async fn is_valid(database: &Database, secret: &str) -> Result<bool, DbError> {
    let mut tx = database.read().await?;
    fits(&mut tx, secret).await
}

/// Makes the first person, an administrator, and ends all links. `false` when the link is worth nothing.
///
/// # Errors
/// When the database does not answer.
pub async fn take(
    database: &Database,
    secret: &str,
    name: &str,
    password_hash: &str,
) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    // Two at once would both find nobody.
    add_alone(&mut tx).await?;
    if !fits(&mut tx, secret).await? {
        return Ok(false);
    }
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_operators (name, role, password_hash, created_at) VALUES ($1, $2, $3, $4)",
        values![name, Role::Admin.as_str(), password_hash, now],
    )
    .await?;
    tx.execute("DELETE FROM dlo_setup_links", vec![]).await?;
    let by = Caller {
        name: Caller::SYSTEM.to_owned(),
        role: Role::Admin,
    };
    let reason = format!("{name} as {}, by the set-up link", Role::Admin);
    audit::append(&mut tx, Entry::new(&by, "operator_added").reason(reason)).await?;
    tx.commit().await?;
    Ok(true)
}
