//! `PUT /owners/{id}`: what an owner may spend.

use super::Reply;
use super::auth::By;
use super::bodies::OwnerReport;
use super::extract::{Body, PathId};
use crate::office::require;
use crate::web::Served;
use app::domain::guard::OwnerFacts;
use app::domain::permission::Permission;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde_json::Value;

/// Keeps an owner's facts; facts older than the stored ones are ignored.
#[utoipa::path(put, path = "/owners/{id}", tag = "facts", security(("token" = [])),
    params(("id" = String, Path)), request_body = OwnerReport, responses((status = 200, body = OwnerFacts)))]
pub async fn put(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Body(facts): Body<Value>,
) -> Reply {
    require(&caller, Permission::Report)?;
    Ok(Json(served.office.put_owner(&caller, &id, &facts).await?).into_response())
}
