//! Retention: what is old enough is shown, and purged in batches when somebody says so.

use super::{Office, check_reason, require};
use crate::storage::dead_letters::{self, Cursor, Kept, Old, Retention};
use app::desk::DeskError;
use app::domain::ids::DeadLetterId;
use app::domain::permission::Permission;
use app::domain::redact::redact_text;
use app::domain::role::Caller;
use std::collections::BTreeSet;

/// Dead letters of one transaction: another writer waits no longer than for these.
const BATCH: u32 = 100;

/// One batch of what is old enough, and where the next begins.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Oldest first.
    pub letters: Vec<Old>,
    pub next: Option<Cursor>,
}

impl Batch {
    /// Those that may be purged.
    fn due(&self) -> Vec<DeadLetterId> {
        self.letters
            .iter()
            .filter(|letter| letter.kept.is_none())
            .filter_map(|letter| DeadLetterId::parse(&letter.id))
            .collect()
    }
}

impl Office {
    /// What is old enough, from a place on. Reads only.
    ///
    /// # Errors
    /// `role_required`: it is the first half of a purge.
    pub async fn old_dead_letters(
        &self,
        caller: &Caller,
        retention: &Retention,
        after: Option<&Cursor>,
    ) -> Result<Batch, DeskError> {
        require(caller, Permission::Purge)?;
        let mut tx = self.database.read().await?;
        let (letters, next) =
            dead_letters::old(&mut tx, &self.config.messages, retention, after, BATCH).await?;
        Ok(Batch { letters, next })
    }

    /// Purges a batch in one transaction, and answers it as it went: what could not be purged any more is left out.
    ///
    /// # Errors
    /// `role_required`, `invalid_request`; `unavailable`, and then nothing of this batch is purged.
    pub async fn purge_old_dead_letters(
        &self,
        caller: &Caller,
        retention: &Retention,
        batch: Batch,
        reason: &str,
    ) -> Result<Batch, DeskError> {
        require(caller, Permission::Purge)?;
        check_reason(reason)?;
        let reason = redact_text(reason);
        let due = batch.due();
        let gone: BTreeSet<String> = crate::again!(self.purge_batch(caller, retention, &due, &reason).await)?;
        self.summaries.forget();
        let letters = batch
            .letters
            .into_iter()
            .filter(|letter| letter.kept.is_some() || gone.contains(&letter.id))
            .collect();
        Ok(Batch {
            letters,
            next: batch.next,
        })
    }

    async fn purge_batch(
        &self,
        caller: &Caller,
        retention: &Retention,
        due: &[DeadLetterId],
        reason: &str,
    ) -> Result<BTreeSet<String>, super::Failure> {
        if due.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut tx = self.database.write().await?;
        let gone =
            dead_letters::purge_old(&mut tx, &self.config.messages, retention, due, caller, reason).await?;
        tx.commit().await?;
        Ok(gone.iter().map(ToString::to_string).collect())
    }
}

/// Why a dead letter stays, in words.
pub fn kept_words(kept: Kept) -> String {
    match kept {
        Kept::RecoveryActive(recovery) => {
            format!("recovery {recovery} of its operation is under way")
        }
        Kept::Unreadable => "its row cannot be read; look at it first".to_owned(),
    }
}
