//! Is it alive, is it ready?

use super::{Served, metrics};
use crate::api::problem::RETRY_UNAVAILABLE;
use crate::database::{DbError, Trouble};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::time::Duration;

/// A database that does not answer in time is not reachable.
const PATIENCE: Duration = Duration::from_secs(3);

/// `/healthz`, `/readyz` and `/metrics`.
pub fn router() -> Router<Served> {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics::scrape))
}

/// The database is reachable, migrated, and takes changes.
async fn ready(State(served): State<Served>) -> Response {
    let database = &served.office.database;
    let why = match tokio::time::timeout(PATIENCE, database.is_current()).await {
        Ok(Ok(true)) => match tokio::time::timeout(PATIENCE, database.takes_changes()).await {
            Ok(Ok(())) => return "ready\n".into_response(),
            Ok(Err(error)) => unchangeable(&error),
            Err(_) => "the database takes no changes in time; reading works\n",
        },
        Ok(Ok(false)) => "the database is not migrated\n",
        Ok(Err(DbError::Newer)) => "the database was migrated by a newer program\n",
        Ok(Err(error)) => {
            tracing::warn!(error = %error, "not ready");
            "the database does not answer\n"
        }
        Err(_) => "the database does not answer\n",
    };
    let again = [(header::RETRY_AFTER, HeaderValue::from(RETRY_UNAVAILABLE))];
    (StatusCode::SERVICE_UNAVAILABLE, again, why).into_response()
}

/// Reading worked a moment ago.
fn unchangeable(error: &DbError) -> &'static str {
    tracing::warn!(error = %error, "not ready: the database takes no changes");
    match error.trouble() {
        Trouble::ReadOnly => "the database is read-only; reading works\n",
        Trouble::Full => "the database is full; reading works\n",
        Trouble::Busy => "the database takes no changes in time; reading works\n",
        Trouble::Away | Trouble::Other => "the database does not answer\n",
    }
}
