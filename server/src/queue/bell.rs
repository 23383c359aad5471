//! What wakes workers across processes: PostgreSQL's LISTEN. SQLite has only polling.

use crate::database::Database;
use crate::storage::jobs::NEW_JOB_CHANNEL;
use sqlx::postgres::PgListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The wait before a lost connection is tried again; polling covers it.
const RECONNECT: Duration = Duration::from_secs(2);

/// Rings the bell whenever a new job of these queues (`None`: of any) is announced, until `stop` is cancelled.
pub async fn listen(
    database: Database,
    queues: Option<Vec<String>>,
    bell: Arc<Notify>,
    stop: CancellationToken,
) {
    let Database::Postgres { pool, .. } = database else {
        return;
    };
    while !stop.is_cancelled() {
        tokio::select! {
            () = stop.cancelled() => return,
            error = ring(&pool, queues.as_deref(), &bell) => {
                tracing::warn!(error = %error, "the database's announcements are not heard; polling goes on");
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(RECONNECT) => {}
        }
    }
}

/// Rings until the connection is lost.
async fn ring(pool: &sqlx::PgPool, queues: Option<&[String]>, bell: &Notify) -> sqlx::Error {
    let mut listener = match PgListener::connect_with(pool).await {
        Ok(listener) => listener,
        Err(error) => return error,
    };
    if let Err(error) = listener.listen(NEW_JOB_CHANNEL).await {
        return error;
    }
    // Whatever was announced before somebody listened.
    bell.notify_one();
    loop {
        match listener.recv().await {
            Ok(announced) => {
                let ours =
                    queues.is_none_or(|queues| queues.iter().any(|queue| queue == announced.payload()));
                if ours {
                    bell.notify_one();
                }
            }
            Err(error) => return error,
        }
    }
}
