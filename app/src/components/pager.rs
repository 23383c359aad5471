//! Keyset pages: the cursor is opaque, so there is a first page and an older one, and the browser's way back.

use super::icon::icon;
use crate::href::{self, Query};
use leptos::prelude::*;

/// Where in a list this page stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pager {
    /// For example `50 shown of 123`.
    pub words: String,
    pub first: Option<String>,
    pub older: Option<String>,
    /// The list begins with its oldest: "older" would lie.
    pub oldest_first: bool,
}

impl Pager {
    /// Links of a list at `path` under `query`.
    pub fn of(path: &str, query: &Query, next_cursor: Option<&str>, words: String) -> Self {
        let first = query
            .get("cursor")
            .map(|_| href::with(path, &query.without("cursor")));
        let older = next_cursor.map(|cursor| href::with(path, &query.and("cursor", cursor)));
        Self {
            words,
            first,
            older,
            oldest_first: false,
        }
    }
}

pub fn pager(model: Pager) -> AnyView {
    let (first, next) = if model.oldest_first {
        ("Oldest", "Newer")
    } else {
        ("Newest", "Older")
    };
    view! {
        <nav class="pager" aria-label="Pages">
            <span>{model.words}</span>
            {model.first.map(|href| view! { <a class="btn" rel="first" href=href>{icon("prev")} {first}</a> })}
            {model.older.map(|href| view! { <a class="btn" rel="next" href=href>{next} {icon("next")}</a> })}
            <span class="dim">"Times in " <a href=href::PREFERENCES data-zone-name="">{super::time::zone_name()}</a> "."</span>
        </nav>
    }
    .into_any()
}
