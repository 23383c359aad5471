//! How an application's own worker reports a handed-back action (DESIGN 7, `POST /recoveries/{id}/report`).

use super::end::{Ending, end};
use super::held_by_others;
use super::row::lock;
use super::{key_conflict, stored_answer};
use crate::database::Database;
use crate::failure::Failure;
use crate::storage::idempotency::{self, Begin, Claim};
use crate::storage::operations;
use crate::values;
use app::desk::{Code, DeskError};
use app::domain::ids::RecoveryId;
use app::domain::operation::{Operation, Phase};
use app::domain::plan::{Action, missing_outputs};
use app::domain::recovery::{Recovery, RecoveryState};
use app::domain::remote::Execution;
use app::domain::role::Caller;
use app::domain::transition::{Patch, RecoveryReport, apply_patch};

/// A parsed report with who sends it.
pub struct Report<'a> {
    pub caller: &'a Caller,
    pub recovery: RecoveryId,
    pub report: &'a RecoveryReport,
    pub claim: &'a Claim,
}

/// Applies the report as new evidence; an `outcome` ends the recovery. Each part may come more than once, also late:
/// after the end, evidence is still taken.
pub async fn report(database: &Database, report: &Report<'_>) -> Result<Recovery, Failure> {
    let mut tx = database.write().await?;
    match idempotency::begin(&mut tx, report.claim).await? {
        Begin::New => {}
        Begin::Stored { answer, .. } => return Ok(stored_answer(answer)?),
        Begin::Conflict => return Err(key_conflict().into()),
    }
    let unknown = || DeskError::new(Code::NotFound, "There is no recovery with this id.");
    let found = super::list::get(&mut tx, report.recovery)
        .await?
        .ok_or_else(unknown)?;
    let record = operations::lock(&mut tx, &found.recovery.operation_id)
        .await?
        .ok_or_else(unknown)?;
    let stored = lock(&mut tx, report.recovery).await?.ok_or_else(unknown)?;
    if !stored.handed_back {
        return Err(DeskError::new(
            Code::NotAllowedHere,
            "Our own worker carries this recovery out; nobody reports it.",
        )
        .into());
    }
    let mut record = record;
    for patch in patches(&record, stored.recovery.action, report.report) {
        let held = held_by_others(&mut tx, &record, patch.remote.job_id.as_ref()).await?;
        match apply_patch(&record, &patch, tx.now(), |job_id| held.contains(job_id)) {
            Ok(change) => {
                operations::save(&mut tx, &change.record, &change.events).await?;
                record = change.record;
            }
            // What it implies for the phase is only taken where the phase may go there.
            Err(_) if patch.phase.is_some() => {}
            Err(refusal) => return Err(refusal.into()),
        }
    }
    if stored.recovery.state.is_active() {
        match report.report.done {
            Some(done) => {
                let ending = ending(done, report.report, &record);
                end(&mut tx, &stored, record.revision, report.caller, &ending).await?;
            }
            None => {
                tx.execute(
                    "UPDATE dlo_recoveries SET state = 'running', heard_at = $1, started_at = COALESCE(started_at, $1) WHERE id = $2",
                    values![tx.now(), report.recovery],
                )
                .await?;
            }
        }
    }
    let after = super::list::get(&mut tx, report.recovery)
        .await?
        .ok_or_else(unknown)?
        .recovery;
    idempotency::keep(&mut tx, report.claim, 200, &serde_json::json!(after)).await?;
    tx.commit_at("report").await?;
    Ok(after)
}

/// What the report says of the record: its axes and copies, then the phase that the action's answer implies.
fn patches(record: &Operation, action: Action, report: &RecoveryReport) -> Vec<Patch> {
    let mut patches = Vec::new();
    let stated = report.as_patch();
    if stated != Patch::default() {
        patches.push(stated);
    }
    let names_another = report
        .observation
        .as_ref()
        .and_then(|axes| axes.job_id.as_ref())
        .is_some_and(|job_id| record.job_id.as_ref().is_some_and(|attached| attached != job_id));
    let seen = report
        .observation
        .as_ref()
        .and_then(|axes| axes.execution)
        .filter(|_| !names_another);
    let implied = match seen {
        Some(Execution::Queued | Execution::Running) => Some(Phase::Accepted),
        Some(Execution::Succeeded) => Some(Phase::Succeeded),
        Some(Execution::Failed | Execution::Cancelled | Execution::Expired) => Some(Phase::Failed),
        Some(Execution::Unknown) | None => None,
    };
    if let Some(phase) = implied.filter(|phase| *phase != record.phase && record.phase != Phase::Succeeded) {
        patches.push(Patch {
            phase: Some(phase),
            ..Patch::default()
        });
    }
    if action == Action::Deliver && report.done == Some(true) && completes(record, report) {
        patches.push(Patch {
            phase: Some(Phase::Delivered),
            ..Patch::default()
        });
    }
    patches
}

/// All awaited outputs are ours with this report.
fn completes(record: &Operation, report: &RecoveryReport) -> bool {
    let mut after = record.clone();
    let patch = Patch {
        outputs: report.outputs.clone(),
        ..Patch::default()
    };
    if let Ok(change) = apply_patch(&after, &patch, record.updated_at, |_| false) {
        after = change.record;
    }
    after.phase == Phase::Succeeded && after.has_listed_outputs() && missing_outputs(&after).is_empty()
}

fn ending(done: bool, report: &RecoveryReport, record: &Operation) -> Ending {
    if done {
        Ending::new(
            RecoveryState::Succeeded,
            format!(
                "The application reported it done; our side stands at {}.",
                record.phase
            ),
        )
    } else {
        let why = report
            .category
            .map_or_else(String::new, |category| format!(": {category}"));
        Ending::new(
            RecoveryState::Failed,
            format!("The application reported a failure{why}."),
        )
    }
}
