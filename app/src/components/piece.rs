//! A piece of a page that lies on the shelf, or is made and put there.

use crate::desk::Shelf;
use leptos::prelude::*;
use leptos::tachys::html::InertElement;

/// The piece of this name: found, or made and put on the shelf. The name says all that the piece depends on beside the
/// database: the address, the reader's zone, the second.
pub fn piece(shelf: Option<&dyn Shelf>, name: String, make: impl FnOnce() -> AnyView) -> AnyView {
    let Some(shelf) = shelf else { return make() };
    let html = match shelf.get(&name) {
        Some(found) => found,
        None => shelf.put(name, make().to_html()),
    };
    // HTML of our own making, written as it is.
    InertElement::new(html).into_any()
}
