//! Intend (DESIGN 4.3): one transaction that re-reads, re-decides, compares, and inserts recovery and queue job.

use super::list::active_of;
use super::{key_conflict, stored_answer};
use crate::config::{Config, Execute};
use crate::database::{Database, Tx};
use crate::failure::Failure;
use crate::storage::audit::{self, Entry};
use crate::storage::dead_letters::{self, Replay};
use crate::storage::guard_facts::{self, Asker};
use crate::storage::idempotency::{self, Begin, Claim};
use crate::storage::jobs::{self, DEFAULT_PRIORITY, NewJob, OWN_QUEUE};
use crate::storage::messages::Thoroughness;
use crate::storage::{evidence, facts, messages, operations};
use crate::values;
use app::desk::{Answer, Code, DeskError, Ordered, RecoveryOrder};
use app::domain::dead_letter::Message;
use app::domain::evidence::Evidence;
use app::domain::guard::{GuardFacts, GuardName, GuardResult, Verdict};
use app::domain::ids::{DeadLetterId, OperationId, QueueJobId, RecoveryId};
use app::domain::operation::Operation;
use app::domain::plan::{Action, Plan};
use app::domain::protocol::{begins_as, confirmed};
use app::domain::recovery::RecoveryState;
use app::domain::role::Caller;
use chrono::Duration;
use rust_decimal::Decimal;

/// Soniq's default queue, where no dead letter led here.
const DEFAULT_QUEUE: &str = "default";

/// A confirmed plan, with the ids that its recovery and its job will have.
pub struct Intent<'a> {
    pub operation: &'a OperationId,
    pub order: &'a RecoveryOrder,
    pub caller: &'a Caller,
    pub recovery: RecoveryId,
    pub queue_job: QueueJobId,
    pub claim: Claim,
}

/// Makes the recovery, or refuses in the design's order: 404, `plan_stale`, `recovery_active`, `use_decision`,
/// `confirm_mismatch`, `guard_blocked`. A refusal leaves no trace but its audit entry.
pub async fn intend_recovery(
    database: &Database,
    config: &Config,
    intent: &Intent<'_>,
) -> Result<Ordered, Failure> {
    let mut tx = database.write().await?;
    match idempotency::begin(&mut tx, &intent.claim).await? {
        Begin::New => {}
        Begin::Stored { answer, .. } => return Ok(stored_answer(answer)?),
        Begin::Conflict => return Err(key_conflict().into()),
    }
    let record = operations::lock(&mut tx, intent.operation)
        .await?
        .ok_or_else(unknown_operation)?;
    let thoroughness = Thoroughness::of(intent.order.action);
    messages::reread(&mut tx, &config.messages, &record.id, thoroughness).await?;
    // The messages may have counted the revision on.
    let record = operations::lock(&mut tx, intent.operation)
        .await?
        .ok_or_else(unknown_operation)?;
    let evidence = evidence::gather(&mut tx, &record).await?;
    let plan = match confirmed(&record, &evidence, intent.order, tx.now()) {
        Ok(plan) => plan,
        Err(current) if names_unknown_job(&evidence, &record, intent.order) => {
            return Err(unknown_job(&current, intent.order).into());
        }
        Err(current) => {
            let asker = Asker::planning(intent.caller, None);
            let facts = guard_facts::gather(&mut tx, config, &record, current.action, &asker).await?;
            let current = current.guarded(&record, &evidence, &facts, tx.now());
            return Err(stale(current).into());
        }
    };
    let message = led_by(&evidence, intent.order)?;
    if let Some(active) = active_of(&mut tx, &record.id).await? {
        let detail = format!(
            "Recovery {} of this operation is still {}.",
            active.recovery.id, active.recovery.state
        );
        return Err(DeskError::new(Code::RecoveryActive, detail).into());
    }
    if !plan.effect.makes_recovery() {
        let detail = format!(
            "The next action is to {}: record a decision, no machine can do it.",
            plan.action
        );
        return Err(DeskError::new(Code::UseDecision, detail).into());
    }
    if plan.action == Action::Dispatch && intent.order.confirm.as_deref() != Some(record.id.as_str()) {
        let detail = "Type the operation id exactly to confirm a new generation.";
        return Err(DeskError::new(Code::ConfirmMismatch, detail).into());
    }
    let led = message.map(|message| message.id);
    if plan.action == Action::Dispatch {
        // Two dispatches of one owner must not both find the same credits free.
        facts::lock_owner(&mut tx, &record.owner).await?;
    }
    let asker = Asker {
        caller: intent.caller,
        seen_revision: (!plan.is_alternative()).then_some(intent.order.revision),
        led_by: led,
        except: None,
    };
    let facts = guard_facts::gather(&mut tx, config, &record, plan.action, &asker).await?;
    let plan = plan.guarded(&record, &evidence, &facts, tx.now());
    if !plan.allowed {
        return Err(blocked(&plan).into());
    }
    let ordered = insert(&mut tx, config, intent, &record, &plan, &facts, message).await?;
    let entry = Entry::new(intent.caller, plan.action.as_str())
        .effect(plan.effect)
        .operation(&record.id)
        .dead_letter(led)
        .recovery(intent.recovery)
        .revisions(record.revision, None)
        .reason(intent.order.reason.clone())
        .guards(&plan.guards);
    audit::append(&mut tx, entry).await?;
    idempotency::keep(&mut tx, &intent.claim, 202, &serde_json::json!(ordered)).await?;
    tx.commit_at("intend").await?;
    Ok(ordered)
}

/// The order names a job to read that this operation never heard of: nothing has moved, it is simply not known.
fn names_unknown_job(evidence: &Evidence, record: &Operation, order: &RecoveryOrder) -> bool {
    order.action == Action::Observe
        && order
            .job_id
            .as_ref()
            .is_some_and(|job_id| !evidence.known_jobs(record).contains(job_id))
}

fn unknown_job(current: &Plan, order: &RecoveryOrder) -> DeskError {
    let named = order.job_id.as_ref().map_or("", |job_id| job_id.as_str());
    let detail = format!("Job {named} is not known to operation {}.", current.operation_id);
    let guard = GuardResult {
        guard: GuardName::JobKnown,
        verdict: Verdict::Block,
        detail: detail.clone(),
    };
    DeskError::new(Code::GuardBlocked, detail).with_guards(vec![guard])
}

/// The dead letter that led here, which must still be there.
fn led_by<'e>(evidence: &'e Evidence, order: &RecoveryOrder) -> Answer<Option<&'e Message>> {
    let Some(id) = order.dead_letter_id else {
        return Ok(None);
    };
    evidence
        .messages
        .iter()
        .find(|message| message.id == id && !message.purged)
        .map(Some)
        .ok_or_else(|| {
            DeskError::new(
                Code::NotFound,
                "The dead letter that led here is gone, or speaks of another operation.",
            )
        })
}

fn handed_back(config: &Config, action: Action) -> bool {
    config
        .actions
        .of(action)
        .is_some_and(|how| how.execute == Execute::Queue)
}

/// Inserts the recovery and, unless a second person must approve first, its queue job.
async fn insert(
    tx: &mut Tx,
    config: &Config,
    intent: &Intent<'_>,
    record: &Operation,
    plan: &Plan,
    facts: &GuardFacts,
    message: Option<&Message>,
) -> Result<Ordered, Failure> {
    let creates = plan.action == Action::Dispatch;
    let state = begins_as(plan.action, config.approvals.dispatch);
    let awaits = state == RecoveryState::AwaitingApproval;
    let valid = match (creates, awaits) {
        (true, true) => Some(config.approvals.approval_seconds),
        (true, false) => Some(config.policy.creation_valid_seconds),
        (false, _) => None,
    };
    let now = tx.now();
    let valid_until =
        valid.map(|seconds| now + Duration::seconds(i64::try_from(seconds).unwrap_or(i64::MAX / 2000)));
    let estimate = facts
        .specification
        .as_ref()
        .map_or(Decimal::ZERO, |facts| facts.estimated_credits);
    let execute = if handed_back(config, plan.action) {
        "queue"
    } else {
        "builtin"
    };
    let inserted = tx
        .execute(
            "INSERT INTO dlo_recoveries (id, operation_id, dead_letter_id, action, effect, state, requested_by, \
             requested_role, reason, revision_before, queue_job_id, remote_job_id, follow, execute, owner, reserved, \
             reservation_open, valid_until, created_at, heard_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $19)",
            values![
                intent.recovery,
                &record.id,
                message.map(|message| message.id),
                plan.action.as_str(),
                plan.effect.as_str(),
                state.as_str(),
                &intent.caller.name,
                intent.caller.role.as_str(),
                &intent.order.reason,
                record.revision,
                None::<QueueJobId>,
                plan.job_id.as_ref(),
                intent.order.follow && plan.action == Action::Observe,
                execute,
                creates.then_some(record.owner.as_str()),
                creates.then(|| estimate.to_string()),
                creates,
                valid_until,
                now
            ],
        )
        .await;
    match inserted {
        Ok(_) => {}
        // Two confirmations at once: the partial unique index let one through.
        Err(error) if error.is_unique_violation() => {
            let detail = "Another recovery of this operation has just begun.";
            return Err(DeskError::new(Code::RecoveryActive, detail).into());
        }
        Err(error) => return Err(error.into()),
    }
    let job_id = if awaits {
        None
    } else {
        let work = Work {
            recovery: intent.recovery,
            queue_job: intent.queue_job,
            operation: &record.id,
            action: plan.action,
            dead_letter: message.map(|message| message.id),
            by: &intent.caller.name,
            reason: &intent.order.reason,
        };
        Some(enqueue(tx, config, &work).await?)
    };
    Ok(Ordered {
        recovery_id: intent.recovery,
        state,
        job_id,
    })
}

/// What a queue job is made for.
pub(super) struct Work<'a> {
    pub recovery: RecoveryId,
    pub queue_job: QueueJobId,
    pub operation: &'a OperationId,
    pub action: Action,
    pub dead_letter: Option<DeadLetterId>,
    pub by: &'a str,
    pub reason: &'a str,
}

/// Inserts the queue job of a recovery and counts the resurrection of the dead letter that led here.
pub(super) async fn enqueue(tx: &mut Tx, config: &Config, work: &Work<'_>) -> Result<QueueJobId, Failure> {
    let origin = match work.dead_letter {
        Some(id) => Some(origin(tx, id).await?),
        None => None,
    };
    let replay = Replay {
        job_id: work.queue_job,
        by: work.by,
        reason: work.reason,
        recovery: Some(work.recovery),
    };
    let handed_back = config
        .actions
        .of(work.action)
        .filter(|how| how.execute == Execute::Queue);
    let own_name = format!("generation.{}", work.action);
    let (name, queue) = match (handed_back, &origin) {
        (Some(_), Some(origin)) if config.messages.actions.get(&origin.job_name) == Some(&work.action) => {
            // The dead letter's own job is the next action: the application gets it back as it was.
            dead_letters::replay(tx, origin.id, &replay)
                .await?
                .ok_or_else(letter_gone)?;
            return point_at_job(tx, work).await;
        }
        (Some(how), Some(origin)) => (how.job_name.as_str(), origin.queue.as_str()),
        (Some(how), None) => (how.job_name.as_str(), DEFAULT_QUEUE),
        (None, _) => (own_name.as_str(), OWN_QUEUE),
    };
    let reference = serde_json::json!({ "operation_id": work.operation, "recovery_id": work.recovery });
    let args = serde_json::value::to_raw_value(&reference)
        .map_err(|_| DeskError::new(Code::Internal, "The job could not be written."))?;
    let job = NewJob {
        id: work.queue_job,
        job_name: name,
        args: &args,
        queue,
        priority: origin.as_ref().map_or(DEFAULT_PRIORITY, |origin| origin.priority),
        max_attempts: i64::from(config.retries.max_attempts),
        scheduled_at: None,
    };
    jobs::enqueue(tx, &job).await?;
    if let Some(id) = work.dead_letter
        && !dead_letters::count_resurrection(tx, id, &replay).await?
    {
        return Err(letter_gone().into());
    }
    point_at_job(tx, work).await
}

async fn point_at_job(tx: &mut Tx, work: &Work<'_>) -> Result<QueueJobId, Failure> {
    let sql = "UPDATE dlo_recoveries SET queue_job_id = $1 WHERE id = $2";
    tx.execute(sql, values![work.queue_job, work.recovery]).await?;
    Ok(work.queue_job)
}

/// Where the dead letter came from.
struct Origin {
    id: DeadLetterId,
    job_name: String,
    queue: String,
    priority: i64,
}

async fn origin(tx: &mut Tx, id: DeadLetterId) -> Result<Origin, Failure> {
    let sql = "SELECT job_name, queue, priority FROM soniq_dead_letter_jobs WHERE id = $1";
    let row = tx
        .fetch_optional(sql, values![id])
        .await?
        .ok_or_else(letter_gone)?;
    Ok(Origin {
        id,
        job_name: row.text("job_name")?,
        queue: row.text("queue")?,
        priority: row.int("priority")?,
    })
}

fn letter_gone() -> DeskError {
    DeskError::new(Code::NotFound, "The dead letter that led here is gone.")
}

fn unknown_operation() -> DeskError {
    DeskError::new(Code::NotFound, "There is no operation with this id.")
}

/// 409 with the plan that holds now.
pub(super) fn stale(current: Plan) -> DeskError {
    DeskError::new(
        Code::PlanStale,
        format!(
            "The record has moved on: it is at revision {} and the plan is to {}.",
            current.revision, current.action
        ),
    )
    .with_plan(current)
}

/// 422 with every guard.
pub(super) fn blocked(plan: &Plan) -> DeskError {
    let why = plan
        .guards
        .iter()
        .filter(|guard| guard.verdict == Verdict::Block)
        .map(|guard| guard.detail.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    DeskError::new(Code::GuardBlocked, why).with_guards(plan.guards.clone())
}
