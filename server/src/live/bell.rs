//! How processes of one PostgreSQL tell each other that something changed. SQLite has nobody who could.

use crate::database::Database;
use crate::storage::marks::CHANGED_CHANNEL;
use sqlx::postgres::PgListener;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The wait before a lost connection is tried again; looking goes on meanwhile.
const RECONNECT: Duration = Duration::from_secs(2);

/// The least time between two announcements of one process.
const REST: Duration = Duration::from_millis(200);

/// Announces the changes of this process, until `stop` is cancelled. Outside their transactions: an announcement inside
/// one would make all commits wait for each other. One that is lost is made good by looking.
pub async fn announce(database: Database, stop: CancellationToken) {
    let Database::Postgres { pool, .. } = &database else {
        return;
    };
    while !stop.is_cancelled() {
        tokio::select! {
            () = stop.cancelled() => return,
            () = database.changed() => {}
        }
        let announced = sqlx::query("SELECT pg_notify($1, '')")
            .bind(CHANGED_CHANNEL)
            .execute(pool)
            .await;
        if let Err(error) = announced {
            tracing::debug!(error = %error, "a change was not announced");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(REST) => {}
        }
    }
}

/// Rings whenever something was changed, until `stop` is cancelled.
pub(super) async fn listen(database: &Database, wake: &Notify, stop: &CancellationToken) {
    let Database::Postgres { pool, .. } = database else {
        return;
    };
    while !stop.is_cancelled() {
        tokio::select! {
            () = stop.cancelled() => return,
            error = ring(pool, wake) => {
                tracing::warn!(error = %error, "the database's announcements are not heard; looking goes on");
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(RECONNECT) => {}
        }
    }
}

/// Rings until the connection is lost.
async fn ring(pool: &sqlx::PgPool, wake: &Notify) -> sqlx::Error {
    let mut listener = match PgListener::connect_with(pool).await {
        Ok(listener) => listener,
        Err(error) => return error,
    };
    if let Err(error) = listener.listen(CHANGED_CHANNEL).await {
        return error;
    }
    // Whatever was announced before somebody listened.
    wake.notify_one();
    loop {
        match listener.recv().await {
            Ok(_) => wake.notify_one(),
            Err(error) => return error,
        }
    }
}
