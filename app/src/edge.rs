//! What a page needs of its request beside the port. The server provides both as Leptos context,
//! for rendering and for server functions alike.

use crate::desk::{Desk, PauseView, Preferences};
use crate::href::{self, Query};
use leptos::prelude::use_context;
use std::sync::Arc;

/// How a page or a server function shapes the answer.
pub trait Reply: Send + Sync {
    /// 303 to a path of ours.
    fn redirect(&self, path: &str);
    /// The status of a rendered page.
    fn status(&self, code: u16);
}

/// What stands around every page, whatever it shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// How the reader wants to read.
    pub preferences: Preferences,
    /// Where creation is paused.
    pub paused: Vec<PauseView>,
    /// Scheme and host of this office as browsers reach it, for links that are pasted elsewhere: `https://dlo.example`.
    pub base: String,
}

/// One request.
#[derive(Clone)]
pub struct Edge {
    /// The path as it came, still encoded.
    pub path: String,
    pub query: Query,
    /// A fresh random key for the forms of this page; each form adds its own name.
    pub form_key: String,
    /// A name for this request that the log carries too; shown on error pages.
    pub reference: String,
    pub reply: Arc<dyn Reply>,
    pub around: Around,
}

impl Edge {
    /// The decoded path segment at a place; the first is 0.
    pub fn segment(&self, place: usize) -> String {
        self.path
            .trim_start_matches('/')
            .split('/')
            .nth(place)
            .map(href::decode)
            .unwrap_or_default()
    }

    /// The idempotency key of one form of this page.
    pub fn key(&self, form: &str) -> String {
        format!("{}-{form}", self.form_key)
    }

    /// Path and query, as a way back.
    pub fn here(&self) -> String {
        href::with(&self.path, &self.query)
    }
}

/// The port and the request, from the context. `None` only when the server forgot to provide them.
pub fn from_context() -> Option<(Arc<dyn Desk>, Edge)> {
    Some((use_context::<Arc<dyn Desk>>()?, use_context::<Edge>()?))
}
