//! Pieces of pages, kept while nothing changes.

use super::Office;
use super::desk::OfficeDesk;
use crate::database::State;
use app::desk::{Pieces, Shelf};
use async_trait::async_trait;
use std::sync::Arc;

/// Pieces that are kept. Their names hold the second: those of the last one are of no use any more.
pub(super) const PIECES: usize = 8;

/// The pieces of one state of the database.
struct OfficeShelf {
    office: Arc<Office>,
    state: State,
}

impl Shelf for OfficeShelf {
    fn get(&self, name: &str) -> Option<Arc<String>> {
        self.office.pieces.get(&self.state, name)
    }

    fn put(&self, name: String, html: String) -> Arc<String> {
        self.office.pieces.keep(self.state.clone(), name, html)
    }
}

#[async_trait]
impl Pieces for OfficeDesk {
    async fn shelf(&self) -> Option<Arc<dyn Shelf>> {
        let office = self.office.clone();
        let state = self.moment.of(&office.database).await?.clone();
        Some(Arc::new(OfficeShelf { office, state }))
    }
}
