//! The office: what a known caller may ask for and order. Pages and API reach it through `app::desk::Desk`.
//!
//! One file per noun, the same noun as in `storage`. Each method authorises, then calls storage.

mod asks;
mod audit;
mod chain;
mod claims;
mod dead_letters;
mod decisions;
pub mod desk;
mod dispositions;
mod error;
mod facts;
mod filling;
pub mod idempotent;
pub mod kept;
mod marks;
mod notes;
mod operations;
mod order;
mod overview;
pub mod password;
pub mod pieces;
mod preferences;
mod projector;
mod providers;
mod queues;
mod reason;
mod recoveries;
mod refusals;
mod reports;
mod retention;
mod reveals;
mod revisions;
pub mod session;
mod session_store;
mod setup;
pub mod sign_in;
mod signing;
pub mod single_sign_on;
mod summary;
pub mod throttle;
mod views;

pub use crate::failure::{Failure, log_failure};
pub use asks::Asks;
pub use dead_letters::dead_letter_id;
pub use error::require;
pub use filling::Filling;
pub use reason::check_reason;
pub use recoveries::recovery_id;
pub use retention::{Batch, kept_words};
pub use summary::Summaries;

use crate::config::Config;
use crate::database::Database;
use crate::gzip::Part;
use crate::live::Live;
use crate::oidc::Issuer;
use crate::storage::dead_letters::Redactor;
use crate::storage::operators::Operator;
use crate::storage::tokens::Token;
use app::desk::{ChainCheck, PauseView, Preferences, SavedView, Topic, ViewedList};
use kept::Kept;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

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
    /// Who signs people in beside us, where one is configured.
    pub issuer: Option<Arc<Issuer>>,
    /// Remembers redacted texts of dead letters.
    pub redactor: Redactor,
    /// The desk's counts.
    pub summaries: Summaries,
    /// Pages of the desk, and what open pages compare, while nothing changes.
    lists: dead_letters::Lists,
    marks: Kept<Topic, String>,
    /// What stands around every page: how its reader wants to read, where creation is paused, what views there are.
    chosen: Kept<String, Preferences>,
    paused: Kept<(), Vec<PauseView>>,
    saved: Kept<(String, ViewedList), Vec<SavedView>>,
    /// Who asks: people by name, tokens by the hash of their secret.
    people: Kept<String, Option<Operator>>,
    tokens: Kept<String, Option<Token>>,
    /// Pieces of pages as HTML.
    pieces: Kept<String, Part>,
    counted: projector::Counted,
    /// When a look at the dead table last found nothing to do.
    looked: projector::Looked,
    overviews: overview::Overviews,
    /// The last check of the audit's chain.
    pub chain: Mutex<Option<ChainCheck>>,
    /// Passwords that were checked, for known and for unknown names.
    pub password_checks: Arc<AtomicU64>,
    /// Open pages that wait for changes.
    pub live: Arc<Live>,
    /// Cancelled when this process begins to end: no new request is worked on.
    pub ending: CancellationToken,
}

impl Office {
    pub fn new(database: Database, config: Arc<Config>) -> Self {
        Self {
            database,
            config,
            work: Arc::new(Notify::new()),
            filling: Arc::default(),
            asks: None,
            issuer: None,
            redactor: Redactor::default(),
            summaries: Summaries::default(),
            lists: dead_letters::Lists::new(dead_letters::LISTS),
            marks: Kept::new(marks::MARKS),
            chosen: Kept::new(preferences::PEOPLE),
            paused: Kept::new(1),
            saved: Kept::new(preferences::PEOPLE),
            people: Kept::new(preferences::PEOPLE),
            tokens: Kept::new(preferences::PEOPLE),
            pieces: Kept::new(pieces::PIECES),
            looked: projector::Looked::default(),
            counted: projector::Counted::default(),
            overviews: overview::Overviews::new(overview::OVERVIEWS),
            chain: Mutex::default(),
            password_checks: Arc::default(),
            live: Arc::default(),
            ending: CancellationToken::new(),
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

    /// The same office with an issuer that signs people in.
    #[must_use]
    pub fn signed_in_by(self, issuer: Option<Issuer>) -> Self {
        Self {
            issuer: issuer.map(Arc::new),
            ..self
        }
    }

    /// The same office with others who look for open pages.
    #[must_use]
    pub fn watched_by(self, live: Arc<Live>) -> Self {
        Self { live, ..self }
    }

    /// Wakes our own worker.
    pub fn rang(&self) {
        self.work.notify_one();
    }
}
