//! Icons, from the one sheet.

use crate::assets::ICONS;
use leptos::prelude::*;

fn link(name: &str) -> String {
    format!("{}#{name}", ICONS.path)
}

/// A 16 px icon beside words; never alone, so it is hidden from screen readers.
pub fn icon(name: &'static str) -> AnyView {
    view! { <svg class="i" aria-hidden="true"><use href=link(name)/></svg> }.into_any()
}

/// A drawing with its own size from the stylesheet.
pub fn glyph(class: &'static str, name: &str) -> AnyView {
    view! { <svg class=class aria-hidden="true"><use href=link(name)/></svg> }.into_any()
}
