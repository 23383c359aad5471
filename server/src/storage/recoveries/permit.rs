//! Permit (DESIGN 4.4): a queue job is not permission. Before any byte leaves, one transaction decides again.

use super::end::{Ending, end};
use super::row::{Stored, lock};
use super::worker;
use crate::config::Config;
use crate::database::{Database, DbError, Tx};
use crate::storage::guard_facts::{self, Asker};
use crate::storage::{attempts, evidence, messages, operations};
use crate::values;
use app::domain::attempt::Attempt;
use app::domain::evidence::Evidence;
use app::domain::guard::Verdict;
use app::domain::ids::{AttemptId, RecoveryId};
use app::domain::operation::{Operation, Phase};
use app::domain::plan::{Action, Plan, decide, observe_plan};
use app::domain::recovery::RecoveryState;
use app::domain::transition::begin_dispatch;
use chrono::{DateTime, Duration, Utc};

/// Leave to act, fenced: it is worth nothing once a higher token was given out.
#[derive(Debug, Clone)]
pub struct Permit {
    pub stored: Stored,
    pub fence: i64,
    pub record: Operation,
    pub plan: Plan,
    /// Of a creation: the attempt that was written down before its first byte.
    pub attempt: Option<Attempt>,
}

/// What the permit transaction found.
#[derive(Debug)]
pub enum Permission {
    Granted(Box<Permit>),
    /// The recovery has ended, now or before: the queue job has nothing left to do.
    Ended(RecoveryState),
    /// Another claim holds a living lease, or this one's is over.
    Held,
    /// No such recovery.
    Unknown,
}

/// Decides again, runs the guards again, and gives the recovery to this worker with a fencing token, for what
/// remains of the lease that began with the claim of its queue job.
pub async fn permit(
    database: &Database,
    config: &Config,
    id: RecoveryId,
    attempt_id: AttemptId,
    remaining: std::time::Duration,
) -> Result<Permission, DbError> {
    let mut tx = database.write().await?;
    let Some(found) = super::list::get(&mut tx, id).await? else {
        return Ok(Permission::Unknown);
    };
    let operation_id = found.recovery.operation_id.clone();
    // The operation first, then the recovery: the lock order of every transaction.
    if operations::lock(&mut tx, &operation_id).await?.is_none() {
        return Ok(Permission::Unknown);
    }
    messages::reread(&mut tx, &config.messages, &operation_id).await?;
    let Some(record) = operations::lock(&mut tx, &operation_id).await? else {
        return Ok(Permission::Unknown);
    };
    let Some(stored) = lock(&mut tx, id).await? else {
        return Ok(Permission::Unknown);
    };
    if !stored.recovery.state.is_active() {
        return Ok(Permission::Ended(stored.recovery.state));
    }
    let now = tx.now();
    if stored.recovery.state == RecoveryState::Running && stored.lease_until.is_some_and(|until| until > now)
    {
        return Ok(Permission::Held);
    }
    if remaining.is_zero() {
        return Ok(Permission::Held);
    }
    let lease_until = now + Duration::from_std(remaining).unwrap_or(Duration::zero());
    let evidence = evidence::gather(&mut tx, &record).await?;
    let creates = stored.recovery.action == Action::Dispatch;
    if creates && stored.recovery.state == RecoveryState::Running {
        return second_claim(tx, &stored, &record, &evidence).await;
    }
    let plan = match replan(&stored, &record, &evidence, now) {
        Ok(plan) => plan,
        Err(ending) => return finish(tx, &stored, &record, ending).await,
    };
    let requester = stored.requester();
    let asker = Asker {
        caller: &requester,
        seen_revision: None,
        led_by: stored.recovery.dead_letter_id,
        except: Some((id, stored.recovery.job_id)),
    };
    let facts = guard_facts::gather(&mut tx, config, &record, plan.action, &asker).await?;
    let plan = plan.guarded(&record, &evidence, &facts, now);
    if !plan.allowed {
        let why: Vec<&str> = plan
            .guards
            .iter()
            .filter(|guard| guard.verdict == Verdict::Block)
            .map(|guard| guard.detail.as_str())
            .collect();
        let mut ending = Ending::new(
            RecoveryState::Refused,
            format!("Refused at the last moment, nothing was sent: {}", why.join(" ")),
        );
        ending.guards = plan.guards;
        return finish(tx, &stored, &record, ending).await;
    }
    grant(
        tx,
        lease_until,
        stored,
        record,
        plan,
        creates.then_some(attempt_id),
    )
    .await
}

/// The plan as it is now, if it is still what was confirmed.
fn replan(
    stored: &Stored,
    record: &Operation,
    evidence: &Evidence,
    now: DateTime<Utc>,
) -> Result<Plan, Ending> {
    let action = stored.recovery.action;
    if action == Action::Dispatch && stored.valid_until.is_some_and(|until| until < now) {
        return Err(Ending::new(
            RecoveryState::Refused,
            "The confirmation is too old to create anything: nothing was sent. Review it again.",
        ));
    }
    let table = decide(record, evidence, now);
    let same_job = table.job_id == stored.recovery.remote_job_id;
    if table.action == action && (action != Action::Observe || same_job) {
        return Ok(table);
    }
    match action {
        Action::Observe => {
            let done = match record.phase {
                Phase::Succeeded | Phase::Delivered => {
                    record.job_id == stored.recovery.remote_job_id && table.action != Action::Observe
                }
                Phase::Prepared | Phase::Submitting | Phase::Accepted | Phase::Failed => false,
            };
            if done && stored.recovery.revision_before < record.revision {
                return Err(Ending::new(
                    RecoveryState::AlreadyDone,
                    format!(
                        "The record already says {}: nothing was left to read.",
                        record.phase
                    ),
                ));
            }
            stored
                .recovery
                .remote_job_id
                .as_ref()
                .and_then(|job_id| observe_plan(record, evidence, job_id, now))
                .ok_or_else(|| moved_on(&table))
        }
        Action::Deliver if record.phase == Phase::Delivered => Err(Ending::new(
            RecoveryState::AlreadyDone,
            "Every output is already ours.",
        )),
        Action::Dispatch
        | Action::Deliver
        | Action::InspectAccounting
        | Action::Reconcile
        | Action::Acknowledge => Err(moved_on(&table)),
    }
}

fn moved_on(table: &Plan) -> Ending {
    Ending::new(
        RecoveryState::Refused,
        format!(
            "The plan is now to {} (revision {}): nothing was sent.",
            table.action, table.revision
        ),
    )
}

/// A creation is claimed once. A second claim ends it by its attempt's receipt, else as unknown, and sends nothing.
async fn second_claim(
    tx: Tx,
    stored: &Stored,
    record: &Operation,
    evidence: &Evidence,
) -> Result<Permission, DbError> {
    let attempt = evidence
        .attempts
        .iter()
        .find(|attempt| attempt.recovery_id == stored.recovery.id);
    let ending = super::receipt::ending_of(
        attempt.and_then(|attempt| attempt.receipt.as_ref()),
        attempt.is_some(),
    );
    finish(tx, stored, record, ending).await
}

async fn finish(
    mut tx: Tx,
    stored: &Stored,
    record: &Operation,
    ending: Ending,
) -> Result<Permission, DbError> {
    end(&mut tx, stored, record.revision, &worker(), &ending).await?;
    tx.commit().await?;
    Ok(Permission::Ended(ending.state))
}

async fn grant(
    mut tx: Tx,
    lease_until: DateTime<Utc>,
    mut stored: Stored,
    record: Operation,
    plan: Plan,
    attempt_id: Option<AttemptId>,
) -> Result<Permission, DbError> {
    let now = tx.now();
    let fence = stored.fence + 1;
    let changed = tx
        .execute(
            "UPDATE dlo_recoveries SET state = 'running', fence = $1, lease_until = $2, \
             started_at = COALESCE(started_at, $3), heard_at = $3 WHERE id = $4 AND fence = $5 AND finished_at IS NULL",
            values![fence, lease_until, now, stored.recovery.id, stored.fence],
        )
        .await?;
    if changed == 0 {
        return Ok(Permission::Ended(stored.recovery.state));
    }
    let mut record = record;
    let mut attempt = None;
    if let Some(attempt_id) = attempt_id {
        let change = begin_dispatch(&record, now);
        operations::save(&mut tx, &change.record, &change.events).await?;
        record = change.record;
        attempt = Some(attempts::insert(&mut tx, &record.id, stored.recovery.id, attempt_id).await?);
    }
    tx.commit().await?;
    stored.recovery.state = RecoveryState::Running;
    stored.fence = fence;
    stored.lease_until = Some(lease_until);
    Ok(Permission::Granted(Box::new(Permit {
        stored,
        fence,
        record,
        plan,
        attempt,
    })))
}

/// How long a claim lasts.
pub fn lease(config: &Config) -> Duration {
    Duration::seconds(i64::try_from(config.worker.lease_seconds).unwrap_or(60))
}

/// Proves, inside a transaction, that the permit still holds: locks the operation and the recovery and compares the token.
pub async fn hold(tx: &mut Tx, permit: &Permit) -> Result<Option<(Operation, Stored)>, DbError> {
    let Some(record) = operations::lock(tx, &permit.stored.recovery.operation_id).await? else {
        return Ok(None);
    };
    let Some(stored) = lock(tx, permit.stored.recovery.id).await? else {
        return Ok(None);
    };
    let holds = stored.fence == permit.fence && stored.recovery.state == RecoveryState::Running;
    Ok(holds.then_some((record, stored)))
}

/// Makes the lease of a recovery that creates nothing longer. `false` when it is lost. Leases of creations are never renewed.
pub async fn renew(database: &Database, config: &Config, permit: &Permit) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    let changed = tx
        .execute(
            "UPDATE dlo_recoveries SET lease_until = $1, heard_at = $2 \
             WHERE id = $3 AND fence = $4 AND finished_at IS NULL AND action <> 'dispatch'",
            values![
                tx.now() + lease(config),
                tx.now(),
                permit.stored.recovery.id,
                permit.fence
            ],
        )
        .await?;
    tx.commit().await?;
    Ok(changed == 1)
}

/// Lets go of the recovery when its job goes back to the queue, so that the next claim need not wait for the lease's end.
pub async fn release(database: &Database, permit: &Permit) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    tx.execute(
        "UPDATE dlo_recoveries SET lease_until = NULL, heard_at = $1 \
         WHERE id = $2 AND fence = $3 AND finished_at IS NULL AND action <> 'dispatch'",
        values![tx.now(), permit.stored.recovery.id, permit.fence],
    )
    .await?;
    tx.commit().await
}
