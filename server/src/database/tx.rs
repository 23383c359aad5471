//! A transaction on either database. Everything that reads or writes goes through one.

use super::Dialect;
use super::error::DbError;
use super::row::Row;
use super::time::sqlite_time;
use super::value::Value;
use chrono::{DateTime, Utc};
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, Postgres, Sqlite, Transaction};

/// Proof that a value was made inside a write transaction; storage verbs hand it out where "only while holding" matters.
#[derive(Debug)]
pub struct Proof(());

enum Inner {
    Postgres(Transaction<'static, Postgres>),
    Sqlite(Transaction<'static, Sqlite>),
}

/// A transaction. Dropped without [`Tx::commit`], it is rolled back.
pub struct Tx {
    inner: Inner,
    now: DateTime<Utc>,
}

impl Tx {
    pub(super) async fn postgres(mut tx: Transaction<'static, Postgres>) -> Result<Self, DbError> {
        let (now,): (DateTime<Utc>,) = sqlx::query_as("SELECT clock_timestamp()")
            .fetch_one(&mut *tx)
            .await?;
        Ok(Self {
            inner: Inner::Postgres(tx),
            now,
        })
    }

    pub(super) fn sqlite(tx: Transaction<'static, Sqlite>) -> Self {
        // SQLite runs in this process: its clock is this machine's clock. Microseconds, as the columns keep them.
        let now = Utc::now();
        let micros = DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now);
        Self {
            inner: Inner::Sqlite(tx),
            now: micros,
        }
    }

    /// The database's clock when the transaction began.
    pub const fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// Which SQL is spoken.
    pub const fn dialect(&self) -> Dialect {
        match self.inner {
            Inner::Postgres(_) => Dialect::Postgres,
            Inner::Sqlite(_) => Dialect::Sqlite,
        }
    }

    /// `postgres` in PostgreSQL, `sqlite` in SQLite: for the few places where the SQL really differs.
    pub const fn pick<'s>(&self, postgres: &'s str, sqlite: &'s str) -> &'s str {
        match self.inner {
            Inner::Postgres(_) => postgres,
            Inner::Sqlite(_) => sqlite,
        }
    }

    /// ` FOR UPDATE` where rows are locked one by one; nothing where the whole database is.
    pub const fn for_update(&self) -> &'static str {
        match self.inner {
            Inner::Postgres(_) => " FOR UPDATE",
            Inner::Sqlite(_) => "",
        }
    }

    /// How to select a JSON column as text: `args::text` or `args`.
    pub fn json_text(&self, column: &str) -> String {
        match self.inner {
            Inner::Postgres(_) => format!("{column}::text"),
            Inner::Sqlite(_) => column.to_owned(),
        }
    }

    /// Runs a statement; answers how many rows it changed.
    pub async fn execute(&mut self, sql: &str, values: Vec<Value>) -> Result<u64, DbError> {
        match &mut self.inner {
            Inner::Postgres(tx) => {
                let query = bind_postgres(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                Ok(query.execute(&mut **tx).await?.rows_affected())
            }
            Inner::Sqlite(tx) => {
                let query = bind_sqlite(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                Ok(query.execute(&mut **tx).await?.rows_affected())
            }
        }
    }

    /// All rows.
    pub async fn fetch_all(&mut self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, DbError> {
        match &mut self.inner {
            Inner::Postgres(tx) => {
                let query = bind_postgres(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                Ok(query
                    .fetch_all(&mut **tx)
                    .await?
                    .into_iter()
                    .map(Row::Postgres)
                    .collect())
            }
            Inner::Sqlite(tx) => {
                let query = bind_sqlite(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                Ok(query
                    .fetch_all(&mut **tx)
                    .await?
                    .into_iter()
                    .map(Row::Sqlite)
                    .collect())
            }
        }
    }

    /// The first row, if there is one.
    pub async fn fetch_optional(&mut self, sql: &str, values: Vec<Value>) -> Result<Option<Row>, DbError> {
        match &mut self.inner {
            Inner::Postgres(tx) => {
                let query = bind_postgres(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                Ok(query.fetch_optional(&mut **tx).await?.map(Row::Postgres))
            }
            Inner::Sqlite(tx) => {
                let query = bind_sqlite(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                Ok(query.fetch_optional(&mut **tx).await?.map(Row::Sqlite))
            }
        }
    }

    /// The one row.
    pub async fn fetch_one(&mut self, sql: &str, values: Vec<Value>) -> Result<Row, DbError> {
        self.fetch_optional(sql, values)
            .await?
            .ok_or(DbError::Sqlx(sqlx::Error::RowNotFound))
    }

    /// Makes it so.
    pub async fn commit(self) -> Result<(), DbError> {
        match self.inner {
            Inner::Postgres(tx) => tx.commit().await?,
            Inner::Sqlite(tx) => tx.commit().await?,
        }
        Ok(())
    }

    /// Takes it all back.
    pub async fn rollback(self) -> Result<(), DbError> {
        match self.inner {
            Inner::Postgres(tx) => tx.rollback().await?,
            Inner::Sqlite(tx) => tx.rollback().await?,
        }
        Ok(())
    }
}

fn bind_postgres(
    mut query: Query<'static, Postgres, PgArguments>,
    values: Vec<Value>,
) -> Query<'static, Postgres, PgArguments> {
    for value in values {
        query = match value {
            // PostgreSQL text cannot hold a NUL; what we write ourselves loses it rather than fails.
            Value::Text(text) => query.bind(text.map(|text| text.replace('\0', ""))),
            Value::Int(number) => query.bind(number),
            Value::Bool(flag) => query.bind(flag),
            Value::Time(at) => query.bind(at),
            Value::Uuid(id) => query.bind(id),
            Value::Json(json) => query.bind(json.map(Json)),
            Value::Bytes(bytes) => query.bind(bytes),
        };
    }
    query
}

fn bind_sqlite(
    mut query: Query<'static, Sqlite, SqliteArguments>,
    values: Vec<Value>,
) -> Query<'static, Sqlite, SqliteArguments> {
    for value in values {
        query = match value {
            Value::Text(text) => query.bind(text),
            Value::Int(number) => query.bind(number),
            Value::Bool(flag) => query.bind(flag),
            Value::Time(at) => query.bind(at.map(sqlite_time)),
            Value::Uuid(id) => query.bind(id.map(|id| id.as_hyphenated().to_string())),
            Value::Json(json) => query.bind(json.map(|json| json.get().to_owned())),
            Value::Bytes(bytes) => query.bind(bytes),
        };
    }
    query
}
