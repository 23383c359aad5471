//! The office: what a known caller may ask for and order. Pages and API reach it through `app::desk::Desk`.
//!
//! One file per noun, the same noun as in `storage`. Each method authorises, then calls storage.

mod asks;
mod audit;
mod dead_letters;
mod decisions;
pub mod desk;
mod dispositions;
mod error;
mod facts;
mod failure;
mod filling;
pub mod idempotent;
mod operations;
mod overview;
pub mod password;
mod projector;
mod queues;
mod reason;
mod recoveries;
mod refusals;
mod reports;
pub mod session;
pub mod sign_in;
mod summary;
pub mod throttle;

pub use asks::Asks;
pub use dead_letters::dead_letter_id;
pub use error::{log_failure, require};
pub use failure::{Failure, ROUNDS};
pub use filling::Filling;
pub use reason::check_reason;
pub use recoveries::recovery_id;
pub use summary::Summaries;

use crate::config::Config;
use crate::database::Database;
use crate::storage::dead_letters::Redactor;
use std::sync::Arc;
use tokio::sync::Notify;

/// Everything that outlives a request.
pub struct Office {
    pub database: Database,
    pub config: Arc<Config>,
    /// Rings when there may be work for our own worker.
    pub work: Arc<Notify>,
    /// Says how far the demo's history has filled.
    pub filling: Arc<Filling>,
    /// Who asks providers for decisions; without it nothing is asked and nothing attached.
    pub asks: Option<Arc<dyn Asks>>,
    /// Remembers redacted texts of dead letters.
    pub redactor: Redactor,
    /// The desk's counts.
    pub summaries: Summaries,
}

impl Office {
    pub fn new(database: Database, config: Arc<Config>) -> Self {
        Self {
            database,
            config,
            work: Arc::new(Notify::new()),
            filling: Arc::default(),
            asks: None,
            redactor: Redactor::default(),
            summaries: Summaries::default(),
        }
    }

    /// The same office with somebody who asks providers.
    #[must_use]
    pub fn asking(self, asks: Arc<dyn Asks>) -> Self {
        Self {
            asks: Some(asks),
            ..self
        }
    }

    /// Wakes our own worker.
    pub fn rang(&self) {
        self.work.notify_one();
    }
}
