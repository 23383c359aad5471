//! A transaction on either database. Everything that reads or writes goes through one.

use super::error::DbError;
use super::patience::in_time;
use super::row::Row;
use super::time::sqlite_time;
use super::value::Value;
use super::{Changes, Database, Dialect};
use crate::fault;
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
    changes: Changes,
}

impl Tx {
    pub(super) async fn postgres(
        mut tx: Transaction<'static, Postgres>,
        changes: Changes,
    ) -> Result<Self, DbError> {
        let clock = sqlx::query_as("SELECT clock_timestamp()");
        let (now,): (DateTime<Utc>,) = in_time(clock.fetch_one(&mut *tx)).await?;
        Ok(Self {
            inner: Inner::Postgres(tx),
            now,
            changes,
        })
    }

    pub(super) fn sqlite(tx: Transaction<'static, Sqlite>, changes: Changes) -> Self {
        // SQLite runs in this process: its clock is this machine's clock. Microseconds, as the columns keep them.
        let now = Utc::now();
        let micros = DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now);
        Self {
            inner: Inner::Sqlite(tx),
            now: micros,
            changes,
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
        let done = match &mut self.inner {
            Inner::Postgres(tx) => {
                let query = bind_postgres(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                let done = in_time(query.execute(&mut **tx)).await;
                done.map(|done| done.rows_affected())
            }
            Inner::Sqlite(tx) => {
                let query = bind_sqlite(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                let done = query.execute(&mut **tx).await;
                done.map(|done| done.rows_affected()).map_err(DbError::from)
            }
        };
        self.changes.note(done)
    }

    /// All rows.
    pub async fn fetch_all(&mut self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, DbError> {
        match &mut self.inner {
            Inner::Postgres(tx) => {
                let query = bind_postgres(sqlx::query(AssertSqlSafe(sql.to_owned())), values);
                let rows = in_time(query.fetch_all(&mut **tx)).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
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
                Ok(in_time(query.fetch_optional(&mut **tx)).await?.map(Row::Postgres))
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
        let done = match self.inner {
            Inner::Postgres(tx) => in_time(tx.commit()).await,
            Inner::Sqlite(tx) => tx.commit().await.map_err(DbError::from),
        };
        self.changes.note(done)?;
        self.changes.made_one();
        Ok(())
    }

    /// Makes it so. `step` names what was written: a test can stop the program just before and just after it.
    pub async fn commit_at(self, step: &'static str) -> Result<(), DbError> {
        fault::point(step, "written").await;
        self.commit().await?;
        fault::point(step, "committed").await;
        Ok(())
    }

    /// Takes it all back.
    pub async fn rollback(self) -> Result<(), DbError> {
        match self.inner {
            Inner::Postgres(tx) => in_time(tx.rollback()).await?,
            Inner::Sqlite(tx) => tx.rollback().await?,
        }
        Ok(())
    }
}

/// See [`Database::look_up`].
pub(super) async fn look_up(
    database: &Database,
    sql: &str,
    values: Vec<Value>,
) -> Result<Option<Row>, DbError> {
    let sql = AssertSqlSafe(sql.to_owned());
    match database {
        Database::Postgres { pool, .. } => {
            let row = in_time(bind_postgres(sqlx::query(sql), values).fetch_optional(pool)).await?;
            Ok(row.map(Row::Postgres))
        }
        Database::Sqlite { readers, .. } => Ok(bind_sqlite(sqlx::query(sql), values)
            .fetch_optional(readers)
            .await?
            .map(Row::Sqlite)),
    }
}

/// See [`Database::look_up_all`].
pub(super) async fn look_up_all(
    database: &Database,
    sql: &str,
    values: Vec<Value>,
) -> Result<Vec<Row>, DbError> {
    let sql = AssertSqlSafe(sql.to_owned());
    match database {
        Database::Postgres { pool, .. } => {
            let rows = in_time(bind_postgres(sqlx::query(sql), values).fetch_all(pool)).await?;
            Ok(rows.into_iter().map(Row::Postgres).collect())
        }
        Database::Sqlite { readers, .. } => {
            let rows = bind_sqlite(sqlx::query(sql), values).fetch_all(readers).await?;
            Ok(rows.into_iter().map(Row::Sqlite).collect())
        }
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
