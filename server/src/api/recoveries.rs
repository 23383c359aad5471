//! `/recoveries`: confirmed plans being carried out.

use super::auth::By;
use super::bodies::RecoveryReport;
use super::extract::{Body, Key, PathId, PathOperation, Reason, reason};
use super::problem::Problem;
use super::{Reply, query};
use crate::web::Served;
use app::desk::{Code, Ordered, PageOf, RecoveryOrder};
use app::domain::ids::{JobId, RecoveryId};
use app::domain::recovery::Recovery;
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::Value;

fn recovery_id(text: &str) -> Result<RecoveryId, Problem> {
    RecoveryId::parse(text).ok_or_else(|| Problem::new(Code::BadId, "A recovery's id is a UUID."))
}

/// Recoveries: active first, then newest first.
#[utoipa::path(get, path = "/recoveries", tag = "recoveries", security(("token" = [])),
    params(("state" = Option<String>, Query), ("operation" = Option<String>, Query), ("cursor" = Option<String>, Query),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 200)),
    responses((status = 200, body = PageOf<Recovery>)))]
pub async fn list(State(served): State<Served>, By(caller): By, RawQuery(text): RawQuery) -> Reply {
    let (filter, page) = query::recoveries(text.as_deref())?;
    Ok(Json(served.office.recoveries(&caller, &filter, &page).await?).into_response())
}

/// One recovery.
#[utoipa::path(get, path = "/recoveries/{id}", tag = "recoveries", security(("token" = [])),
    params(("id" = String, Path)), responses((status = 200, body = Recovery)))]
pub async fn show(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    RawQuery(text): RawQuery,
) -> Reply {
    query::none(text.as_deref())?;
    let id = recovery_id(&id)?;
    Ok(Json(served.office.recovery(&caller, &id.to_string()).await?).into_response())
}

/// Confirms the plan that the caller saw.
#[utoipa::path(post, path = "/operations/{id}/recoveries", tag = "recoveries", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = RecoveryOrder,
    responses((status = 202, body = Ordered)))]
pub async fn confirm(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    Key(key): Key,
    Body(order): Body<RecoveryOrder>,
) -> Reply {
    let order = RecoveryOrder {
        reason: reason(&order.reason)?.to_owned(),
        ..order
    };
    if order
        .job_id
        .as_ref()
        .is_some_and(|job_id| JobId::parse(job_id.as_str()).is_none())
    {
        return Err(Problem::new(
            Code::InvalidRequest,
            "job_id has 1 to 200 bytes and no control characters.",
        ));
    }
    let ordered = served.office.confirm(&caller, &id, order, &key).await?;
    Ok((StatusCode::ACCEPTED, Json(ordered)).into_response())
}

/// Takes back a recovery that has not begun.
#[utoipa::path(post, path = "/recoveries/{id}/cancel", tag = "recoveries", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Reason,
    responses((status = 200, body = Recovery)))]
pub async fn cancel(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Key(key): Key,
    Body(body): Body<Reason>,
) -> Reply {
    let id = recovery_id(&id)?;
    Ok(Json(
        served
            .office
            .cancel(&caller, id, reason(&body.reason)?, &key)
            .await?,
    )
    .into_response())
}

/// The second person's agreement to a creation.
#[utoipa::path(post, path = "/recoveries/{id}/approve", tag = "recoveries", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Reason,
    responses((status = 200, body = Recovery)))]
pub async fn approve(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Key(key): Key,
    Body(body): Body<Reason>,
) -> Reply {
    let id = recovery_id(&id)?;
    Ok(Json(
        served
            .office
            .approve(&caller, id, reason(&body.reason)?, &key)
            .await?,
    )
    .into_response())
}

/// What the application's own worker saw of an action that was handed to it: `observation`, `outputs` or `outcome`.
#[utoipa::path(post, path = "/recoveries/{id}/report", tag = "recoveries", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = RecoveryReport,
    responses((status = 200, body = Recovery)))]
pub async fn report(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Key(key): Key,
    Body(report): Body<Value>,
) -> Reply {
    let id = recovery_id(&id)?;
    Ok(Json(served.office.report_recovery(&caller, id, &report, &key).await?).into_response())
}
