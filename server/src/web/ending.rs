//! What is answered while this server ends: come back in a moment, somebody else will be here.

use super::{Face, Reference, Served};
use crate::api::problem::Problem;
use app::desk::{Code, DeskError};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Seconds after which another server, or this one again, may be asked.
const RETRY: u64 = 2;

/// Lets requests through until the end begins. Whether this is alive can be asked to the last.
pub async fn refuse_at_the_end(State(served): State<Served>, request: Request, next: Next) -> Response {
    if !served.office.ending.is_cancelled() || matches!(request.uri().path(), "/healthz" | "/metrics") {
        return next.run(request).await;
    }
    let error = DeskError::new(
        Code::Unavailable,
        "This server is ending, and nothing was done. Ask again in a moment.",
    );
    let problem = Problem {
        retry_after: Some(RETRY),
        ..Problem::from(error)
    };
    let face = Face::of(request.uri().path());
    let mut response = face.refuse(problem, &Reference::of(&request));
    response
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
