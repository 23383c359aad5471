//! A PostgreSQL that stays silent: a wire that carries nothing any more, or a host that is gone without a word. Without
//! a bound of our own a statement would wait for it as long as the system's network does: a quarter of an hour and more.

use super::error::DbError;
use sqlx::{Connection as _, Executor as _, PgConnection};
use std::time::Duration;

/// How long one statement may stay without an answer. Ours take milliseconds; one that waits for a lock or reads a large
/// table seconds, and the server ends it by itself before this: see [`bounded`]. Whoever asked waits half a minute as a
/// rule, and is answered before.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long the server lets a statement wait for a lock: as long as SQLite waits for another writer.
const LOCK: Duration = Duration::from_secs(10);

/// How long the server works on one statement, with all the locks that it waits for. Less than [`PATIENCE`]: what it ends
/// itself is a busy database, and no silent one.
const STATEMENT: Duration = Duration::from_secs(18);

/// Has the server bound what is asked on this connection. Stricter bounds, which its operator set for the database or the
/// role, stay.
pub(super) async fn bounded(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let sql = "SELECT set_config(bound.name, bound.milliseconds::text, false) \
               FROM (VALUES ('lock_timeout', $1), ('statement_timeout', $2)) AS bound (name, milliseconds) \
               JOIN pg_settings AS found ON found.name = bound.name \
               WHERE found.setting::bigint NOT BETWEEN 1 AND bound.milliseconds";
    let milliseconds = |bound: Duration| i64::try_from(bound.as_millis()).unwrap_or(i64::MAX);
    sqlx::query(sql)
        .bind(milliseconds(LOCK))
        .bind(milliseconds(STATEMENT))
        .execute(connection)
        .await
        .map(drop)
}

/// Takes the bounds off: a migration takes as long as the tables are large, and waits for another's.
pub(super) async fn unbounded(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    connection
        .execute("SET lock_timeout = 0; SET statement_timeout = 0")
        .await
        .map(drop)
}

/// How long a connection that is given back may take to say that it is well.
const FAREWELL: Duration = Duration::from_secs(5);

/// What was asked for, or [`DbError::Silent`] after [`PATIENCE`].
pub(super) async fn in_time<T>(asked: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, DbError> {
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(answer) => Ok(answer?),
        Err(_elapsed) => Err(DbError::Silent),
    }
}

/// Asks a connection that is given back, which also takes back what was not committed. One that stays silent is closed;
/// otherwise it would keep its place in the pool.
pub(super) async fn takes_leave(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    match tokio::time::timeout(FAREWELL, connection.ping()).await {
        Ok(answer) => answer.map(|()| true),
        Err(elapsed) => Err(sqlx::Error::Io(elapsed.into())),
    }
}
