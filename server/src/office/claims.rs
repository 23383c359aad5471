//! Claims: who is looking at an operation.

use super::desk::OfficeDesk;
use super::idempotent::{self, check_key};
use super::operations::no_such_operation;
use super::{Failure, Office, require};
use crate::storage::audit::{self, Entry};
use crate::storage::idempotency::Claim;
use crate::storage::{claims, operations};
use app::desk::{Answer, ClaimView, Claims};
use app::domain::ids::OperationId;
use app::domain::permission::Permission;
use app::domain::role::Caller;
use async_trait::async_trait;
use serde_json::json;

impl Office {
    /// The caller says that they are looking at it. Another person's claim is taken over, and the audit says so.
    ///
    /// # Errors
    /// `invalid_request`, `role_required`, `not_found`.
    pub async fn claim_operation(
        &self,
        caller: &Caller,
        operation: &OperationId,
        key: &str,
    ) -> Answer<ClaimView> {
        check_key(key)?;
        require(caller, Permission::Claim)?;
        let claim = Claim::new(caller, &format!("/operations/{operation}/claim"), key, &json!({}));
        crate::again!(self.claim_once(caller, operation, &claim).await)
    }

    async fn claim_once(
        &self,
        caller: &Caller,
        operation: &OperationId,
        claim: &Claim,
    ) -> Result<ClaimView, Failure> {
        let mut tx = self.database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, claim).await? {
            return Ok(answer);
        }
        let record = operations::lock(&mut tx, operation)
            .await?
            .ok_or_else(no_such_operation)?;
        let before = claims::current(&mut tx, operation).await?;
        let held = claims::claim(&mut tx, operation, &caller.name).await?;
        let entry = |action: &str| {
            Entry::new(caller, action)
                .operation(operation)
                .revisions(record.revision, record.revision)
        };
        let entry = match before {
            None => Some(entry("claim")),
            Some(before) if before.by != caller.name => {
                Some(entry("claim_taken_over").reason(format!("from {}", before.by)))
            }
            // Staying is no news.
            Some(_) => None,
        };
        if let Some(entry) = entry {
            audit::append(&mut tx, entry).await?;
        }
        idempotent::keep(&mut tx, claim, 200, &held).await?;
        tx.commit().await?;
        Ok(held)
    }

    /// Ends the claim, whoever holds it; `false` when there was none.
    ///
    /// # Errors
    /// As [`Office::claim_operation`].
    pub async fn release_operation(
        &self,
        caller: &Caller,
        operation: &OperationId,
        key: &str,
    ) -> Answer<bool> {
        check_key(key)?;
        require(caller, Permission::Claim)?;
        let claim = Claim::new(
            caller,
            &format!("/operations/{operation}/release"),
            key,
            &json!({}),
        );
        crate::again!(self.release_once(caller, operation, &claim).await)
    }

    async fn release_once(
        &self,
        caller: &Caller,
        operation: &OperationId,
        claim: &Claim,
    ) -> Result<bool, Failure> {
        let mut tx = self.database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, claim).await? {
            return Ok(answer);
        }
        let record = operations::lock(&mut tx, operation)
            .await?
            .ok_or_else(no_such_operation)?;
        let before = claims::current(&mut tx, operation).await?;
        let released = claims::release(&mut tx, operation).await?;
        if let Some(before) = before {
            let mut entry = Entry::new(caller, "claim_released")
                .operation(operation)
                .revisions(record.revision, record.revision);
            if before.by != caller.name {
                entry = entry.reason(format!("held by {}", before.by));
            }
            audit::append(&mut tx, entry).await?;
        }
        idempotent::keep(&mut tx, claim, 200, &released).await?;
        tx.commit().await?;
        Ok(released)
    }
}

#[async_trait]
impl Claims for OfficeDesk {
    async fn claim(&self, operation: &OperationId, key: &str) -> Answer<ClaimView> {
        self.office
            .claim_operation(self.signed_in()?, operation, key)
            .await
    }

    async fn release(&self, operation: &OperationId, key: &str) -> Answer<bool> {
        self.office
            .release_operation(self.signed_in()?, operation, key)
            .await
    }
}
