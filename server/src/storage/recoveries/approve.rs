//! The second person (DESIGN 4.2): runs step 3 again, and only then makes the queue job.

use super::end::end;
use super::intend::{Work, blocked, enqueue, stale};
use super::row::lock;
use super::{key_conflict, stored_answer};
use crate::config::Config;
use crate::database::Database;
use crate::failure::Failure;
use crate::storage::audit::{self, Entry};
use crate::storage::guard_facts::{self, Asker};
use crate::storage::idempotency::{self, Begin, Claim};
use crate::storage::messages::Thoroughness;
use crate::storage::{evidence, facts, messages, operations};
use crate::values;
use app::desk::{Code, DeskError};
use app::domain::ids::{QueueJobId, RecoveryId};
use app::domain::plan::decide;
use app::domain::protocol::{Approval, approval};
use app::domain::recovery::Recovery;
use app::domain::role::Caller;
use chrono::Duration;

/// Approves an awaiting creation. Requester and approver must differ; a moved record ends the recovery.
pub async fn approve(
    database: &Database,
    config: &Config,
    caller: &Caller,
    id: RecoveryId,
    queue_job: QueueJobId,
    reason: &str,
    claim: &Claim,
) -> Result<Recovery, Failure> {
    let mut tx = database.write().await?;
    match idempotency::begin(&mut tx, claim).await? {
        Begin::New => {}
        Begin::Stored { answer, .. } => return Ok(stored_answer(answer)?),
        Begin::Conflict => return Err(key_conflict().into()),
    }
    let unknown = || DeskError::new(Code::NotFound, "There is no recovery with this id.");
    let found = super::list::get(&mut tx, id).await?.ok_or_else(unknown)?;
    let operation_id = found.recovery.operation_id.clone();
    operations::lock(&mut tx, &operation_id)
        .await?
        .ok_or_else(unknown)?;
    let thoroughness = Thoroughness::of(found.recovery.action);
    messages::reread(&mut tx, &config.messages, &operation_id, thoroughness).await?;
    let record = operations::lock(&mut tx, &operation_id)
        .await?
        .ok_or_else(unknown)?;
    let stored = lock(&mut tx, id).await?.ok_or_else(unknown)?;
    let now = tx.now();
    let evidence = evidence::gather(&mut tx, &record).await?;
    let plan = decide(&record, &evidence, now);
    let over = match approval(&stored, &caller.name, record.revision, plan.action, now) {
        Approval::NotAwaited => {
            let detail = format!("It does not await approval: it is {}.", stored.recovery.state);
            return Err(DeskError::new(Code::NotAllowedHere, detail).into());
        }
        Approval::SamePerson => {
            let detail = "A second person must approve: you requested it yourself.";
            return Err(DeskError::new(Code::RoleRequired, detail).into());
        }
        Approval::Over(ending) => Some(ending),
        Approval::Stands => None,
    };
    facts::lock_owner(&mut tx, &record.owner).await?;
    let asker = Asker {
        caller,
        seen_revision: Some(stored.recovery.revision_before),
        led_by: stored.recovery.dead_letter_id,
        except: Some((id, None)),
    };
    let facts = guard_facts::gather(&mut tx, config, &record, plan.action, &asker).await?;
    let plan = plan.guarded(&record, &evidence, &facts, now);
    if let Some(ending) = over {
        end(&mut tx, &stored, record.revision, caller, &ending).await?;
        tx.commit_at("approve_refused").await?;
        return Err(stale(plan).into());
    }
    if !plan.allowed {
        return Err(blocked(&plan).into());
    }
    let valid = i64::try_from(config.policy.creation_valid_seconds).unwrap_or(i64::MAX / 2000);
    tx.execute(
        "UPDATE dlo_recoveries SET state = 'requested', approved_by = $1, valid_until = $2, heard_at = $3 WHERE id = $4",
        values![&caller.name, now + Duration::seconds(valid), now, id],
    )
    .await?;
    let action = stored.recovery.action;
    let led_by = stored.recovery.dead_letter_id;
    let work = Work {
        recovery: id,
        queue_job,
        operation: &record.id,
        action,
        dead_letter: led_by,
        by: &caller.name,
        reason,
    };
    enqueue(&mut tx, config, &work).await?;
    let entry = Entry::new(caller, "approve")
        .effect(stored.recovery.effect)
        .operation(&record.id)
        .dead_letter(led_by)
        .recovery(id)
        .revisions(record.revision, None)
        .reason(reason)
        .guards(&plan.guards);
    audit::append(&mut tx, entry).await?;
    let after = super::list::get(&mut tx, id).await?.ok_or_else(unknown)?.recovery;
    idempotency::keep(&mut tx, claim, 200, &serde_json::json!(after)).await?;
    tx.commit_at("approve").await?;
    Ok(after)
}
