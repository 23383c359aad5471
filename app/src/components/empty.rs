//! Three different empty states: nothing ever was, nothing matches, nothing can be read.

use super::icon::glyph;
use leptos::prelude::*;

/// Why a list shows no rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Empty {
    /// Nothing has ever been here.
    Never { title: String, text: String },
    /// There are rows, but none matches.
    Filtered {
        title: String,
        text: String,
        clear: String,
    },
    /// The answer did not come; this says nothing about how many there are.
    Unreadable {
        title: String,
        text: String,
        again: String,
    },
}

pub fn empty(state: Empty) -> AnyView {
    let (kind, drawing, title, text, link) = match state {
        Empty::Never { title, text } => ("never", "empty-never", title, text, None),
        Empty::Filtered { title, text, clear } => (
            "filtered",
            "empty-filtered",
            title,
            text,
            Some((clear, "Clear the filters")),
        ),
        Empty::Unreadable { title, text, again } => (
            "unreadable",
            "empty-unreadable",
            title,
            text,
            Some((again, "Try again")),
        ),
    };
    view! {
        <div class="empty" data-empty-state=kind>
            {glyph("", drawing)}
            <h2>{title}</h2>
            <p>{text}</p>
            {link.map(|(href, words)| view! { <a href=href>{words}</a> })}
        </div>
    }
    .into_any()
}
