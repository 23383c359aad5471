//! The record as it stood.

use super::desk::OfficeDesk;
use super::operations::no_such_operation;
use super::{Office, require};
use crate::storage::{events, operations, revisions};
use app::desk::revision::MAX_REVISIONS;
use app::desk::{Answer, Code, DeskError, RevisionView, Revisions};
use app::domain::ids::OperationId;
use app::domain::permission::Permission;
use app::domain::role::Caller;
use async_trait::async_trait;

impl Office {
    /// The record at a revision beside the record now, in one snapshot.
    ///
    /// # Errors
    /// `not_found` without such an operation, or when it has not come to that revision.
    pub async fn revision(
        &self,
        caller: &Caller,
        operation: &OperationId,
        revision: i64,
    ) -> Answer<RevisionView> {
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        let now = operations::load(&mut tx, operation)
            .await?
            .ok_or_else(no_such_operation)?;
        if !(1..=now.revision).contains(&revision) {
            let detail = format!(
                "The record has not been at revision {revision}; it stands at {}.",
                now.revision
            );
            return Err(DeskError::new(Code::NotFound, detail));
        }
        let kept = revisions::find(&mut tx, operation, revision).await?;
        let timeline = events::list(&mut tx, operation).await?;
        let view = RevisionView {
            operation: operation.clone(),
            revision,
            then: kept.map(|kept| (kept.record, kept.written_at)),
            timeline: timeline
                .into_iter()
                .filter(|event| event.revision <= revision)
                .collect(),
            kept: revisions::list(&mut tx, operation, MAX_REVISIONS).await?,
            now,
        };
        drop(tx);
        self.note_look(caller, operation).await;
        Ok(view)
    }
}

#[async_trait]
impl Revisions for OfficeDesk {
    async fn revision(&self, operation: &OperationId, revision: i64) -> Answer<RevisionView> {
        self.office.revision(self.signed_in()?, operation, revision).await
    }
}
