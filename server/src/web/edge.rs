//! The outermost care for a request: its name, its body, its time, and a panic of ours.

use super::{Face, Limits, Reference, body};
use crate::api::problem::Problem;
use crate::office::kept::Moment;
use app::desk::{Code, DeskError};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument;
use uuid::Uuid;

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Lets the request see one moment of the database from its beginning to its end.
pub async fn in_one_moment(request: Request, next: Next) -> Response {
    Arc::<Moment>::default().during(next.run(request)).await
}

/// Names the request, reads its body whole, bounds its time, and turns a panic into an answer.
pub async fn guarded(State(limits): State<Limits>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let reference = Uuid::now_v7().simple().to_string();
    let face = Face::of(request.uri().path());
    // The template, never the query: a search may hold anything.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let span = tracing::info_span!("request", id = %reference, method = %request.method(), route = %route);
    request.extensions_mut().insert(Reference(reference.clone()));
    let answer = async {
        // `GET evil.test:80` and `OPTIONS *` are legal requests to a proxy, and none of ours.
        if request.uri().path_and_query().is_none() || !request.uri().path().starts_with('/') {
            return refuse(
                face,
                Code::InvalidRequest,
                "The address of the request is no path on this server.",
                &reference,
            );
        }
        let request = match body::whole(request).await {
            Ok(request) => request,
            Err(body::Broken) => {
                return refuse(
                    face,
                    Code::InvalidRequest,
                    "The body did not arrive whole.",
                    &reference,
                );
            }
        };
        let handled = AssertUnwindSafe(next.run(request)).catch_unwind();
        match tokio::time::timeout(limits.request_time, handled).await {
            Ok(Ok(response)) => response,
            Ok(Err(_panic)) => {
                tracing::error!("a handler panicked");
                refuse(
                    face,
                    Code::Internal,
                    "Something went wrong on our side; the log holds the details.",
                    &reference,
                )
            }
            Err(_elapsed) => {
                tracing::error!("a handler took too long");
                refuse(
                    face,
                    Code::Unavailable,
                    "This took too long. Look again before you repeat it.",
                    &reference,
                )
            }
        }
    };
    let mut response = answer.instrument(span.clone()).await;
    let status = response.status().as_u16();
    let milliseconds = began.elapsed().as_millis();
    span.in_scope(|| {
        if status >= 500 {
            tracing::warn!(status, milliseconds, "answered");
        } else {
            tracing::debug!(status, milliseconds, "answered");
        }
    });
    if let Ok(value) = HeaderValue::from_str(&reference) {
        response.headers_mut().insert(REQUEST_ID.clone(), value);
    }
    response
}

fn refuse(face: Face, code: Code, detail: &str, reference: &str) -> Response {
    face.refuse(Problem::from(DeskError::new(code, detail)), reference)
}
