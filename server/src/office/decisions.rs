//! Decisions: what a person records when no machine can know (DESIGN 4).

mod check;
mod effects;
mod question;

use super::idempotent::{self, check_key};
use super::operations::no_such_operation;
use super::{Failure, Office, check_reason, require};
use crate::database::Tx;
use crate::storage::audit::{self, Entry};
use crate::storage::guard_facts::Asker;
use crate::storage::idempotency::Claim;
use crate::storage::messages::Thoroughness;
use crate::storage::planned::{Planned, next_action};
use crate::storage::{decisions, messages, operations};
use app::desk::{Code, DecisionOrder, DecisionView, DeskError};
use app::domain::decision::{Decision, DecisionKind, allowed};
use app::domain::guard::{GuardName, Verdict};
use app::domain::ids::OperationId;
use app::domain::operation::Operation;
use app::domain::plan::{Effect, Plan};
use app::domain::redact::redact_text;
use app::domain::role::Caller;
use app::domain::transition::{Context, apply_decision};
use chrono::Duration;
use question::Answered;

/// Where a decision is about to be recorded.
struct Standing {
    record: Operation,
    planned: Planned,
}

impl Office {
    /// Records a decision; answers the new revision and plan. A refusal of judgement is audited as well.
    ///
    /// # Errors
    /// In this order: `invalid_request`, `role_required`, `not_found`, `plan_stale` (with the new plan),
    /// `recovery_active`, `not_allowed_here`, `job_held_elsewhere`, `job_not_confirmed`.
    pub async fn decide(
        &self,
        caller: &Caller,
        id: &OperationId,
        order: DecisionOrder,
        key: &str,
    ) -> Result<(i64, Plan), DeskError> {
        let answer = self.decide_unaudited(caller, id, &order, key).await;
        if let Err(refusal) = &answer {
            let kind = order.decision.kind();
            self.note_refusal(caller, id, kind.as_str(), &redact_text(&order.reason), refusal)
                .await;
        }
        answer
    }

    async fn decide_unaudited(
        &self,
        caller: &Caller,
        id: &OperationId,
        order: &DecisionOrder,
        key: &str,
    ) -> Result<(i64, Plan), DeskError> {
        check_reason(&order.reason)?;
        check::check(&order.decision)?;
        check_key(key)?;
        require(caller, order.decision.kind().permission())?;
        let body = serde_json::to_value(order).unwrap_or_default();
        let claim = Claim::new(caller, &format!("/operations/{id}/decisions"), key, &body);
        let answered = match self
            .ask(caller, id, order, &claim)
            .await
            .map_err(DeskError::from)?
        {
            question::Asked::FirstAnswer(answer) => return Ok(*answer),
            question::Asked::Answered(answered) => answered,
        };
        crate::again!(self.record(caller, id, order, &answered, &claim).await)
    }

    /// One transaction: read again, refuse or record, and everything that follows from it.
    async fn record(
        &self,
        caller: &Caller,
        id: &OperationId,
        order: &DecisionOrder,
        answered: &Answered,
        claim: &Claim,
    ) -> Result<(i64, Plan), Failure> {
        let mut tx = self.database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, claim).await? {
            return Ok(answer);
        }
        operations::lock(&mut tx, id)
            .await?
            .ok_or_else(no_such_operation)?;
        messages::reread(&mut tx, &self.config.messages, id, Thoroughness::EachRow).await?;
        let Standing { record, planned } = self.standing(&mut tx, caller, id, order).await?;
        let context = Context {
            by: &caller.name,
            reason: &order.reason,
            now: tx.now(),
            observation: answered.observation.as_ref(),
            candidates: answered.candidates.as_ref().map_or(&[], |found| &found.job_ids),
        };
        let change = apply_decision(&record, &planned.evidence, &order.decision, &context)?;
        let made =
            effects::before(&mut tx, &self.config, &record, &planned.evidence, order, &context).await?;
        operations::save(&mut tx, &change.record, &change.events).await?;
        effects::after(&mut tx, &change.record, order, made).await?;
        self.write_down(
            &mut tx,
            caller,
            order,
            answered,
            &record,
            &change.record,
            &planned.plan,
        )
        .await?;
        let asker = Asker::planning(caller, None);
        let next = next_action(&mut tx, &self.config, &change.record, &asker).await?;
        let answer = (change.record.revision, next.plan);
        idempotent::keep(&mut tx, claim, 200, &answer).await?;
        tx.commit_at("decision").await?;
        Ok(answer)
    }

    /// Reads the record and its plan, and refuses in the design's order.
    async fn standing(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        id: &OperationId,
        order: &DecisionOrder,
    ) -> Result<Standing, Failure> {
        let record = operations::load(tx, id).await?.ok_or_else(no_such_operation)?;
        let planned = next_action(tx, &self.config, &record, &Asker::planning(caller, None)).await?;
        if record.revision != order.revision {
            let detail = format!(
                "The operation moved from revision {} to {}: review the new plan.",
                order.revision, record.revision
            );
            return Err(DeskError::new(Code::PlanStale, detail)
                .with_plan(planned.plan)
                .into());
        }
        if let Some(recovery) = planned.facts.active_recovery {
            let detail = format!("Recovery {recovery} is active: wait for its end or cancel it.");
            return Err(DeskError::new(Code::RecoveryActive, detail).into());
        }
        let competing_blocks = planned
            .plan
            .guards
            .iter()
            .any(|result| result.guard == GuardName::NoCompetingJob && result.verdict == Verdict::Block);
        allowed(
            order.decision.kind(),
            &record,
            &planned.evidence,
            planned.plan.row,
            tx.now(),
            self.lease_and_timeout(&record),
            competing_blocks,
        )
        .map_err(|why| DeskError::new(Code::NotAllowedHere, why))?;
        Ok(Standing { record, planned })
    }

    /// How long after its start a creation request may still be under way.
    fn lease_and_timeout(&self, record: &Operation) -> Duration {
        let timeout = self
            .config
            .providers
            .get(&record.provider)
            .map_or(0, |provider| provider.timeout_seconds);
        let seconds = timeout.saturating_add(self.config.worker.lease_seconds);
        Duration::seconds(i64::try_from(seconds).unwrap_or(i64::from(u32::MAX)))
    }

    /// The decision in its table and in the audit.
    #[expect(
        clippy::too_many_arguments,
        reason = "one call, and each is a fact of the entry"
    )]
    async fn write_down(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        order: &DecisionOrder,
        answered: &Answered,
        before: &Operation,
        after: &Operation,
        plan: &Plan,
    ) -> Result<(), Failure> {
        let reason = redact_text(&order.reason);
        let decision = DecisionView {
            at: tx.now(),
            by: caller.name.clone(),
            role: caller.role.to_string(),
            decision: order.decision.kind(),
            reason: reason.clone(),
            detail: check::detail(&order.decision, answered.candidates.as_ref()),
            revision: after.revision,
        };
        decisions::insert(tx, &before.id, &decision).await?;
        let kind = order.decision.kind();
        let effect = if kind == DecisionKind::AcknowledgeObsolete {
            Effect::None
        } else {
            Effect::RecordsDecision
        };
        let dead_letter = if let Decision::AcknowledgeObsolete { dead_letter_id } = &order.decision {
            *dead_letter_id
        } else {
            None
        };
        let entry = Entry::new(caller, order.decision.kind().as_str())
            .effect(effect)
            .operation(&before.id)
            .dead_letter(dead_letter)
            .revisions(before.revision, after.revision)
            .reason(reason)
            .guards(&plan.guards);
        audit::append(tx, entry).await?;
        Ok(())
    }
}
