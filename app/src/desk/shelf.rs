//! Pieces of pages that are the same for everybody who asks at the same moment: a change on the desk sends every open page
//! for the same rows.

use async_trait::async_trait;
use std::sync::Arc;

/// Pieces of pages as HTML, made from what the database held at one moment.
///
/// Both verbs answer what stands for the piece where the page is written: the HTML itself, or a mark that is replaced by
/// it before the page leaves. It is put into the page as it is, once.
pub trait Shelf: Send + Sync {
    /// The piece of this name, where somebody made it and nothing was changed since.
    fn get(&self, name: &str) -> Option<String>;
    fn put(&self, name: String, html: String) -> String;
}

/// Where pieces lie.
#[async_trait]
pub trait Pieces {
    /// The shelf of this moment. It must be asked for before anything is read that the piece shows: then a change that
    /// comes between makes the piece one that nobody finds, never a wrong one. `None` where pieces are not kept.
    async fn shelf(&self) -> Option<Arc<dyn Shelf>>;
}
