//! A line of facts: small term above its value.

use leptos::prelude::*;

pub fn meta(facts: Vec<(&'static str, AnyView)>) -> AnyView {
    let items = facts
        .into_iter()
        .map(|(term, value)| view! { <div><dt>{term}</dt><dd>{value}</dd></div> })
        .collect::<Vec<_>>();
    view! { <dl class="meta">{items}</dl> }.into_any()
}

/// An id or a name from outside, in mono; a dash when absent.
pub fn mono(text: Option<&str>) -> AnyView {
    match text {
        Some(text) => view! { <span class="m">{super::text::outside(text)}</span> }.into_any(),
        None => super::text::absent(),
    }
}
