//! Is it alive, is it ready?

use super::{Served, metrics};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
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

/// The database is reachable and migrated.
async fn ready(State(served): State<Served>) -> Response {
    let answer = match tokio::time::timeout(PATIENCE, served.office.database.is_current()).await {
        Ok(Ok(true)) => return "ready\n".into_response(),
        Ok(Ok(false)) => "the database is not migrated\n",
        Ok(Err(error)) => {
            tracing::warn!(error = %error, "not ready");
            "the database does not answer\n"
        }
        Err(_) => "the database does not answer\n",
    };
    (StatusCode::SERVICE_UNAVAILABLE, answer).into_response()
}
