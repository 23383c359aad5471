//! Recoveries as a caller orders and reads them.

use super::idempotent::check_key;
use super::{Office, check_reason, require};
use crate::storage::idempotency::Claim;
use crate::storage::recoveries::{self, Intent, Report};
use app::desk::{Answer, Code, DeskError, Ordered, PageOf, PageRequest, RecoveryFilter, RecoveryOrder};
use app::domain::ids::{OperationId, QueueJobId, RecoveryId};
use app::domain::permission::Permission;
use app::domain::recovery::Recovery;
use app::domain::redact::redact_text;
use app::domain::role::Caller;
use app::domain::transition::parse_recovery_report;
use serde_json::{Value, json};
use uuid::Uuid;

impl Office {
    /// Confirms the plan: intends one recovery (DESIGN 4.2, 4.3).
    pub async fn confirm(
        &self,
        caller: &Caller,
        operation: &OperationId,
        order: RecoveryOrder,
        key: &str,
    ) -> Answer<Ordered> {
        check_reason(&order.reason)?;
        check_key(key)?;
        let route = format!("/operations/{operation}/recoveries");
        let claim = Claim::new(caller, &route, key, &json!(order));
        // What a person typed is kept and shown: a pasted secret must not be.
        let order = RecoveryOrder {
            reason: redact_text(&order.reason),
            ..order
        };
        let answer = self.intend(caller, operation, &order, claim).await;
        match &answer {
            Ok(_) => self.rang(),
            Err(refusal) => {
                self.note_refusal(caller, operation, order.action.as_str(), &order.reason, refusal)
                    .await
            }
        }
        answer
    }

    async fn intend(
        &self,
        caller: &Caller,
        operation: &OperationId,
        order: &RecoveryOrder,
        claim: Claim,
    ) -> Answer<Ordered> {
        require(caller, Permission::Recover)?;
        require(caller, order.action.permission())?;
        let intent = Intent {
            operation,
            order,
            caller,
            recovery: RecoveryId(Uuid::now_v7()),
            queue_job: QueueJobId(Uuid::new_v4()),
            claim,
        };
        crate::again!(recoveries::intend_recovery(&self.database, &self.config, &intent).await)
    }

    /// A refusal that concerns a recovery is audited with its operation.
    async fn refused<T>(
        &self,
        caller: &Caller,
        id: RecoveryId,
        action: &str,
        reason: &str,
        answer: Answer<T>,
    ) -> Answer<T> {
        let Err(refusal) = &answer else {
            self.rang();
            return answer;
        };
        let mut tx = self.database.read().await?;
        let found = recoveries::get(&mut tx, id).await?;
        drop(tx);
        if let Some(stored) = found {
            let operation = &stored.recovery.operation_id;
            self.note_refusal(caller, operation, action, reason, refusal)
                .await;
        }
        answer
    }

    /// Recoveries, active first.
    pub async fn recoveries(
        &self,
        caller: &Caller,
        filter: &RecoveryFilter,
        page: &PageRequest,
    ) -> Answer<PageOf<Recovery>> {
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        recoveries::list(&mut tx, filter, page).await
    }

    /// One recovery.
    pub async fn recovery(&self, caller: &Caller, id: &str) -> Answer<Recovery> {
        let id = recovery_id(id)?;
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        let found = recoveries::get(&mut tx, id).await?;
        found.map(|stored| stored.recovery).ok_or_else(unknown)
    }

    /// Cancels a recovery that nothing was done for yet.
    pub async fn cancel(&self, caller: &Caller, id: RecoveryId, reason: &str, key: &str) -> Answer<Recovery> {
        check_reason(reason)?;
        check_key(key)?;
        let route = format!("/recoveries/{id}/cancel");
        let claim = Claim::new(caller, &route, key, &json!({ "reason": reason }));
        let reason = redact_text(reason);
        let answer = async {
            require(caller, Permission::Cancel)?;
            crate::again!(recoveries::cancel(&self.database, caller, id, &reason, &claim).await)
        }
        .await;
        self.refused(caller, id, "cancel", &reason, answer).await
    }

    /// The second person's yes to a creation.
    pub async fn approve(
        &self,
        caller: &Caller,
        id: RecoveryId,
        reason: &str,
        key: &str,
    ) -> Answer<Recovery> {
        check_reason(reason)?;
        check_key(key)?;
        let route = format!("/recoveries/{id}/approve");
        let claim = Claim::new(caller, &route, key, &json!({ "reason": reason }));
        let reason = redact_text(reason);
        let job = QueueJobId(Uuid::new_v4());
        let answer = async {
            require(caller, Permission::Approve)?;
            crate::again!(
                recoveries::approve(&self.database, &self.config, caller, id, job, &reason, &claim).await
            )
        }
        .await;
        self.refused(caller, id, "approve", &reason, answer).await
    }

    /// What the application's worker says of a handed-back action.
    pub async fn report_recovery(
        &self,
        caller: &Caller,
        id: RecoveryId,
        body: &Value,
        key: &str,
    ) -> Answer<Recovery> {
        let report = parse_recovery_report(body).map_err(|invalid| {
            DeskError::new(
                Code::InvalidRequest,
                format!("{}: {}", invalid.field, invalid.detail),
            )
        })?;
        check_key(key)?;
        require(caller, Permission::Report)?;
        let claim = Claim::new(caller, &format!("/recoveries/{id}/report"), key, body);
        let order = Report {
            caller,
            recovery: id,
            report: &report,
            claim: &claim,
        };
        let after: Answer<Recovery> = crate::again!(recoveries::report(&self.database, &order).await);
        let after = after?;
        self.rang();
        Ok(after)
    }
}

/// A recovery id from outside.
pub fn recovery_id(text: &str) -> Answer<RecoveryId> {
    RecoveryId::parse(text).ok_or_else(|| DeskError::new(Code::BadId, "A recovery id is a UUID."))
}

fn unknown() -> DeskError {
    DeskError::new(Code::NotFound, "There is no recovery with this id.")
}
