//! The pages: one file a page, with its view-model, its view and its server functions. The server renders `shell`
//! with an `Arc<dyn Desk>` and an `Edge` in the Leptos context; nothing here needs the script that adds liveness.

pub mod approve;
pub mod audit;
mod claim;
pub mod decision_form;
pub mod decisions;
pub mod desk;
mod desk_empty;
mod desk_find;
mod desk_rows;
mod desk_side;
pub mod error;
pub mod history;
mod lineage;
pub mod login;
pub mod message;
pub mod message_forms;
mod note;
pub mod operation;
mod operation_parts;
pub mod operation_text;
pub mod operations;
mod outputs;
mod outputs_rows;
pub mod permissions;
pub mod preferences;
pub mod providers;
pub mod purge;
pub mod query;
pub mod queues;
mod queues_parts;
pub mod recoveries;
pub mod recovery;
pub mod reveal;
pub mod review;
mod review_confirm;
mod review_stale;
#[cfg(test)]
mod samples;
pub mod setup;
#[cfg(test)]
mod tests;
mod timeline;
pub mod unreadable;
pub mod views;

use crate::assets::{MARK, SCRIPT, STYLE};
use crate::components::frame::{Section, banner, top};
use crate::components::keys::keys;
use crate::components::text::visible;
use crate::desk::{Code, Desk, DeskError, Preferences};
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

/// The document. Its sheet, its icons and its one script are files of ours; nothing is inline.
pub fn shell() -> AnyView {
    provide_meta_context();
    let chosen = edge::from_context().map_or_else(Preferences::default, |(_, edge)| edge.around.preferences);
    // Every clock below is written in this zone.
    provide_context(chosen.zone);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=chosen.theme.as_str() data-density=chosen.density.as_str()
            data-shortcuts=if chosen.shortcuts { "on" } else { "off" } data-zone=chosen.zone.to_string()>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="referrer" content="same-origin"/>
                <link rel="stylesheet" href=STYLE.path.clone()/>
                <script type="module" src=SCRIPT.path.clone()></script>
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
                <Route path=path!("/dead-letters/:id/purge") ssr=SsrMode::Async view=|| page(purge::load)/>
                <Route path=path!("/dead-letters/:id/revealed") ssr=SsrMode::Async view=|| page(reveal::load)/>
                <Route path=path!("/operations") ssr=SsrMode::Async view=|| page(operations::load)/>
                <Route path=path!("/operations/:id") ssr=SsrMode::Async view=|| page(operation::load)/>
                <Route path=path!("/operations/:id/review") ssr=SsrMode::Async view=|| page(review::load)/>
                <Route path=path!("/recoveries") ssr=SsrMode::Async view=|| page(recoveries::load)/>
                <Route path=path!("/recoveries/:id/approve") ssr=SsrMode::Async view=|| page(approve::load)/>
                <Route path=path!("/providers") ssr=SsrMode::Async view=|| page(providers::load)/>
                <Route path=path!("/preferences") ssr=SsrMode::Async view=|| page(preferences::load)/>
                <Route path=path!("/recoveries/:id") ssr=SsrMode::Async view=|| page(recovery::load)/>
                <Route path=path!("/queues") ssr=SsrMode::Async view=|| page(queues::load)/>
                <Route path=path!("/audit") ssr=SsrMode::Async view=|| page(audit::load)/>
                <Route path=path!("/permissions") ssr=SsrMode::Async view=|| page(permissions::load)/>
                <Route path=path!("/setup") ssr=SsrMode::Async view=|| page(setup::load)/>
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
        let keys = caller.as_ref().map(|_| keys(edge.around.preferences.shortcuts));
        view! {
            <Title text=in_title(&loaded.title)/>
            {top(caller, loaded.section)}
            <div data-live="banner">{banner(&edge.around.paused, now)}</div>
            {loaded.body}
            {keys}
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
                href::PROVIDERS,
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
