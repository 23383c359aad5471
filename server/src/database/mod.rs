//! One small face for two databases, so that SQL which is the same in both is written once.
//!
//! Both take `$1` placeholders. What differs is how values are bound and read: UUIDs, times, booleans and JSON
//! have a type of their own in PostgreSQL and are text or numbers in SQLite, written exactly as Soniq writes them.

mod error;
mod migrate;
mod patience;
mod row;
mod state;
mod time;
mod tx;
mod value;

pub use error::{DbError, Trouble};
pub use row::Row;
pub use state::{State, Watcher};
pub use time::{parse_sqlite_time, sqlite_time};
pub use tx::{Proof, Tx};
pub use value::Value;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, PgPool, SqliteConnection, SqlitePool};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// How long SQLite waits for another writer before it gives up.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections to PostgreSQL per process.
const PG_CONNECTIONS: u32 = 16;
/// How long a request waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection to PostgreSQL that has rested so long is asked whether it still lives before it is used.
const PG_RESTED: Duration = Duration::from_secs(1);
/// What is written to see whether there is room.
const PROBE_BYTES: usize = 64 * 1024;
/// Readers of one SQLite file per process; there is always one writer.
const SQLITE_READERS: u32 = 4;

/// Kibibytes of pages, as SQLite wants it, that each reader keeps.
const READER_CACHE: &str = "-2000";

/// Which SQL is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Postgres,
    Sqlite,
}

/// Where the database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A `postgres://` URL, secret.
    Postgres(String),
    /// A SQLite file, created when missing.
    File(PathBuf),
    /// SQLite in memory: gone with the process.
    Memory,
}

impl FromStr for Location {
    type Err = DbError;

    /// `postgres://…`, `sqlite:PATH` or `memory:`.
    fn from_str(text: &str) -> Result<Self, DbError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Ok(Self::Postgres(text.to_owned()))
        } else if text == "memory:" || text == "sqlite::memory:" {
            Ok(Self::Memory)
        } else if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() {
                Err(DbError::Location)
            } else {
                Ok(Self::File(PathBuf::from(path)))
            }
        } else {
            Err(DbError::Location)
        }
    }
}

/// An open database.
#[derive(Debug, Clone)]
pub enum Database {
    Postgres {
        pool: PgPool,
        changes: Changes,
    },
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
        /// Sees what other processes change; there are none where the database is in memory.
        watcher: Option<Watcher>,
        changes: Changes,
    },
}

/// What this process's own changes have come to.
#[derive(Debug, Clone, Default)]
pub struct Changes(Arc<Noted>);

#[derive(Debug, Default)]
struct Noted {
    made: AtomicU64,
    refused: AtomicBool,
    /// Rings after each change.
    bell: Notify,
}

impl Changes {
    /// Remembers that a change was refused for want of room or leave, until one is made for proof: that a smaller one
    /// was made meanwhile says little.
    fn note<T>(&self, result: Result<T, DbError>) -> Result<T, DbError> {
        if let Err(error) = &result
            && matches!(error.trouble(), Trouble::ReadOnly | Trouble::Full)
        {
            self.0.refused.store(true, Ordering::Relaxed);
        }
        result
    }

    fn made_one(&self) {
        self.0.made.fetch_add(1, Ordering::Release);
        self.0.bell.notify_one();
    }

    fn forget_refusal(&self) {
        self.0.refused.store(false, Ordering::Relaxed);
    }

    fn were_refused(&self) -> bool {
        self.0.refused.load(Ordering::Relaxed)
    }
}

/// Begins a transaction in PostgreSQL. A connection that was cut while it rested is found out here, before anything was
/// asked of it: another takes its place, so that nobody sees that the database was away for a moment.
async fn begun(pool: &PgPool, statement: &'static str, changes: Changes) -> Result<Tx, DbError> {
    let mut cut = 0;
    loop {
        let begun = match patience::in_time(pool.begin_with(statement)).await {
            Ok(begun) => Tx::postgres(begun, changes.clone()).await,
            Err(error) => Err(error),
        };
        match begun {
            Err(error) if error.is_cut() && cut < PG_CONNECTIONS => cut += 1,
            begun => return begun,
        }
    }
}

/// Whether a connection that rests is in no transaction. SQLite takes a transaction back by itself when the disk is full
/// or cannot be read; sqlx then still counts one, and would begin no other on this connection. Such a one is closed, and
/// another opened in its place.
async fn is_sound(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    if !connection.is_in_transaction() {
        return Ok(true);
    }
    // A transaction that was dropped is being taken back behind our back: that is done before the answer comes.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

impl Database {
    /// Opens the database; creates a SQLite file that is missing. Does not migrate.
    pub async fn open(location: &Location) -> Result<Self, DbError> {
        match location {
            Location::Postgres(url) => {
                let options = PgConnectOptions::from_str(url).map_err(|_| DbError::Location)?;
                let pool = PgPoolOptions::new()
                    .max_connections(PG_CONNECTIONS)
                    .acquire_timeout(ACQUIRE_TIMEOUT)
                    // Asking every time would be a round trip more for each transaction of a busy desk.
                    .test_before_acquire(false)
                    .before_acquire(|connection, state| {
                        Box::pin(async move {
                            if state.idle_for > PG_RESTED {
                                connection.ping().await?;
                            }
                            Ok(true)
                        })
                    })
                    .after_connect(|connection, _| Box::pin(patience::bounded(connection)))
                    .after_release(|connection, _| Box::pin(patience::takes_leave(connection)))
                    .connect_with(options)
                    .await?;
                Ok(Self::Postgres {
                    pool,
                    changes: Changes::default(),
                })
            }
            Location::File(path) => {
                let options = SqliteConnectOptions::new()
                    .filename(path)
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .foreign_keys(true)
                    .busy_timeout(BUSY_TIMEOUT);
                let writer = SqlitePoolOptions::new()
                    .max_connections(1)
                    .acquire_timeout(BUSY_TIMEOUT)
                    .test_before_acquire(false)
                    .before_acquire(|connection, _| Box::pin(is_sound(connection)))
                    .connect_with(options.clone())
                    .await?;
                let readers = SqlitePoolOptions::new()
                    .max_connections(SQLITE_READERS)
                    .acquire_timeout(ACQUIRE_TIMEOUT)
                    // A file in this process does not hang up.
                    .test_before_acquire(false)
                    .before_acquire(|connection, _| Box::pin(is_sound(connection)))
                    .connect_with(options.clone().pragma("cache_size", READER_CACHE))
                    .await?;
                Ok(Self::Sqlite {
                    writer,
                    readers,
                    watcher: Some(Watcher::open(options).await?),
                    changes: Changes::default(),
                })
            }
            Location::Memory => {
                let options = SqliteConnectOptions::from_str("sqlite::memory:")
                    .map_err(|_| DbError::Location)?
                    .foreign_keys(true);
                let pool = SqlitePoolOptions::new()
                    .max_connections(1)
                    .idle_timeout(None)
                    .max_lifetime(None)
                    // Whoever stops waiting while it is tested would close it, and all that the memory holds were gone.
                    .test_before_acquire(false)
                    .acquire_timeout(BUSY_TIMEOUT)
                    .connect_with(options)
                    .await?;
                Ok(Self::Sqlite {
                    writer: pool.clone(),
                    readers: pool,
                    watcher: None,
                    changes: Changes::default(),
                })
            }
        }
    }

    /// Which SQL is spoken.
    pub const fn dialect(&self) -> Dialect {
        match self {
            Self::Postgres { .. } => Dialect::Postgres,
            Self::Sqlite { .. } => Dialect::Sqlite,
        }
    }

    /// Waits for the next change that this process makes, or for one since the last wait. For one listener.
    pub async fn changed(&self) {
        let (Self::Postgres { changes, .. } | Self::Sqlite { changes, .. }) = self;
        changes.0.bell.notified().await;
    }

    /// Begins a transaction that writes. SQLite takes the write lock at once, so that what it reads stays true.
    pub async fn write(&self) -> Result<Tx, DbError> {
        match self {
            Self::Postgres { pool, changes } => begun(pool, "BEGIN", changes.clone()).await,
            Self::Sqlite { writer, changes, .. } => {
                let begun = writer.begin_with("BEGIN IMMEDIATE").await.map_err(DbError::from);
                Ok(Tx::sqlite(changes.note(begun)?, changes.clone()))
            }
        }
    }

    /// Begins a transaction that reads one consistent snapshot.
    pub async fn read(&self) -> Result<Tx, DbError> {
        match self {
            Self::Postgres { pool, .. } => {
                let snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
                begun(pool, snapshot, Changes::default()).await
            }
            Self::Sqlite { readers, .. } => Ok(Tx::sqlite(readers.begin().await?, Changes::default())),
        }
    }

    /// The first row of one statement that reads, on its own: no transaction is begun for it, and no clock asked.
    pub async fn look_up(&self, sql: &str, values: Vec<Value>) -> Result<Option<Row>, DbError> {
        tx::look_up(self, sql, values).await
    }

    /// All rows of one statement that reads, on its own.
    pub async fn look_up_all(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, DbError> {
        tx::look_up_all(self, sql, values).await
    }

    /// Brings the schema up to date: Soniq's tables where they are missing, then ours.
    pub async fn migrate(&self) -> Result<(), DbError> {
        migrate::run(self).await
    }

    /// Whether the schema is at this program's version.
    pub async fn is_current(&self) -> Result<bool, DbError> {
        migrate::is_current(self).await
    }

    fn changes(&self) -> &Changes {
        let (Self::Postgres { changes, .. } | Self::Sqlite { changes, .. }) = self;
        changes
    }

    /// How many transactions that write this process has ended well: where it stays, nothing of ours has changed.
    pub fn changes_made(&self) -> u64 {
        self.changes().0.made.load(Ordering::Acquire)
    }

    /// Whether changes are taken at this moment. After one was refused for want of room, a small one is made for proof.
    pub async fn takes_changes(&self) -> Result<(), DbError> {
        let changes = self.changes();
        let mut tx = self.write().await?;
        tx.execute(
            "UPDATE dlo_migrations SET success = success WHERE version < 0",
            vec![],
        )
        .await?;
        if !changes.were_refused() {
            return tx.rollback().await;
        }
        // A session that nobody has, gone in the same transaction: pages are written all the same.
        let id = format!("probe-{}", uuid::Uuid::new_v4().simple());
        let filler = "0".repeat(PROBE_BYTES);
        let now = tx.now();
        tx.execute(
            "INSERT INTO dlo_sessions (id, data, expires_at) VALUES ($1, $2, $3)",
            crate::values![id.as_str(), filler, now],
        )
        .await?;
        tx.execute("DELETE FROM dlo_sessions WHERE id = $1", crate::values![id])
            .await?;
        tx.commit().await?;
        changes.forget_refusal();
        Ok(())
    }

    /// Closes all connections.
    pub async fn close(&self) {
        match self {
            Self::Postgres { pool, .. } => pool.close().await,
            Self::Sqlite {
                writer,
                readers,
                watcher,
                ..
            } => {
                readers.close().await;
                if let Some(watcher) = watcher {
                    watcher.close().await;
                }
                writer.close().await;
            }
        }
    }
}
