//! Permit (DESIGN 4.4): a queue job is not permission. What a claim finds when the plan is decided again.

use super::{Ending, Stored, ending_of_attempt};
use crate::domain::evidence::Evidence;
use crate::domain::guard::Verdict;
use crate::domain::operation::{Operation, Phase};
use crate::domain::plan::{Action, Plan, decide, observe_plan};
use crate::domain::recovery::RecoveryState;
use chrono::{DateTime, Utc};

/// What a claim of a recovery's job finds.
#[derive(Debug, Clone, PartialEq)]
pub enum Leave {
    /// It has ended already.
    Ended(RecoveryState),
    /// Another claim holds a living lease.
    Held,
    /// It ends now, and nothing is sent.
    Ends(Ending),
    /// The plan as it is now, still what was confirmed: its guards decide.
    Plan(Box<Plan>),
}

/// Decides again whether this claim may go on.
///
/// A recovery that creates nothing may be claimed again when its lease is over. A creation may not: a second claim ends
/// it by its attempt's receipt if there is one, else as unknown, and sends nothing.
pub fn leave(stored: &Stored, record: &Operation, evidence: &Evidence, now: DateTime<Utc>) -> Leave {
    let state = stored.recovery.state;
    if !state.is_active() {
        return Leave::Ended(state);
    }
    if stored.is_leased(now) {
        return Leave::Held;
    }
    if stored.recovery.action == Action::Dispatch && state == RecoveryState::Running {
        let attempt = evidence
            .attempts
            .iter()
            .find(|attempt| attempt.recovery_id == stored.recovery.id);
        let receipt = attempt.and_then(|attempt| attempt.receipt.as_ref());
        return Leave::Ends(ending_of_attempt(receipt, attempt.is_some()));
    }
    match replan(stored, record, evidence, now) {
        Ok(plan) => Leave::Plan(Box::new(plan)),
        Err(ending) => Leave::Ends(ending),
    }
}

/// The end of a recovery whose guards block at the last moment; `None` when none does.
pub fn refused_by_guards(plan: &Plan) -> Option<Ending> {
    if plan.allowed {
        return None;
    }
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
    ending.guards.clone_from(&plan.guards);
    Some(ending)
}

/// The plan as it is now, if it is still what was confirmed.
fn replan(
    stored: &Stored,
    record: &Operation,
    evidence: &Evidence,
    now: DateTime<Utc>,
) -> Result<Plan, Ending> {
    let action = stored.recovery.action;
    if action == Action::Dispatch && stored.is_overdue(now) {
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
