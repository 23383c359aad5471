//! Error pages for what is refused before a page is rendered: the same view, in the smallest frame.

use crate::api::problem::{Problem, status};
use app::assets::{MARK, STYLE};
use app::pages::error::{Model, view, words};
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use chrono::Utc;
use leptos::prelude::*;

/// The refusal as a whole document.
pub fn response(problem: Problem, reference: &str) -> Response {
    let code = problem.error.code;
    let model = Model {
        code,
        about: None,
        detail: problem.error.detail,
        again: None,
        reference: reference.to_owned(),
        now: Utc::now(),
    };
    let owner = Owner::new();
    let html = owner.with(|| {
        let title = format!("{} – Dead Letter Office", words(&model));
        view! {
            <!DOCTYPE html>
            <html lang="en">
                <head>
                    <meta charset="utf-8"/>
                    <meta name="viewport" content="width=device-width, initial-scale=1"/>
                    <title>{title}</title>
                    <link rel="stylesheet" href=STYLE.path.clone()/>
                    <link rel="icon" type="image/svg+xml" href=MARK.path.clone()/>
                </head>
                <body>{view(model)}</body>
            </html>
        }
        .to_html()
    });
    let mut response = (status(code), Html(html)).into_response();
    if let Some(seconds) = problem.retry_after {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
