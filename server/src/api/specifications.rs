//! `PUT /specifications/{id}`: what a generation is made from.

use super::Reply;
use super::auth::By;
use super::bodies::SpecificationReport;
use super::extract::{Body, PathId};
use crate::office::require;
use crate::web::Served;
use app::domain::guard::SpecificationFacts;
use app::domain::permission::Permission;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde_json::Value;

/// Keeps a specification's facts; facts older than the stored ones are ignored.
#[utoipa::path(put, path = "/specifications/{id}", tag = "facts", security(("token" = [])),
    params(("id" = String, Path)), request_body = SpecificationReport, responses((status = 200, body = SpecificationFacts)))]
pub async fn put(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Body(facts): Body<Value>,
) -> Reply {
    require(&caller, Permission::Report)?;
    Ok(Json(served.office.put_specification(&caller, &id, &facts).await?).into_response())
}
