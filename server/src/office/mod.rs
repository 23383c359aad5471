//! The office: what a known caller may ask for and order. Pages and API reach it through `app::desk::Desk`.
//!
//! One file per noun, the same noun as in `storage`. Each method authorises, then makes one call on storage.

mod error;
mod filling;

pub use error::{log_failure, require};
pub use filling::Filling;

use crate::config::Config;
use crate::database::Database;
use std::sync::Arc;

/// Everything that outlives a request.
pub struct Office {
    pub database: Database,
    pub config: Arc<Config>,
    /// Rings when there may be work for our own worker.
    pub work: tokio::sync::Notify,
    /// Says how far the demo's history has filled.
    pub filling: Arc<Filling>,
}

impl Office {
    pub fn new(database: Database, config: Arc<Config>) -> Self {
        Self { database, config, work: tokio::sync::Notify::new(), filling: Arc::default() }
    }
}
