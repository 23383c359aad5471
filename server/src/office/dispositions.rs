//! What people do with a dead letter itself: replay it as it is, purge it, link it, acknowledge it.
//!
//! Each is one transaction: the key, the message and its operation, the refusals, the change, the audit, the answer.

use super::dead_letters::{dead_letter_id, no_such_dead_letter};
use super::idempotent::{self, check_key};
use super::operations::no_such_operation;
use super::{Failure, Office, check_reason, require};
use crate::config::ReplayWithoutRecord;
use crate::database::Tx;
use crate::storage::audit::{self, Entry};
use crate::storage::dead_letters::{self, Replay};
use crate::storage::evidence;
use crate::storage::guard_facts::active_recovery;
use crate::storage::idempotency::Claim;
use crate::storage::messages::{self, Standing};
use crate::storage::operations;
use app::desk::{Code, DeskError};
use app::domain::ids::{DeadLetterId, OperationId, QueueJobId};
use app::domain::operation::Operation;
use app::domain::permission::Permission;
use app::domain::plan::{Action, Effect, decide};
use app::domain::redact::redact_text;
use app::domain::role::Caller;
use serde_json::json;
use uuid::Uuid;

/// One order about one message.
struct Order<'a> {
    caller: &'a Caller,
    id: DeadLetterId,
    /// As the person gave it, redacted.
    reason: String,
    claim: Claim,
}

impl Office {
    /// Replays a dead letter that has no record, as it is, where the policy allows it. Answers the new job's id.
    ///
    /// # Errors
    /// `bad_id`, `invalid_request`, `role_required`, `not_found`, `record_exists`, `record_required`.
    pub async fn replay(
        &self,
        caller: &Caller,
        id: &str,
        reason: &str,
        key: &str,
    ) -> Result<QueueJobId, DeskError> {
        let order = order(caller, id, "replay", reason, key, json!({ "reason": reason }))?;
        let answer = match require(caller, Permission::Replay) {
            Ok(()) => crate::again!(self.replay_once(&order).await),
            Err(refusal) => Err(refusal),
        };
        self.rang();
        self.ended(&order, "replay", answer).await
    }

    async fn replay_once(&self, order: &Order<'_>) -> Result<QueueJobId, Failure> {
        let mut tx = self.database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, &order.claim).await? {
            return Ok(answer);
        }
        let standing = self
            .message(&mut tx, order.id)
            .await?
            .ok_or_else(no_such_dead_letter)?;
        if let Some(record) = &standing.record {
            return Err(record_exists(record).into());
        }
        match self.config.policy.replay_without_record {
            ReplayWithoutRecord::Allow => {}
            ReplayWithoutRecord::Refuse => {
                let detail = "No operation record says what a replay of this message would do. Link it to its operation, \
                              or have the application report the operation first.";
                return Err(DeskError::new(Code::RecordRequired, detail).into());
            }
        }
        let replay = Replay {
            job_id: QueueJobId(Uuid::new_v4()),
            by: &order.caller.name,
            reason: &order.reason,
            recovery: None,
        };
        let job = dead_letters::replay(&mut tx, order.id, &replay)
            .await?
            .ok_or_else(no_such_dead_letter)?;
        let mut entry = order.entry("replay", standing.facts.operation_id.as_ref());
        if let Some(effect) = standing.facts.action.map(effect_of_message) {
            entry = entry.effect(effect);
        }
        audit::append(&mut tx, entry).await?;
        idempotent::keep(&mut tx, &order.claim, 200, &job).await?;
        tx.commit_at("replay").await?;
        Ok(job)
    }

    /// Deletes the dead letter, finally; what the message knew is kept as evidence. `false` when it is not there.
    ///
    /// # Errors
    /// `bad_id`, `invalid_request`, `role_required`, `recovery_active`, `confirm_mismatch`.
    pub async fn purge(
        &self,
        caller: &Caller,
        id: &str,
        reason: &str,
        confirm: &str,
        key: &str,
    ) -> Result<bool, DeskError> {
        let order = order(
            caller,
            id,
            "purge",
            reason,
            key,
            json!({ "reason": reason, "confirm": confirm }),
        )?;
        let answer = match require(caller, Permission::Purge) {
            Ok(()) => crate::again!(self.purge_once(&order, confirm).await),
            Err(refusal) => Err(refusal),
        };
        self.ended(&order, "purge", answer).await
    }

    async fn purge_once(&self, order: &Order<'_>, confirm: &str) -> Result<bool, Failure> {
        let mut tx = self.database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, &order.claim).await? {
            return Ok(answer);
        }
        let standing = self.message(&mut tx, order.id).await?;
        if let Some(record) = standing.as_ref().and_then(|standing| standing.record.as_ref()) {
            refuse_during_recovery(&mut tx, record).await?;
        }
        if DeadLetterId::parse(confirm) != Some(order.id) {
            let detail = "The typed id is not the id of this dead letter.";
            return Err(DeskError::new(Code::ConfirmMismatch, detail).into());
        }
        let purged = dead_letters::purge(&mut tx, &self.config.messages, order.id).await?;
        if purged {
            let operation = standing
                .as_ref()
                .and_then(|standing| standing.facts.operation_id.as_ref());
            audit::append(&mut tx, order.entry("purge", operation).effect(Effect::None)).await?;
        }
        idempotent::keep(&mut tx, &order.claim, 200, &purged).await?;
        tx.commit_at("purge").await?;
        Ok(purged)
    }

    /// Links a dead letter that has no record to the operation that it belongs to: it is evidence about it from now on.
    ///
    /// # Errors
    /// `bad_id`, `invalid_request`, `role_required`, `not_found`, `record_exists`.
    pub async fn link(
        &self,
        caller: &Caller,
        id: &str,
        operation: &OperationId,
        reason: &str,
        key: &str,
    ) -> Result<(), DeskError> {
        let body = json!({ "reason": reason, "operation_id": operation });
        let order = order(caller, id, "link", reason, key, body)?;
        if OperationId::parse(operation.as_str()).is_none() {
            return Err(DeskError::new(
                Code::InvalidRequest,
                "This cannot be the id of an operation.",
            ));
        }
        let answer = match require(caller, Permission::Link) {
            Ok(()) => crate::again!(self.link_once(&order, operation).await),
            Err(refusal) => Err(refusal),
        };
        self.ended(&order, "link", answer).await
    }

    async fn link_once(&self, order: &Order<'_>, operation: &OperationId) -> Result<(), Failure> {
        let mut tx = self.database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, &order.claim).await? {
            return Ok(answer);
        }
        let standing = self
            .message(&mut tx, order.id)
            .await?
            .ok_or_else(no_such_dead_letter)?;
        match &standing.record {
            Some(record) if record.id == *operation => {}
            Some(record) => return Err(record_exists(record).into()),
            None => {
                let record = operations::lock(&mut tx, operation)
                    .await?
                    .ok_or_else(no_such_operation)?;
                let before = record.revision;
                messages::link(&mut tx, order.id, &standing.facts, record).await?;
                let after = operations::load(&mut tx, operation)
                    .await?
                    .map(|record| record.revision);
                audit::append(
                    &mut tx,
                    order.entry("link", Some(operation)).revisions(before, after),
                )
                .await?;
            }
        }
        idempotent::keep(&mut tx, &order.claim, 200, &()).await?;
        tx.commit_at("link").await?;
        Ok(())
    }

    /// A person has seen the message and wants nothing done: one without a record, or one that its record makes obsolete.
    ///
    /// # Errors
    /// `bad_id`, `invalid_request`, `role_required`, `not_found`, `recovery_active`, `record_exists`.
    pub async fn acknowledge(
        &self,
        caller: &Caller,
        id: &str,
        reason: &str,
        key: &str,
    ) -> Result<(), DeskError> {
        let order = order(
            caller,
            id,
            "acknowledge",
            reason,
            key,
            json!({ "reason": reason }),
        )?;
        let answer = match require(caller, Permission::Acknowledge) {
            Ok(()) => crate::again!(self.acknowledge_once(&order).await),
            Err(refusal) => Err(refusal),
        };
        self.ended(&order, "acknowledge", answer).await
    }

    async fn acknowledge_once(&self, order: &Order<'_>) -> Result<(), Failure> {
        let mut tx = self.database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, &order.claim).await? {
            return Ok(answer);
        }
        let standing = self
            .message(&mut tx, order.id)
            .await?
            .ok_or_else(no_such_dead_letter)?;
        let mut entry = order
            .entry("acknowledge", standing.facts.operation_id.as_ref())
            .effect(Effect::None);
        if let Some(record) = &standing.record {
            refuse_during_recovery(&mut tx, record).await?;
            // From the facts: the index beside them is for lists.
            let evidence = evidence::gather(&mut tx, record).await?;
            if decide(record, &evidence, tx.now()).action != Action::Acknowledge {
                return Err(record_exists(record).into());
            }
            entry = entry.revisions(record.revision, record.revision);
        }
        messages::acknowledge(&mut tx, order.id, order.caller).await?;
        audit::append(&mut tx, entry).await?;
        idempotent::keep(&mut tx, &order.claim, 200, &()).await?;
        tx.commit_at("acknowledge").await?;
        Ok(())
    }

    /// Where a dead letter that is there stands, projected if nobody has read it yet; its operation is locked.
    async fn message(&self, tx: &mut Tx, id: DeadLetterId) -> Result<Option<Standing>, Failure> {
        if !dead_letters::exists(tx, id).await? {
            return Ok(None);
        }
        messages::project_one(tx, &self.config.messages, id).await?;
        Ok(messages::standing(tx, id).await?)
    }

    /// What was written is counted anew; what was refused is audited.
    async fn ended<T>(
        &self,
        order: &Order<'_>,
        action: &str,
        answer: Result<T, DeskError>,
    ) -> Result<T, DeskError> {
        match &answer {
            Ok(_) => self.summaries.forget(),
            Err(refusal) => {
                self.note_message_refusal(order.caller, order.id, action, &order.reason, refusal)
                    .await;
            }
        }
        answer
    }
}

impl Order<'_> {
    fn entry(&self, action: &str, operation: Option<&OperationId>) -> Entry {
        let entry = Entry::new(self.caller, action)
            .dead_letter(self.id)
            .reason(&self.reason);
        match operation {
            Some(operation) => entry.operation(operation),
            None => entry,
        }
    }
}

/// Checks what a request can get wrong by itself.
fn order<'a>(
    caller: &'a Caller,
    id: &str,
    verb: &str,
    reason: &str,
    key: &str,
    body: serde_json::Value,
) -> Result<Order<'a>, DeskError> {
    let id = dead_letter_id(id)?;
    check_reason(reason)?;
    check_key(key)?;
    let claim = Claim::new(caller, &format!("/dead-letters/{id}/{verb}"), key, &body);
    Ok(Order {
        caller,
        id,
        reason: redact_text(reason),
        claim,
    })
}

fn record_exists(record: &Operation) -> DeskError {
    let detail = format!(
        "Operation {} is recorded here: its plan says what to do with this message.",
        record.id
    );
    DeskError::new(Code::RecordExists, detail)
}

async fn refuse_during_recovery(tx: &mut Tx, record: &Operation) -> Result<(), Failure> {
    match active_recovery(tx, &record.id, None).await? {
        Some(recovery) => {
            let detail = format!(
                "Recovery {recovery} of operation {} is under way: let it end first.",
                record.id
            );
            Err(DeskError::new(Code::RecoveryActive, detail).into())
        }
        None => Ok(()),
    }
}

/// What the application's consumer does to the outside world when it gets the message again, as far as its name says.
const fn effect_of_message(action: Action) -> Effect {
    match action {
        Action::Dispatch => Effect::SubmitsNewGeneration,
        Action::Observe | Action::InspectAccounting => Effect::ReadsStatus,
        Action::Deliver => Effect::CopiesExistingOutput,
        Action::Reconcile => Effect::RecordsDecision,
        Action::Acknowledge => Effect::None,
    }
}
