//! Browser sessions in our own table, behind the session library's trait.
//!
//! A session's id is a secret of its browser: the table keeps only its SHA-256, so that a copy of the database
//! opens nobody's session.

use crate::database::{Database, DbError, Dialect, Trouble};
use crate::values;
use app::desk::DeskError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tower_sessions::SessionStore;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};

/// The library's store on `dlo_sessions`.
#[derive(Debug, Clone)]
pub struct Sessions {
    database: Database,
}

impl Sessions {
    pub const fn new(database: Database) -> Self {
        Self { database }
    }
}

/// Deletes the sessions that are over; answers how many.
///
/// # Errors
/// When the database does not answer.
pub async fn delete_expired(database: &Database) -> std::result::Result<u64, DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    let gone = tx
        .execute("DELETE FROM dlo_sessions WHERE expires_at <= $1", values![now])
        .await?;
    tx.commit().await?;
    Ok(gone)
}

fn key(id: &Id) -> String {
    hex::encode(Sha256::digest(id.to_string().as_bytes()))
}

fn moment(at: OffsetDateTime) -> Result<DateTime<Utc>> {
    let micros = i64::try_from(at.unix_timestamp_nanos() / 1_000).ok();
    micros
        .and_then(DateTime::from_timestamp_micros)
        .ok_or_else(|| Error::Encode("the expiry is out of range".to_owned()))
}

/// The log keeps the database's words; the browser sees what is wrong in plain ones.
fn failed(error: DbError) -> Error {
    Error::Backend(DeskError::from(error).detail)
}

fn encode(record: &Record) -> Result<String> {
    serde_json::to_string(&record.data).map_err(|error| Error::Encode(error.to_string()))
}

#[async_trait]
impl SessionStore for Sessions {
    async fn create(&self, record: &mut Record) -> Result<()> {
        let data = encode(record)?;
        let expires_at = moment(record.expiry_date)?;
        loop {
            let inserted = async {
                let mut tx = self.database.write().await?;
                let inserted = tx
                    .execute(
                        "INSERT INTO dlo_sessions (id, data, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                        values![key(&record.id), data.as_str(), expires_at],
                    )
                    .await?;
                tx.commit().await?;
                Ok(inserted)
            }
            .await
            .map_err(failed)?;
            if inserted == 1 {
                return Ok(());
            }
            record.id = Id::default();
        }
    }

    /// Only an existing session is saved: one that was ended meanwhile stays ended.
    async fn save(&self, record: &Record) -> Result<()> {
        let data = encode(record)?;
        let expires_at = moment(record.expiry_date)?;
        async {
            let mut tx = self.database.write().await?;
            tx.execute(
                "UPDATE dlo_sessions SET data = $2, expires_at = $3 WHERE id = $1",
                values![key(&record.id), data, expires_at],
            )
            .await?;
            tx.commit().await
        }
        .await
        .or_else(|error: DbError| match error.trouble() {
            // That somebody is here need not be written down for them to read.
            Trouble::ReadOnly | Trouble::Full | Trouble::Busy | Trouble::Away => Ok(()),
            Trouble::Other => Err(failed(error)),
        })
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        // The database's clock: SQLite's is this machine's.
        let found = match self.database.dialect() {
            Dialect::Postgres => {
                let sql = "SELECT data, expires_at FROM dlo_sessions WHERE id = $1 AND expires_at > clock_timestamp()";
                self.database.look_up(sql, values![key(id)]).await
            }
            Dialect::Sqlite => {
                let sql = "SELECT data, expires_at FROM dlo_sessions WHERE id = $1 AND expires_at > $2";
                self.database.look_up(sql, values![key(id), Utc::now()]).await
            }
        };
        let row = found.map_err(failed)?;
        let Some(row) = row else { return Ok(None) };
        let data = row.text("data").map_err(failed)?;
        let expires_at = row.time("expires_at").map_err(failed)?;
        let data = serde_json::from_str(&data).map_err(|error| Error::Decode(error.to_string()))?;
        let expiry_date = OffsetDateTime::from_unix_timestamp(expires_at.timestamp())
            .map_err(|error| Error::Decode(error.to_string()))?;
        Ok(Some(Record {
            id: *id,
            data,
            expiry_date,
        }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        async {
            let mut tx = self.database.write().await?;
            tx.execute("DELETE FROM dlo_sessions WHERE id = $1", values![key(id)])
                .await?;
            tx.commit().await
        }
        .await
        .map_err(failed)
    }
}
