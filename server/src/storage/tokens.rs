//! Bearer tokens of programs: the table keeps their SHA-256. Every change is audited in its own transaction.

use super::audit::{self, Entry};
use crate::database::{Database, DbError, Dialect, Row, Tx};
use crate::values;
use app::domain::role::{Caller, Role};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// How a token begins, so that a leaked one is recognised.
pub const PREFIX: &str = "dlo_";
/// `last_used_at` is written at most this often: reads stay reads.
const USE_RESOLUTION: TimeDelta = TimeDelta::seconds(60);

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub id: Uuid,
    pub name: String,
    pub role: Role,
    pub created_at: DateTime<Utc>,
    pub last_used_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    /// From then on it is worthless; `None`: only revoking ends it.
    pub expires_at: Option<DateTime<Utc>>,
}

impl Token {
    /// Whether the table's idea of the last use is too old to leave.
    pub fn use_is_stale(&self, now: DateTime<Utc>) -> bool {
        self.last_used_at.is_none_or(|at| now - at >= USE_RESOLUTION)
    }

    /// Whether its time is over.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// Who acts with it.
    pub fn caller(&self) -> Caller {
        Caller {
            name: self.name.clone(),
            role: self.role,
        }
    }
}

const COLUMNS: &str = "id, name, role, created_at, last_used_at, revoked_at, expires_at";

fn token(row: &Row) -> Result<Token, DbError> {
    let id = row.uuid("id")?;
    let role = row.text("role")?.parse().map_err(|_| DbError::Inconsistent {
        table: "dlo_tokens",
        column: "role",
        id: id.to_string(),
    })?;
    Ok(Token {
        id,
        role,
        name: row.text("name")?,
        created_at: row.time("created_at")?,
        last_used_at: row.opt_time("last_used_at")?,
        revoked_at: row.opt_time("revoked_at")?,
        expires_at: row.opt_time("expires_at")?,
    })
}

/// The stored form of a secret.
pub fn hash(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}

/// The token whose secret has this [`hash`], unless it is revoked. Whether its time is over, the caller's clock says.
///
/// # Errors
/// When the database does not answer, or the row's role is none.
pub async fn find(database: &Database, hash: &str) -> Result<Option<Token>, DbError> {
    let sql = format!("SELECT {COLUMNS} FROM dlo_tokens WHERE hash = $1 AND revoked_at IS NULL");
    database
        .look_up(&sql, values![hash])
        .await?
        .as_ref()
        .map(token)
        .transpose()
}

/// All tokens, newest first.
///
/// # Errors
/// As [`find`].
pub async fn list(database: &Database) -> Result<Vec<Token>, DbError> {
    let mut tx = database.read().await?;
    let sql = format!("SELECT {COLUMNS} FROM dlo_tokens ORDER BY created_at DESC, id");
    tx.fetch_all(&sql, vec![]).await?.iter().map(token).collect()
}

/// Keeps that the token was used now.
///
/// # Errors
/// When the database does not answer.
pub async fn used(database: &Database, id: Uuid) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    tx.execute(
        "UPDATE dlo_tokens SET last_used_at = $2 WHERE id = $1",
        values![id, now],
    )
    .await?;
    tx.commit().await
}

/// A token to be.
#[derive(Debug, Clone, Copy)]
pub struct NewToken<'a> {
    pub id: Uuid,
    pub name: &'a str,
    pub role: Role,
    pub secret: &'a str,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Keeps a new token by the hash of its secret, for as long as it is not revoked.
///
/// # Errors
/// When the database does not answer.
pub async fn create(
    database: &Database,
    by: &Caller,
    id: Uuid,
    name: &str,
    role: Role,
    secret: &str,
) -> Result<(), DbError> {
    let new = NewToken {
        id,
        name,
        role,
        secret,
        expires_at: None,
    };
    let mut tx = database.write().await?;
    insert(&mut tx, by, &new).await?;
    tx.commit().await
}

/// As [`create`], of a name that no valid token has: an audit that says a name means one token. `false` when one has it.
///
/// # Errors
/// When the database does not answer.
pub async fn create_named(database: &Database, by: &Caller, new: &NewToken<'_>) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    if tx.dialect() == Dialect::Postgres {
        // Two at once would both find nothing.
        tx.execute("LOCK TABLE dlo_tokens IN SHARE ROW EXCLUSIVE MODE", vec![])
            .await?;
    }
    let now = tx.now();
    let taken = tx
        .fetch_optional(
            "SELECT id FROM dlo_tokens WHERE name = $1 AND revoked_at IS NULL \
             AND (expires_at IS NULL OR expires_at > $2)",
            values![new.name, now],
        )
        .await?;
    if taken.is_some() {
        return Ok(false);
    }
    insert(&mut tx, by, new).await?;
    tx.commit().await?;
    Ok(true)
}

async fn insert(tx: &mut Tx, by: &Caller, new: &NewToken<'_>) -> Result<(), DbError> {
    let now = tx.now();
    let NewToken { id, name, role, .. } = *new;
    tx.execute(
        "INSERT INTO dlo_tokens (id, name, role, hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        values![id, name, role.as_str(), hash(new.secret), now, new.expires_at],
    )
    .await?;
    let until = new
        .expires_at
        .map(|at| format!(", until {}", at.to_rfc3339_opts(SecondsFormat::Secs, true)))
        .unwrap_or_default();
    let entry = Entry::new(by, "token_created").reason(format!("{name} as {role}, token {id}{until}"));
    audit::append(tx, entry).await.map(drop)
}

/// Revokes a token from the next request on. `false` when there is no such token, or it is revoked already.
///
/// # Errors
/// When the database does not answer.
pub async fn revoke(database: &Database, by: &Caller, id: Uuid) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    let changed = tx
        .execute(
            "UPDATE dlo_tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL",
            values![id, now],
        )
        .await?;
    if changed == 0 {
        return Ok(false);
    }
    audit::append(
        &mut tx,
        Entry::new(by, "token_revoked").reason(format!("token {id}")),
    )
    .await?;
    tx.commit().await?;
    Ok(true)
}
