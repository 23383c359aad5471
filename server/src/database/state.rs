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
    /// The file's version as one connection, which writes nothing, has seen it change; and which connection that was.
    Version(u64, i64),
    /// How many rows the one connection has changed, where there is no other.
    Rows(i64),
}

/// A connection to a SQLite file that does nothing but look whether others have changed it. What it says compares only
/// with what it said itself; one that fails is replaced by another.
#[derive(Debug, Clone)]
pub struct Watcher(Arc<Mutex<Watch>>);

#[derive(Debug)]
struct Watch {
    options: SqliteConnectOptions,
    connection: Option<SqliteConnection>,
    /// How many connections there were before this one.
    before: u64,
    closed: bool,
}

impl Watcher {
    pub(super) async fn open(options: SqliteConnectOptions) -> Result<Self, DbError> {
        // It reads nothing that could be kept.
        let options = options.pragma("cache_size", "-16");
        let connection = Some(options.connect().await?);
        Ok(Self(Arc::new(Mutex::new(Watch {
            options,
            connection,
            before: 0,
            closed: false,
        }))))
    }

    /// The last connection of a file that is closed tidies it up: none may be left open.
    pub(super) async fn close(&self) {
        let mut watch = self.0.lock().await;
        watch.closed = true;
        if let Some(connection) = watch.connection.take() {
            connection.close().await.ok();
        }
    }

    async fn version(&self) -> Result<Of, DbError> {
        let mut watch = self.0.lock().await;
        if watch.closed {
            return Err(sqlx::Error::PoolClosed.into());
        }
        // Taken out while it is asked: one that fails, or is not waited for, does not come back.
        let mut connection = match watch.connection.take() {
            Some(connection) => connection,
            None => {
                watch.before += 1;
                watch.options.connect().await?
            }
        };
        let row = sqlx::query("PRAGMA data_version")
            .fetch_one(&mut connection)
            .await?;
        watch.connection = Some(connection);
        Ok(Of::Version(watch.before, row.try_get(0)?))
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
            // one way or the other, but for the ones that are listed. A server that took another's place, or lost its last
            // transactions, counts them anew, and began at another time.
            Self::Postgres { .. } => {
                let sql = "SELECT pg_current_snapshot()::text || ' ' || pg_postmaster_start_time()::text AS snapshot";
                let row = self.look_up(sql, vec![]).await?;
                let row = row.ok_or(DbError::Sqlx(sqlx::Error::RowNotFound))?;
                Of::Snapshot(row.text("snapshot")?)
            }
            Self::Sqlite {
                watcher: Some(watcher),
                ..
            } => watcher.version().await?,
            Self::Sqlite { watcher: None, .. } => {
                let row = self.look_up("SELECT total_changes() AS rows", vec![]).await?;
                let row = row.ok_or(DbError::Sqlx(sqlx::Error::RowNotFound))?;
                Of::Rows(row.int("rows")?)
            }
        };
        Ok(State(of))
    }
}
