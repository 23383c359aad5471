//! `/audit`: who did what, newest first.

use super::auth::By;
use super::{Reply, query};
use crate::web::Served;
use app::desk::PageOf;
use app::domain::audit::AuditEntry;
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;

/// The audit, newest first.
#[utoipa::path(get, path = "/audit", tag = "audit", security(("token" = [])),
    params(("operation" = Option<String>, Query), ("actor" = Option<String>, Query), ("from" = Option<String>, Query),
        ("to" = Option<String>, Query), ("cursor" = Option<String>, Query),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 200)),
    responses((status = 200, body = PageOf<AuditEntry>)))]
pub async fn list(State(served): State<Served>, By(caller): By, RawQuery(text): RawQuery) -> Reply {
    let (filter, page) = query::audit(text.as_deref())?;
    Ok(Json(served.office.audit(&caller, &filter, &page).await?).into_response())
}
