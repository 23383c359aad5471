//! Whether the audit is whole: checked when the program starts, and when somebody asks.

use super::{Office, require};
use crate::database::DbError;
use crate::storage::audit::{self, Verified};
use app::desk::{Answer, ChainCheck};
use app::domain::permission::Permission;
use app::domain::role::Caller;
use chrono::Utc;
use std::sync::PoisonError;

impl Office {
    /// Checks the chain and keeps what was found, for `/audit`. A broken one is said in the log.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn check_chain(&self) -> Result<ChainCheck, DbError> {
        let verified = audit::verify(&self.database).await?;
        let at = Utc::now();
        let check = match verified {
            Verified::Whole { entries } => {
                tracing::info!(entries, "the audit's chain is whole");
                ChainCheck {
                    at,
                    entries,
                    broken_at: None,
                }
            }
            Verified::BrokenAt { seq } => {
                tracing::error!(
                    entry = seq,
                    "the audit's chain is broken: this entry is missing, changed or unreadable"
                );
                ChainCheck {
                    at,
                    entries: seq - 1,
                    broken_at: Some(seq),
                }
            }
        };
        *self.chain.lock().unwrap_or_else(PoisonError::into_inner) = Some(check);
        Ok(check)
    }

    /// The last check; `None` before the first.
    ///
    /// # Errors
    /// `role_required`.
    pub fn chain(&self, caller: &Caller) -> Answer<Option<ChainCheck>> {
        require(caller, Permission::Read)?;
        Ok(*self.chain.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Checks the chain now.
    ///
    /// # Errors
    /// `role_required`, `unavailable`.
    pub async fn verify_chain(&self, caller: &Caller) -> Answer<ChainCheck> {
        require(caller, Permission::VerifyAudit)?;
        Ok(self.check_chain().await?)
    }
}
