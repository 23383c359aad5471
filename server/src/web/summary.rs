//! `/operations/{id}?as=markdown`: the operation in a few lines, as a text to paste. Anything else is its page.

use super::{Face, Reference, Served, pages, visit};
use crate::api::problem::Problem;
use app::domain::ids::OperationId;
use app::domain::role::Caller;
use app::href::{self, Query};
use app::pages::operation_text::markdown;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chrono::Utc;

const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// The operation's page, or its text.
pub async fn operation(State(served): State<Served>, request: Request) -> Response {
    let query = Query::parse(request.uri().query().unwrap_or_default());
    if query.get("as") != Some("markdown") {
        return pages::page(State(served), request).await;
    }
    let (reader, base) = (visit::reader(&request), pages::base(&served, &request));
    let segment = request.uri().path().rsplit('/').next().unwrap_or_default();
    let id = OperationId(href::decode(segment));
    let reference = Reference::of(&request);
    match text(&served, reader, &id, &base).await {
        Ok(text) => ([(header::CONTENT_TYPE, MARKDOWN)], text).into_response(),
        Err(problem) => Face::Page.refuse(problem, &reference),
    }
}

async fn text(
    served: &Served,
    reader: Option<Caller>,
    id: &OperationId,
    base: &str,
) -> Result<String, Problem> {
    let caller = reader.ok_or_else(pages::signed_out)?;
    let view = served.office.operation(&caller, id).await?;
    Ok(markdown(&view, Utc::now(), base) + "\n")
}
