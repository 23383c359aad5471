//! `/operations`: the durable records.

use super::auth::By;
use super::bodies::OperationReport;
use super::extract::{Body, PathOperation, expected_revision, must_be_absent};
use super::problem::Problem;
use super::{Reply, query};
use crate::office::require;
use crate::web::Served;
use app::desk::{Candidates, Code, OperationRow, OperationView, PageOf};
use app::domain::permission::Permission;
use app::domain::plan::Plan;
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// The operations, newest first.
#[utoipa::path(get, path = "/operations", tag = "operations", security(("token" = [])),
    params(("label" = Option<String>, Query), ("action" = Option<String>, Query), ("phase" = Option<String>, Query),
        ("owner" = Option<String>, Query), ("q" = Option<String>, Query),
        ("unseen" = Option<String>, Query, description = "only what no dead letter shows: `any`, or for this reason: `purged`, `never_died`, `stuck_submitting`, `stuck_accepted`"),
        ("cursor" = Option<String>, Query), ("limit" = Option<u32>, Query, minimum = 1, maximum = 200)),
    responses((status = 200, body = PageOf<OperationRow>)))]
pub async fn list(State(served): State<Served>, By(caller): By, RawQuery(text): RawQuery) -> Reply {
    let (filter, page) = query::operations(text.as_deref())?;
    Ok(Json(served.office.operations(&caller, &filter, &page).await?).into_response())
}

/// The revision as an entity tag.
fn tagged(status: StatusCode, operation: &OperationView) -> Response {
    let mut response = (status, Json(operation)).into_response();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", operation.revision)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// One operation with its plan, messages, recoveries, attempts, decisions and timeline.
#[utoipa::path(get, path = "/operations/{id}", tag = "operations", security(("token" = [])),
    params(("id" = String, Path)), responses((status = 200, body = OperationView)))]
pub async fn show(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    RawQuery(text): RawQuery,
) -> Reply {
    query::none(text.as_deref())?;
    Ok(tagged(
        StatusCode::OK,
        &served.office.operation(&caller, &id).await?,
    ))
}

/// Creates an operation: what the application wants, and where it stands.
#[utoipa::path(put, path = "/operations/{id}", tag = "operations", security(("token" = [])),
    params(("id" = String, Path), ("If-None-Match" = String, Header, description = "always `*`")),
    request_body = OperationReport,
    responses((status = 201, body = OperationView)))]
pub async fn create(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    headers: HeaderMap,
    Body(record): Body<Value>,
) -> Reply {
    require(&caller, Permission::Report)?;
    must_be_absent(&headers)?;
    let operation = served.office.put_operation(&caller, &id, &record).await?;
    Ok(tagged(StatusCode::CREATED, &operation))
}

/// Reports what the application has learnt since.
#[utoipa::path(patch, path = "/operations/{id}", tag = "operations", security(("token" = [])),
    params(("id" = String, Path), ("If-Match" = String, Header, description = "the revision, like `\"7\"`")),
    request_body = OperationReport,
    responses((status = 200, body = OperationView)))]
pub async fn report(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    headers: HeaderMap,
    Body(record): Body<Value>,
) -> Reply {
    require(&caller, Permission::Report)?;
    let revision = expected_revision(&headers)?;
    let operation = served
        .office
        .patch_operation(&caller, &id, revision, &record)
        .await?;
    Ok(tagged(StatusCode::OK, &operation))
}

/// The decided next action, with its guards as they stand for this caller.
#[utoipa::path(get, path = "/operations/{id}/plan", tag = "operations", security(("token" = [])),
    params(("id" = String, Path)), responses((status = 200, body = Plan)))]
pub async fn plan(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    RawQuery(text): RawQuery,
) -> Reply {
    query::none(text.as_deref())?;
    Ok(Json(served.office.plan(&caller, &id, None, None).await?).into_response())
}

/// What the provider's search finds. Evidence only: nothing is attached.
#[utoipa::path(get, path = "/operations/{id}/candidates", tag = "operations", security(("token" = [])),
    params(("id" = String, Path)), responses((status = 200, body = Candidates)))]
pub async fn candidates(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    RawQuery(text): RawQuery,
) -> Reply {
    query::none(text.as_deref())?;
    Ok(Json(served.office.candidates(&caller, &id).await?).into_response())
}

/// A path id that must be an operation's, inside a body.
pub fn operation_id(text: &str) -> Result<app::domain::ids::OperationId, Problem> {
    app::domain::ids::OperationId::parse(text).ok_or_else(|| {
        Problem::new(
            Code::InvalidRequest,
            "operation_id has 1 to 200 bytes and no control characters.",
        )
    })
}
