//! `/dead-letters`: the messages that a consumer gave up on.

use super::auth::By;
use super::extract::{Body, Key, PathId, Reason, reason};
use super::operations::operation_id;
use super::{Reply, query};
use crate::web::Served;
use app::desk::view::Replayed;
use app::desk::{DeadLetterRow, LetterFound, PageOf};
use app::domain::dead_letter::Disposition;
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

/// Dead letters, newest first.
#[utoipa::path(get, path = "/dead-letters", tag = "dead letters", security(("token" = [])),
    params(("queue" = Option<String>, Query), ("job_name" = Option<String>, Query), ("reason" = Option<String>, Query),
        ("label" = Option<String>, Query), ("action" = Option<String>, Query), ("phase" = Option<String>, Query),
        ("category" = Option<String>, Query), ("operation" = Option<String>, Query), ("owner" = Option<String>, Query),
        ("disposition" = Option<String>, Query), ("q" = Option<String>, Query), ("from" = Option<String>, Query),
        ("to" = Option<String>, Query), ("cursor" = Option<String>, Query),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 200)),
    responses((status = 200, body = PageOf<DeadLetterRow>)))]
pub async fn list(State(served): State<Served>, By(caller): By, RawQuery(text): RawQuery) -> Reply {
    let (filter, page) = query::dead_letters(text.as_deref())?;
    let found = served.office.dead_letters(&caller, &filter, &page).await?;
    Ok(Json(&*found).into_response())
}

/// One dead letter with its lineage and the warnings before a replay; texts and args redacted. An impossible row answers
/// `{code: "inconsistent", table, column, id, readable}`.
#[utoipa::path(get, path = "/dead-letters/{id}", tag = "dead letters", security(("token" = [])),
    params(("id" = String, Path)), responses((status = 200, body = LetterFound)))]
pub async fn show(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    RawQuery(text): RawQuery,
) -> Reply {
    query::none(text.as_deref())?;
    Ok(Json(served.office.dead_letter(&caller, &id).await?).into_response())
}

/// Replays a message that has no record, as it is, where the policy allows it.
#[utoipa::path(post, path = "/dead-letters/{id}/replay", tag = "dead letters", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Reason,
    responses((status = 200, body = Replayed)))]
pub async fn replay(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Key(key): Key,
    Body(body): Body<Reason>,
) -> Reply {
    let job_id = served
        .office
        .replay(&caller, &id, reason(&body.reason)?, &key)
        .await?;
    Ok(Json(Replayed { job_id }).into_response())
}

/// The final deletion, confirmed by the id.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Purge {
    pub reason: String,
    /// The dead letter's id, again.
    pub confirm: String,
}

/// Whether there was something to purge.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Purged {
    purged: bool,
}

/// Deletes a dead letter, finally. What it knew is kept as evidence.
#[utoipa::path(post, path = "/dead-letters/{id}/purge", tag = "dead letters", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Purge,
    responses((status = 200, body = Purged)))]
pub async fn purge(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Key(key): Key,
    Body(body): Body<Purge>,
) -> Reply {
    let purged = served
        .office
        .purge(&caller, &id, reason(&body.reason)?, &body.confirm, &key)
        .await?;
    Ok(Json(Purged { purged }).into_response())
}

/// Which operation the message is about.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub operation_id: String,
    pub reason: String,
}

/// The message and what it is linked to now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Linked {
    id: String,
    operation_id: String,
}

/// Links a message to an operation that it does not name.
#[utoipa::path(post, path = "/dead-letters/{id}/link", tag = "dead letters", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Link,
    responses((status = 200, body = Linked)))]
pub async fn link(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Key(key): Key,
    Body(body): Body<Link>,
) -> Reply {
    let operation = operation_id(&body.operation_id)?;
    served
        .office
        .link(&caller, &id, &operation, reason(&body.reason)?, &key)
        .await?;
    Ok(Json(Linked {
        id,
        operation_id: operation.0,
    })
    .into_response())
}

/// The message and what was done with it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Disposed {
    id: String,
    disposition: Disposition,
}

/// Acknowledges a message: nobody has to look at it any more.
#[utoipa::path(post, path = "/dead-letters/{id}/acknowledge", tag = "dead letters", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Reason,
    responses((status = 200, body = Disposed)))]
pub async fn acknowledge(
    State(served): State<Served>,
    By(caller): By,
    PathId(id): PathId,
    Key(key): Key,
    Body(body): Body<Reason>,
) -> Reply {
    served
        .office
        .acknowledge(&caller, &id, reason(&body.reason)?, &key)
        .await?;
    Ok(Json(Disposed {
        id,
        disposition: Disposition::Acknowledged,
    })
    .into_response())
}
