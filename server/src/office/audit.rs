//! The audit, for readers.

use super::{Office, require};
use crate::storage::audit::{self, Entry};
use app::desk::filter::MAX_LIMIT;
use app::desk::{AuditFilter, Code, DeskError, PageOf, PageRequest};
use app::domain::audit::AuditEntry;
use app::domain::ids::OperationId;
use app::domain::permission::Permission;
use app::domain::role::Caller;
use chrono::TimeDelta;
use std::time::Duration;

/// A reader who stays, and whose page follows, is kept once in this time.
const LOOKS: TimeDelta = TimeDelta::minutes(10);
/// How long a reader waits for the entry of their look. Somebody may hold the end of the chain.
const LOOK_WAITS: Duration = Duration::from_secs(1);

impl Office {
    /// Keeps that somebody looked at an operation's record, where that is configured: they were shown the record, an earlier
    /// state of it, its outputs or its plan, by whichever page or answer. A list, a message and a recovery are not it. Whoever reads does not fail with it,
    /// and does not wait for a database that is held: the entry is written when it can be.
    pub(super) async fn note_look(&self, caller: &Caller, operation: &OperationId) {
        if !self.config.audit.record_views {
            return;
        }
        let entry = Entry::new(caller, audit::VIEWED).operation(operation);
        let database = self.database.clone();
        let kept = tokio::spawn(async move {
            if let Err(error) = audit::append_once(&database, entry, LOOKS).await {
                tracing::error!(error = %error, "a look at a record could not be audited");
            }
        });
        // The task goes on by itself when nobody waits any more.
        if tokio::time::timeout(LOOK_WAITS, kept).await.is_err() {
            tracing::warn!("a look at a record was not audited at once");
        }
    }

    /// Newest first. The cursor is the number of the last entry seen.
    pub async fn audit(
        &self,
        caller: &Caller,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<PageOf<AuditEntry>, DeskError> {
        if let (Some(from), Some(to)) = (filter.from, filter.to)
            && from > to
        {
            return Err(DeskError::new(
                Code::InvalidRequest,
                "The range ends before it begins.",
            ));
        }
        let below = page.cursor.as_deref().map(position).transpose()?;
        require(caller, Permission::Read)?;
        let limit = page.limit.clamp(1, MAX_LIMIT);
        let mut tx = self.database.read().await?;
        let mut items = audit::list(&mut tx, filter, below, limit + 1).await?;
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next_cursor = items.last().filter(|_| more).map(|last| last.seq.to_string());
        Ok(PageOf { items, next_cursor })
    }
}

fn position(cursor: &str) -> Result<i64, DeskError> {
    cursor
        .parse()
        .map_err(|_| DeskError::new(Code::InvalidRequest, "The cursor is not one of ours."))
}
