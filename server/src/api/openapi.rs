//! The API's own description, for programs: `/api/v1/openapi.json`, readable without a token.

use super::problem::ProblemBody;
use super::{
    audit, claims, dead_letters, decisions, notes, operations, owners, queues, recoveries, specifications,
};
use axum::response::{IntoResponse, Response};
use std::sync::LazyLock;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, HttpMethod, OpenApi as Document, Ref, ResponseBuilder};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(title = "Dead Letter Office", description = "What is still possible with dead-lettered generation jobs."),
    servers((url = "/api/v1")),
    paths(
        operations::list, operations::show, operations::create, operations::report, operations::plan,
        operations::candidates, recoveries::confirm, decisions::decide, notes::write,
        claims::claim, claims::release, recoveries::list, recoveries::show,
        recoveries::cancel, recoveries::approve, recoveries::report, dead_letters::list, dead_letters::show,
        dead_letters::replay, dead_letters::purge, dead_letters::link, dead_letters::acknowledge, queues::show,
        audit::list, owners::put, specifications::put,
    ),
    components(schemas(ProblemBody)),
    modifiers(&Common)
)]
struct Api;

/// What every call has in common: the token, and the refusals.
struct Common;

fn refusals(method: &HttpMethod, path: &str) -> Vec<(&'static str, &'static str)> {
    let mut all = vec![
        ("400", "invalid_request, missing_idempotency_key, bad_id"),
        ("401", "unauthenticated"),
        ("403", "role_required"),
        ("503", "unavailable, with Retry-After"),
    ];
    if path.contains("{id}") {
        all.push(("404", "not_found"));
    }
    if *method != HttpMethod::Get {
        all.extend([
            ("413", "body_too_large"),
            ("415", "unsupported_media_type"),
            ("422", "the body is well-formed, but is refused: see code"),
            ("429", "slow_down, with Retry-After"),
        ]);
    }
    if *method == HttpMethod::Post {
        all.push((
            "409",
            "plan_stale (with plan), recovery_active, record_exists, record_required",
        ));
    }
    if path == "/operations/{id}" && (*method == HttpMethod::Put || *method == HttpMethod::Patch) {
        all.extend([
            ("412", "already_exists, revision_mismatch"),
            ("428", "precondition_required"),
        ]);
    }
    all
}

impl Modify for Common {
    fn modify(&self, document: &mut Document) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("dlo_…")
            .build();
        if let Some(components) = document.components.as_mut() {
            components.add_security_scheme("token", SecurityScheme::Http(scheme));
        }
        for (path, item) in &mut document.paths.paths {
            let operations: [(HttpMethod, &mut Option<Operation>); 4] = [
                (HttpMethod::Get, &mut item.get),
                (HttpMethod::Put, &mut item.put),
                (HttpMethod::Post, &mut item.post),
                (HttpMethod::Patch, &mut item.patch),
            ];
            for (method, operation) in operations {
                let Some(operation) = operation else { continue };
                for (status, description) in refusals(&method, path) {
                    let content = ContentBuilder::new()
                        .schema(Some(Ref::from_schema_name("ProblemBody")))
                        .build();
                    let response = ResponseBuilder::new()
                        .description(description)
                        .content("application/problem+json", content)
                        .build();
                    operation
                        .responses
                        .responses
                        .entry(status.to_owned())
                        .or_insert_with(|| response.into());
                }
            }
        }
    }
}

static JSON: LazyLock<String> = LazyLock::new(|| document().to_json().unwrap_or_else(|_| "{}".to_owned()));

/// The whole description.
pub fn document() -> Document {
    Api::openapi()
}

/// `GET /api/v1/openapi.json`.
pub async fn show() -> Response {
    (
        [(axum::http::header::CONTENT_TYPE, "application/json")],
        JSON.as_str(),
    )
        .into_response()
}
