//! The JSON API: one file per noun. A handler extracts, makes one call on the office, and answers.

mod audit;
mod auth;
pub mod bodies;
mod claims;
mod dead_letters;
mod decisions;
pub mod extract;
mod notes;
mod openapi;
mod operations;
mod owners;
pub mod problem;
pub mod query;
mod queues;
mod recoveries;
mod specifications;

pub use openapi::document;

use crate::web::Served;
use crate::web::permissions::ruled;
use app::desk::Code;
use axum::Router;
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post, put};
use problem::Problem;

/// Where the API lives.
pub const ROOT: &str = "/api/v1";

/// What a handler answers.
pub type Reply = Result<Response, Problem>;

/// Every route of the API, below [`ROOT`].
pub fn router(served: Served) -> Router<Served> {
    Router::new()
        .route("/operations", get(operations::list))
        .route(
            "/operations/{id}",
            get(operations::show)
                .put(operations::create)
                .patch(operations::report),
        )
        .route("/operations/{id}/plan", get(operations::plan))
        .route("/operations/{id}/candidates", get(operations::candidates))
        .route("/operations/{id}/recoveries", post(recoveries::confirm))
        .route("/operations/{id}/decisions", post(decisions::decide))
        .route("/operations/{id}/notes", post(notes::write))
        .route("/operations/{id}/claim", post(claims::claim))
        .route("/operations/{id}/release", post(claims::release))
        .route("/recoveries", get(recoveries::list))
        .route("/recoveries/{id}", get(recoveries::show))
        .route("/recoveries/{id}/cancel", post(recoveries::cancel))
        .route("/recoveries/{id}/approve", post(recoveries::approve))
        .route("/recoveries/{id}/report", post(recoveries::report))
        .route("/dead-letters", get(dead_letters::list))
        .route("/dead-letters/{id}", get(dead_letters::show))
        .route("/dead-letters/{id}/replay", post(dead_letters::replay))
        .route("/dead-letters/{id}/purge", post(dead_letters::purge))
        .route("/dead-letters/{id}/link", post(dead_letters::link))
        .route("/dead-letters/{id}/acknowledge", post(dead_letters::acknowledge))
        .route("/queues", get(queues::show))
        .route("/audit", get(audit::list))
        .route("/owners/{id}", put(owners::put))
        .route("/specifications/{id}", put(specifications::put))
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(ruled))
        .layer(middleware::from_fn_with_state(served, auth::bearer))
        // After the layer: the description needs no token.
        .route(
            "/openapi.json",
            get(openapi::show).layer(middleware::from_fn(ruled)),
        )
}

async fn unknown() -> Problem {
    Problem::new(Code::NotFound, "There is no such route.")
}

async fn wrong_method() -> Problem {
    Problem::new(Code::MethodNotAllowed, "This route does not have that method.")
}
