//! `POST /operations/{id}/notes`: what people write about an operation.

use super::Reply;
use super::auth::By;
use super::extract::{Body, Key, PathOperation};
use crate::web::Served;
use app::desk::NoteView;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Deserialize;

/// A note in plain text.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// 1 to 2000 characters; redacted before it is stored.
    #[schema(min_length = 1, max_length = 2000)]
    text: String,
}

/// Adds a note. It is no change of the record: the revision stays.
#[utoipa::path(post, path = "/operations/{id}/notes", tag = "notes", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Note,
    responses((status = 200, body = NoteView)))]
pub async fn write(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    Key(key): Key,
    Body(note): Body<Note>,
) -> Reply {
    let note = served.office.write_note(&caller, &id, &note.text, &key).await?;
    Ok(Json(note).into_response())
}
