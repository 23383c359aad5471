//! Whether anything was changed, by whichever process: two equal states have no change between them.
//!
//! What was read after a state was asked for is still true while the state is the same one. So it may be shown again
//! without being read again.

use super::{Database, DbError};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use std::sync::Arc;
use tokio::sync::Mutex;

/// The database at one moment. Equal states of one [`Database`] value have nothing between them; unequal ones may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State(Of);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Of {
    /// Which transactions a reader sees.
    Snapshot(String),
    /// The file's version as one connection, which writes nothing, has seen it change.
    Version(i64),
    /// How many rows the one connection has changed, where there is no other.
    Rows(i64),
}

/// A connection to a SQLite file that does nothing but look whether others have changed it. What it says compares only
/// with what it said itself, so that there is one for as long as the database is open.
#[derive(Debug, Clone)]
pub struct Watcher(Arc<Mutex<Option<SqliteConnection>>>);

impl Watcher {
    pub(super) async fn open(options: SqliteConnectOptions) -> Result<Self, DbError> {
        // It reads nothing that could be kept.
        let connection = options.pragma("cache_size", "-16").connect().await?;
        Ok(Self(Arc::new(Mutex::new(Some(connection)))))
    }

    /// The last connection of a file that is closed tidies it up: none may be left open.
    pub(super) async fn close(&self) {
        if let Some(connection) = self.0.lock().await.take() {
            connection.close().await.ok();
        }
    }

    async fn version(&self) -> Result<i64, DbError> {
        let mut held = self.0.lock().await;
        let connection = held.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        let row = sqlx::query("PRAGMA data_version").fetch_one(connection).await?;
        Ok(row.try_get(0)?)
    }
}

impl Database {
    /// The state at this moment.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn state(&self) -> Result<State, DbError> {
        let of = match self {
            // Two snapshots that read the same see the same transactions: of those below the upper bound each has ended
            // one way or the other, but for the ones that are listed.
            Self::Postgres { .. } => {
                let row = self
                    .look_up("SELECT pg_current_snapshot()::text AS snapshot", vec![])
                    .await?;
                let row = row.ok_or(DbError::Sqlx(sqlx::Error::RowNotFound))?;
                Of::Snapshot(row.text("snapshot")?)
            }
            Self::Sqlite {
                watcher: Some(watcher),
                ..
            } => Of::Version(watcher.version().await?),
            Self::Sqlite { watcher: None, .. } => {
                let row = self.look_up("SELECT total_changes() AS rows", vec![]).await?;
                let row = row.ok_or(DbError::Sqlx(sqlx::Error::RowNotFound))?;
                Of::Rows(row.int("rows")?)
            }
        };
        Ok(State(of))
    }
}
