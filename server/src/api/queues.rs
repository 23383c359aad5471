//! `/queues`: the six keys, in one consistent snapshot.

use super::auth::By;
use super::{Reply, query};
use crate::web::Served;
use app::desk::QueuesView;
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;

/// All queues and their totals.
#[utoipa::path(get, path = "/queues", tag = "queues", security(("token" = [])),
    responses((status = 200, body = QueuesView)))]
pub async fn show(State(served): State<Served>, By(caller): By, RawQuery(text): RawQuery) -> Reply {
    query::none(text.as_deref())?;
    Ok(Json(served.office.queues(&caller).await?).into_response())
}
