//! Permit (DESIGN 4.4): a queue job is not permission. Before any byte leaves, one transaction decides again.

use super::end::{Ending, end};
use super::row::{Stored, lock};
use super::worker;
use crate::config::Config;
use crate::database::{Database, DbError, Tx};
use crate::storage::guard_facts::{self, Asker};
use crate::storage::messages::Thoroughness;
use crate::storage::{attempts, evidence, messages, operations, people};
use crate::values;
use app::domain::attempt::Attempt;
use app::domain::ids::{AttemptId, RecoveryId};
use app::domain::operation::Operation;
use app::domain::plan::{Action, Plan};
use app::domain::protocol::{Leave, Present, leave, refused_by_guards, still_permitted};
use app::domain::recovery::RecoveryState;
use app::domain::transition::begin_dispatch;
use chrono::{DateTime, Duration, Utc};
use std::collections::BTreeMap;

/// Leave to act, fenced: it is worth nothing once a higher token was given out.
#[derive(Debug, Clone)]
pub struct Permit {
    pub stored: Stored,
    pub fence: i64,
    pub record: Operation,
    pub plan: Plan,
    /// Of a creation: the attempt that was written down before its first byte.
    pub attempt: Option<Attempt>,
    /// How long ago a worker began with it, on the database's clock.
    pub followed_for: std::time::Duration,
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
    let thoroughness = Thoroughness::of(found.recovery.action);
    messages::reread(&mut tx, &config.messages, &operation_id, thoroughness).await?;
    let Some(record) = operations::lock(&mut tx, &operation_id).await? else {
        return Ok(Permission::Unknown);
    };
    let Some(stored) = lock(&mut tx, id).await? else {
        return Ok(Permission::Unknown);
    };
    let now = tx.now();
    let evidence = evidence::gather(&mut tx, &record).await?;
    let plan = match leave(&stored, &record, &evidence, now) {
        Leave::Ended(state) => return Ok(Permission::Ended(state)),
        Leave::Held => return Ok(Permission::Held),
        Leave::Ends(_) | Leave::Plan(_) if remaining.is_zero() => return Ok(Permission::Held),
        Leave::Ends(ending) => return finish(tx, &stored, &record, ending).await,
        Leave::Plan(plan) => *plan,
    };
    let lease_until = now + Duration::from_std(remaining).unwrap_or(Duration::zero());
    let creates = stored.recovery.action == Action::Dispatch;
    let mut requester = stored.requester();
    if creates {
        let mut present = BTreeMap::new();
        for name in std::iter::once(&stored.recovery.requested_by).chain(&stored.recovery.approved_by) {
            present.insert(name.clone(), people::present(&mut tx, name).await?);
        }
        let now_of = |name: &str| present.get(name).copied().unwrap_or(Present::Unknown);
        if let Err(ending) = still_permitted(&stored, now_of) {
            return finish(tx, &stored, &record, ending).await;
        }
        if let Present::May(role) = now_of(&requester.name) {
            requester.role = role;
        }
    }
    let asker = Asker {
        caller: &requester,
        seen_revision: None,
        led_by: stored.recovery.dead_letter_id,
        except: Some((id, stored.recovery.job_id)),
    };
    let facts = guard_facts::gather(&mut tx, config, &record, plan.action, &asker).await?;
    let plan = plan.guarded(&record, &evidence, &facts, now);
    if let Some(ending) = refused_by_guards(&plan) {
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

async fn finish(
    mut tx: Tx,
    stored: &Stored,
    record: &Operation,
    ending: Ending,
) -> Result<Permission, DbError> {
    end(&mut tx, stored, record.revision, &worker(), &ending).await?;
    tx.commit_at("refuse").await?;
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
    tx.commit_at("permit").await?;
    let began = stored.started_at.unwrap_or(now);
    let followed_for = (now - began).to_std().unwrap_or_default();
    stored.recovery.state = RecoveryState::Running;
    stored.started_at = Some(began);
    stored.fence = fence;
    stored.lease_until = Some(lease_until);
    Ok(Permission::Granted(Box::new(Permit {
        stored,
        fence,
        record,
        plan,
        attempt,
        followed_for,
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
    Ok(stored.is_held_with(permit.fence).then_some((record, stored)))
}

/// Whether the permit still holds, without locking anything: asked on the way, so that lost work stops early. What is
/// written is fenced by [`hold`] all the same.
pub async fn is_held(database: &Database, permit: &Permit) -> Result<bool, DbError> {
    let sql = "SELECT * FROM dlo_recoveries WHERE id = $1";
    let row = database.look_up(sql, values![permit.stored.recovery.id]).await?;
    let stored = row.as_ref().map(Stored::try_from).transpose()?;
    Ok(stored.is_some_and(|stored| stored.is_held_with(permit.fence)))
}

/// Whether the first byte of a creation may leave, as far as the database knows: the permit holds, and by the database's
/// clock its lease is alive. Asked once the connection stands, so that neither a stalled worker nor a clock that leapt
/// sends what somebody else may have decided about.
pub async fn may_send(database: &Database, permit: &Permit) -> Result<bool, DbError> {
    let mut tx = database.read().await?;
    let stored = super::list::get(&mut tx, permit.stored.recovery.id).await?;
    Ok(stored.is_some_and(|stored| stored.may_send_with(permit.fence, tx.now())))
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
    tx.commit_at("release").await
}
