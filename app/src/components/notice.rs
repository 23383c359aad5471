//! Notices: what happened, in words, where the reader looks first.

use super::badge::Tone;
use super::icon::icon;
use leptos::prelude::*;

/// Something went as ordered.
pub fn done(words: String) -> AnyView {
    view! {
        <div class="notice" data-tone=Tone::Act.as_str() role="status" data-notice="done">
            {icon("pass")}<p>{words}</p>
        </div>
    }
    .into_any()
}

/// Something to know before acting.
pub fn caution(title: &'static str, text: AnyView) -> AnyView {
    view! {
        <div class="notice" data-tone=Tone::Decide.as_str() data-notice="caution">
            {icon("warn")}<p><strong>{title}</strong> " " {text}</p>
        </div>
    }
    .into_any()
}

/// Quiet information.
pub fn note(text: String) -> AnyView {
    view! { <p class="notice" data-notice="note">{icon("in-progress")}<span>{text}</span></p> }.into_any()
}
