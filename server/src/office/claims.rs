//! Claims: who is looking at an operation.

use super::desk::OfficeDesk;
use super::idempotent::check_key;
use super::order::{Begun, Order};
use super::{Failure, Office, require};
use crate::storage::claims;
use crate::storage::idempotency::Claim;
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
        let mut order = match Order::begin(&self.database, operation, claim).await? {
            Begun::Before(answer) => return Ok(answer),
            Begun::Now(order) => order,
        };
        let before = claims::current(&mut order.tx, operation).await?;
        let held = claims::claim(&mut order.tx, operation, &caller.name).await?;
        let entry = match before {
            None => Some(order.entry(caller, "claim")),
            Some(before) if before.by != caller.name => Some(
                order
                    .entry(caller, "claim_taken_over")
                    .reason(format!("from {}", before.by)),
            ),
            // Staying is no news.
            Some(_) => None,
        };
        order.end(claim, entry, held).await
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
        let mut order = match Order::begin(&self.database, operation, claim).await? {
            Begun::Before(answer) => return Ok(answer),
            Begun::Now(order) => order,
        };
        let before = claims::current(&mut order.tx, operation).await?;
        let released = claims::release(&mut order.tx, operation).await?;
        let entry = before.map(|before| {
            let entry = order.entry(caller, "claim_released");
            if before.by == caller.name {
                entry
            } else {
                entry.reason(format!("held by {}", before.by))
            }
        });
        order.end(claim, entry, released).await
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
