//! Figures for Prometheus. Requests are counted as they are answered; the rest is read when somebody asks.

use super::Served;
use crate::database::{Database, DbError};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Seconds; the pages aim at two milliseconds.
const BUCKETS: [f64; 11] = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 20.0];

const REQUESTS: &str = "dlo_http_requests_total";
const SECONDS: &str = "dlo_http_request_duration_seconds";
const RECOVERIES: &str = "dlo_recoveries";
const QUEUE_JOBS: &str = "dlo_queue_jobs";
const UP: &str = "dlo_database_up";
const OPEN_PAGES: &str = "dlo_open_pages";

/// After so many answers their times are sorted into the buckets: until then each is kept one by one, whether anybody asks
/// for the figures or not.
const SORTED: u64 = 4096;

static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
static ANSWERED: AtomicU64 = AtomicU64::new(0);

/// Installs the recorder of this process. Further calls change nothing.
pub fn install() {
    HANDLE.get_or_init(|| {
        let builder =
            PrometheusBuilder::new().set_buckets_for_metric(Matcher::Full(SECONDS.to_owned()), &BUCKETS);
        let handle = builder.and_then(PrometheusBuilder::install_recorder);
        if let Err(error) = &handle {
            tracing::warn!(error = %error, "no metrics are kept");
        }
        describe_counter!(REQUESTS, "Requests answered, by route and status.");
        describe_histogram!(SECONDS, Unit::Seconds, "Time to answer, by route.");
        describe_gauge!(RECOVERIES, "Recoveries by state.");
        describe_gauge!(QUEUE_JOBS, "Jobs by state, dead letters included.");
        describe_gauge!(OPEN_PAGES, "Pages of this process that wait for changes.");
        describe_gauge!(UP, "1 when the database answered.");
        handle.ok()
    });
}

/// Counts a request under its route's template: ids in paths would make endless series.
pub async fn count(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().as_str().to_owned();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let response = next.run(request).await;
    let status = response.status().as_str().to_owned();
    counter!(REQUESTS, "method" => method, "route" => route.clone(), "status" => status).increment(1);
    histogram!(SECONDS, "route" => route).record(began.elapsed().as_secs_f64());
    if ANSWERED.fetch_add(1, Ordering::Relaxed) % SORTED == SORTED - 1
        && let Some(handle) = HANDLE.get().and_then(Option::as_ref)
    {
        handle.run_upkeep();
    }
    response
}

/// Small counts fit a float exactly.
fn figure(count: i64) -> f64 {
    f64::from(i32::try_from(count).unwrap_or(i32::MAX))
}

async fn read(database: &Database) -> Result<(), DbError> {
    use app::domain::recovery::RecoveryState;
    let mut tx = database.read().await?;
    let rows = tx
        .fetch_all(
            "SELECT state, COUNT(*) AS n FROM dlo_recoveries GROUP BY state",
            vec![],
        )
        .await?;
    let mut counts = Vec::with_capacity(rows.len());
    for row in rows {
        counts.push((row.text("state")?, row.int("n")?));
    }
    for state in RecoveryState::ALL {
        let count = counts
            .iter()
            .find(|(name, _)| name == state.as_str())
            .map_or(0, |(_, count)| *count);
        gauge!(RECOVERIES, "state" => state.as_str()).set(figure(count));
    }
    let rows = tx
        .fetch_all(
            "SELECT status, COUNT(*) AS n FROM soniq_jobs GROUP BY status",
            vec![],
        )
        .await?;
    let mut counts = Vec::with_capacity(rows.len());
    for row in rows {
        counts.push((row.text("status")?, row.int("n")?));
    }
    for status in ["queued", "processing", "done", "cancelled"] {
        let count = counts
            .iter()
            .find(|(name, _)| name == status)
            .map_or(0, |(_, count)| *count);
        gauge!(QUEUE_JOBS, "state" => status).set(figure(count));
    }
    let row = tx
        .fetch_one("SELECT COUNT(*) AS n FROM soniq_dead_letter_jobs", vec![])
        .await?;
    gauge!(QUEUE_JOBS, "state" => "dead_letter").set(figure(row.int("n")?));
    Ok(())
}

/// `/metrics`.
pub async fn scrape(State(served): State<Served>) -> Response {
    let up = match read(&served.office.database).await {
        Ok(()) => 1.0,
        Err(error) => {
            tracing::warn!(error = %error, "the database could not be read for metrics");
            0.0
        }
    };
    gauge!(UP).set(up);
    let waiting = i64::try_from(served.office.live.waiting()).unwrap_or(i64::MAX);
    gauge!(OPEN_PAGES).set(figure(waiting));
    match HANDLE.get().and_then(Option::as_ref) {
        Some(handle) => {
            handle.run_upkeep();
            (
                [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
                handle.render(),
            )
                .into_response()
        }
        None => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}
