//! The office: what a known caller may ask for and order. Pages and API reach it through `app::desk::Desk`.
//!
//! One file per noun, the same noun as in `storage`. Each method authorises, then makes one call on storage.

mod error;
mod filling;
mod reason;

pub use error::{log_failure, require};
pub use filling::Filling;
pub use reason::check_reason;

use crate::config::Config;
use crate::database::Database;
use crate::storage::audit::{self, Entry};
use app::desk::{Code, DeskError};
use app::domain::ids::OperationId;
use app::domain::role::Caller;
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

    /// Wakes our own worker.
    pub fn rang(&self) {
        self.work.notify_one();
    }

    /// A refusal of a mutation is audited, in a transaction of its own: the refused one left no trace.
    pub async fn note_refusal(
        &self,
        caller: &Caller,
        operation: &OperationId,
        action: &str,
        reason: &str,
        refusal: &DeskError,
    ) {
        match refusal.code {
            Code::PlanStale | Code::RecoveryActive | Code::UseDecision | Code::ConfirmMismatch | Code::GuardBlocked
            | Code::NotAllowedHere | Code::JobNotConfirmed | Code::JobHeldElsewhere => {}
            _ => return,
        }
        let written = async {
            let mut tx = self.database.write().await?;
            let entry = Entry::new(caller, &format!("refused_{action}"))
                .operation(operation)
                .reason(format!("{}: {reason}", refusal.code))
                .guards(&refusal.guards);
            audit::append(&mut tx, entry).await?;
            tx.commit().await
        }
        .await;
        if let Err(error) = written {
            tracing::error!(error = %error, "a refusal could not be audited");
        }
    }
}
