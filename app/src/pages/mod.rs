//! The pages: one file a page, with its view-model, its view and its server functions. The server renders `shell`
//! with an `Arc<dyn Desk>` and an `Edge` in the Leptos context; nothing here needs a script.

pub mod audit;
pub mod decision_form;
pub mod decisions;
pub mod desk;
mod desk_rows;
mod desk_side;
pub mod error;
pub mod login;
pub mod message;
pub mod message_forms;
pub mod operation;
mod operation_parts;
mod operation_text;
pub mod operations;
pub mod query;
pub mod queues;
pub mod recoveries;
pub mod recovery;
pub mod review;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use crate::assets::{MARK, STYLE};
use crate::components::frame::{Section, top};
use crate::components::text::visible;
use crate::desk::{Code, Desk, DeskError};
use crate::edge::{self, Edge};
use crate::href;
use leptos::prelude::*;
use leptos_meta::{MetaTags, Title, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{Route, Router, Routes};
use leptos_router::path;
use std::future::Future;
use std::sync::Arc;

/// What a page is loaded from.
pub(crate) struct Wanted {
    pub desk: Arc<dyn Desk>,
    pub edge: Edge,
}

/// A loaded page, ready to be framed.
pub(crate) struct Page {
    pub title: String,
    pub section: Section,
    pub status: u16,
    pub body: AnyView,
}

/// The document. Its only sheet and icons are files of ours; it has no script.
pub fn shell() -> AnyView {
    provide_meta_context();
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="referrer" content="same-origin"/>
                <link rel="stylesheet" href=STYLE.path.clone()/>
                <link rel="icon" type="image/svg+xml" href=MARK.path.clone()/>
                <MetaTags/>
            </head>
            <body>
                {app().into_any()}
            </body>
        </html>
    }
    .into_any()
}

/// All routes.
fn app() -> AnyView {
    view! {
        <Router>
            <Routes fallback=|| page(|_| async { Err(nothing_here().into()) })>
                <Route path=path!("/") ssr=SsrMode::Async view=home/>
                <Route path=path!("/login") ssr=SsrMode::Async view=|| page(login::load)/>
                <Route path=path!("/dead-letters") ssr=SsrMode::Async view=|| page(desk::load)/>
                <Route path=path!("/dead-letters/:id") ssr=SsrMode::Async view=|| page(message::load)/>
                <Route path=path!("/operations") ssr=SsrMode::Async view=|| page(operations::load)/>
                <Route path=path!("/operations/:id") ssr=SsrMode::Async view=|| page(operation::load)/>
                <Route path=path!("/operations/:id/review") ssr=SsrMode::Async view=|| page(review::load)/>
                <Route path=path!("/recoveries") ssr=SsrMode::Async view=|| page(recoveries::load)/>
                <Route path=path!("/recoveries/:id") ssr=SsrMode::Async view=|| page(recovery::load)/>
                <Route path=path!("/queues") ssr=SsrMode::Async view=|| page(queues::load)/>
                <Route path=path!("/audit") ssr=SsrMode::Async view=|| page(audit::load)/>
            </Routes>
        </Router>
    }
    .into_any()
}

fn nothing_here() -> DeskError {
    DeskError::new(Code::NotFound, "It may be mistyped, or belong to another office.")
}

/// `/` goes to the desk.
fn home() -> AnyView {
    if let Some((_, edge)) = edge::from_context() {
        edge.reply.redirect(href::DEAD_LETTERS);
    }
    ().into_any()
}

/// Loads a page, sets its status, and puts it into the frame. A failure becomes an error page.
fn page<F, Fut>(load: F) -> AnyView
where
    F: FnOnce(Wanted) -> Fut + Send + 'static,
    Fut: Future<Output = Result<Page, error::Problem>> + Send + 'static,
{
    let Some((desk, edge)) = edge::from_context() else {
        return view! { <main id="main" class="page"><h1>"The server is not set up to answer this."</h1></main> }.into_any();
    };
    Suspend::new(async move {
        let caller = desk.caller();
        let now = desk.now();
        let reply = edge.reply.clone();
        let failed = |problem: error::Problem| failure(problem, &edge, now);
        let loaded = load(Wanted {
            desk: desk.clone(),
            edge: edge.clone(),
        })
        .await
        .unwrap_or_else(failed);
        if loaded.status != 200 {
            reply.status(loaded.status);
        }
        view! {
            <Title text=in_title(&loaded.title)/>
            {top(caller, loaded.section)}
            {loaded.body}
        }
    })
    .into_any()
}

/// The text of `<title>`. The library writes it as it is, and titles hold ids from outside: it is escaped here.
fn in_title(title: &str) -> String {
    let mut text = String::new();
    for c in visible(title).chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            other => text.push(other),
        }
    }
    text + " – Dead Letter Office"
}

/// The error page of a failure.
fn failure(problem: error::Problem, edge: &Edge, now: chrono::DateTime<chrono::Utc>) -> Page {
    let list = edge.path.split('/').nth(1).map(|first| format!("/{first}"));
    let again = match list {
        Some(list)
            if [
                href::DEAD_LETTERS,
                href::OPERATIONS,
                href::RECOVERIES,
                href::QUEUES,
                href::AUDIT,
            ]
            .contains(&list.as_str()) =>
        {
            Some(if problem.error.code.status() >= 500 {
                edge.here()
            } else {
                list
            })
        }
        Some(_) | None => None,
    };
    let model = error::Model {
        code: problem.error.code,
        about: problem.about,
        detail: problem.error.detail,
        again,
        reference: edge.reference.clone(),
        now,
    };
    Page {
        title: error::words(&model),
        section: Section::Elsewhere,
        status: model.code.status(),
        body: error::view(model).into_any(),
    }
}

/// A server function's ends: the port and the request. The error reaches only clients that are no browsers.
pub(crate) fn ordered() -> Result<(Arc<dyn Desk>, Edge), ServerFnError> {
    edge::from_context().ok_or_else(|| ServerFnError::ServerError("not set up".to_owned()))
}
