//! One small face for two databases, so that SQL which is the same in both is written once.
//!
//! Both take `$1` placeholders. What differs is how values are bound and read: UUIDs, times, booleans and JSON
//! have a type of their own in PostgreSQL and are text or numbers in SQLite, written exactly as Soniq writes them.

mod error;
mod migrate;
mod row;
mod time;
mod tx;
mod value;

pub use error::DbError;
pub use row::Row;
pub use time::{parse_sqlite_time, sqlite_time};
pub use tx::{Proof, Tx};
pub use value::Value;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{PgPool, SqlitePool};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How long SQLite waits for another writer before it gives up.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections to PostgreSQL per process.
const PG_CONNECTIONS: u32 = 16;
/// How long a request waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// Readers of one SQLite file per process; there is always one writer.
const SQLITE_READERS: u32 = 4;

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
    Postgres { pool: PgPool },
    Sqlite { writer: SqlitePool, readers: SqlitePool },
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
                    .connect_with(options)
                    .await?;
                Ok(Self::Postgres { pool })
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
                    .connect_with(options.clone())
                    .await?;
                let readers = SqlitePoolOptions::new()
                    .max_connections(SQLITE_READERS)
                    .acquire_timeout(ACQUIRE_TIMEOUT)
                    .connect_with(options)
                    .await?;
                Ok(Self::Sqlite { writer, readers })
            }
            Location::Memory => {
                let options = SqliteConnectOptions::from_str("sqlite::memory:")
                    .map_err(|_| DbError::Location)?
                    .foreign_keys(true);
                let pool = SqlitePoolOptions::new()
                    .max_connections(1)
                    .idle_timeout(None)
                    .max_lifetime(None)
                    .acquire_timeout(BUSY_TIMEOUT)
                    .connect_with(options)
                    .await?;
                Ok(Self::Sqlite {
                    writer: pool.clone(),
                    readers: pool,
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

    /// Begins a transaction that writes. SQLite takes the write lock at once, so that what it reads stays true.
    pub async fn write(&self) -> Result<Tx, DbError> {
        match self {
            Self::Postgres { pool } => Tx::postgres(pool.begin().await?).await,
            Self::Sqlite { writer, .. } => Ok(Tx::sqlite(writer.begin_with("BEGIN IMMEDIATE").await?)),
        }
    }

    /// Begins a transaction that reads one consistent snapshot.
    pub async fn read(&self) -> Result<Tx, DbError> {
        match self {
            Self::Postgres { pool } => {
                Tx::postgres(
                    pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                        .await?,
                )
                .await
            }
            Self::Sqlite { readers, .. } => Ok(Tx::sqlite(readers.begin().await?)),
        }
    }

    /// Brings the schema up to date: Soniq's tables where they are missing, then ours.
    pub async fn migrate(&self) -> Result<(), DbError> {
        migrate::run(self).await
    }

    /// Whether the schema is at this program's version.
    pub async fn is_current(&self) -> Result<bool, DbError> {
        migrate::is_current(self).await
    }

    /// Closes all connections.
    pub async fn close(&self) {
        match self {
            Self::Postgres { pool } => pool.close().await,
            Self::Sqlite { writer, readers } => {
                readers.close().await;
                writer.close().await;
            }
        }
    }
}
