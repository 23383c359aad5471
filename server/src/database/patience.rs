//! A PostgreSQL that stays silent: a wire that carries nothing any more, or a host that is gone without a word. Without
//! a bound of our own a statement would wait for it as long as the system's network does: a quarter of an hour and more.

use super::error::DbError;
use sqlx::{Connection as _, PgConnection};
use std::time::Duration;

/// How long one statement may take. Ours take milliseconds; one that waits for a lock or reads a large table seconds.
/// Whoever asked waits half a minute as a rule, and is answered before.
const PATIENCE: Duration = Duration::from_secs(20);

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
