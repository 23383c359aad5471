//! A piece of a page that lies on the shelf, or is made and put there.

use crate::desk::Shelf;
use leptos::prelude::*;
use std::sync::Arc;

/// The piece of this name: found, or made and put on the shelf. The name says all that the piece depends on beside the
/// database: the address, the reader's zone, the second.
pub fn piece(shelf: Option<&dyn Shelf>, name: String, make: impl FnOnce() -> AnyView) -> Arc<String> {
    let Some(shelf) = shelf else {
        return Arc::new(make().to_html());
    };
    match shelf.get(&name) {
        Some(found) => found,
        None => shelf.put(name, make().to_html()),
    }
}
