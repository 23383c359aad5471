//! `POST /operations/{id}/claim` and `…/release`: who is looking at an operation.

use super::Reply;
use super::auth::By;
use super::extract::{Body, Key, PathOperation};
use crate::web::Served;
use app::desk::ClaimView;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

/// An empty object: there is nothing to say.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// The answer to a release.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Released {
    /// `false` when nobody held it.
    released: bool,
}

/// Says that the caller is looking at the operation, for 30 minutes; in the place of another, where one was.
#[utoipa::path(post, path = "/operations/{id}/claim", tag = "claims", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Nothing,
    responses((status = 200, body = ClaimView)))]
pub async fn claim(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    Key(key): Key,
    Body(Nothing {}): Body<Nothing>,
) -> Reply {
    let claim = served.office.claim_operation(&caller, &id, &key).await?;
    Ok(Json(claim).into_response())
}

/// Ends the claim, whoever holds it.
#[utoipa::path(post, path = "/operations/{id}/release", tag = "claims", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Nothing,
    responses((status = 200, body = Released)))]
pub async fn release(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    Key(key): Key,
    Body(Nothing {}): Body<Nothing>,
) -> Reply {
    let released = served.office.release_operation(&caller, &id, &key).await?;
    Ok(Json(Released { released }).into_response())
}
