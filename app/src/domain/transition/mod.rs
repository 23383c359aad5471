//! All changes of the record, as pure functions: one file per cause. Storage only carries out what they return.
//!
//! A report writes what it says (`report`), a receipt what came back from a creation (`receipt`), an observation what
//! our own read said (`observation`), a delivery which copies are ours (`delivery`), a decision what a person recorded
//! (`decision`), and a message what a consumer knew (`message`).

mod axes;
pub mod decision;
pub mod delivery;
mod event;
mod jobs;
pub mod message;
pub mod observation;
pub mod receipt;
pub mod report;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod walk;

pub use decision::{Context, adopt, apply_decision, new_child};
pub use delivery::{OutputOutcome, OutputResult, apply_delivery};
pub use message::apply_message;
pub use observation::{Observation, Reading, apply_observation};
pub use receipt::{apply_receipt, begin_dispatch};
pub use report::{
    Invalid, NewOperation, Patch, RecoveryReport, apply_patch, parse_patch, parse_put, parse_recovery_report,
};

use super::decision::DecisionKind;
use super::ids::JobId;
use super::money::Charge;
use super::operation::{Dispatch, Operation, Phase};
use super::remote::{Execution, Remote, RemoteJob};
use crate::desk::error::{Code, DeskError};
use crate::desk::view::Event;
use chrono::{DateTime, Utc};

/// What a cause makes of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The record as it stands now, its revision counted on when `changed`.
    pub record: Operation,
    /// For the timeline, oldest first. They bear the resulting revision.
    pub events: Vec<Event>,
    /// The revision was counted on. Without it only `observed_at` (and who said so) may differ: still to be stored.
    pub changed: bool,
}

/// Why a change is not made, as the caller reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub code: Code,
    /// One plain sentence.
    pub detail: String,
}

impl Refusal {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
        }
    }
}

impl From<Refusal> for DeskError {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.code, refusal.detail)
    }
}

/// Counts the revision on, once, and gives it to the events.
fn bump(mut record: Operation, mut events: Vec<Event>, now: DateTime<Utc>) -> Change {
    record.revision += 1;
    record.updated_at = now;
    for event in &mut events {
        event.revision = record.revision;
    }
    Change {
        record,
        events,
        changed: true,
    }
}

/// Counts the revision on when anything but [`without_reading_times`] differs; a read that says nothing new leaves no event.
fn bump_if_different(
    before: &Operation,
    record: Operation,
    events: Vec<Event>,
    now: DateTime<Utc>,
) -> Change {
    if without_reading_times(before) == without_reading_times(&record) {
        Change {
            record,
            events: Vec::new(),
            changed: false,
        }
    } else {
        bump(record, events, now)
    }
}

/// The record without what a read changes although it says nothing new: when it was, and that it was ours.
fn without_reading_times(record: &Operation) -> Operation {
    let mut bare = record.clone();
    let others = bare.other_jobs.iter_mut().map(|other| &mut other.job.remote);
    for remote in others.chain([&mut bare.remote]) {
        remote.observed_at = None;
        remote.read_at = None;
        remote.source = None;
    }
    bare
}

/// What a closing decision was made about: phase, evidence, job ids, their axes and charges.
/// Counters and our own copies are left out: they say nothing new about the generation.
#[derive(PartialEq)]
struct Closed {
    phase: Phase,
    dispatch: Dispatch,
    jobs: Vec<(Option<JobId>, Remote, Charge)>,
}

impl Closed {
    fn of(record: &Operation) -> Self {
        let bare = without_reading_times(record);
        let others = bare
            .other_jobs
            .into_iter()
            .map(|other| (Some(other.job_id), other.job.remote, other.job.charge));
        let mut jobs: Vec<_> = others.chain([(bare.job_id, bare.remote, bare.charge)]).collect();
        for (_, remote, _) in &mut jobs {
            remote.empty_observations = 0;
        }
        Self {
            phase: record.phase,
            dispatch: record.dispatch,
            jobs,
        }
    }
}

/// New evidence or a differing observation voids a closure (DESIGN 4, `close_unresolved`).
fn void_closure_if_different(before: &Operation, after: &mut Operation) {
    if before.closure.is_some() && Closed::of(before) != Closed::of(after) {
        lift_closure(after);
    }
}

/// Removes the closure. What `outputs_lost` gave up is awaited again: that decision does not stand any more.
fn lift_closure(record: &mut Operation) {
    if record
        .closure
        .take()
        .is_some_and(|closure| closure.decision == DecisionKind::OutputsLost)
    {
        record.lost_outputs.clear();
    }
}

/// Changes the dispatch evidence, and keeps since when it says `confirmed_not_sent`.
fn set_dispatch(record: &mut Operation, dispatch: Dispatch, now: DateTime<Utc>) {
    if record.dispatch == dispatch {
        return;
    }
    record.dispatch = dispatch;
    record.not_sent_since = (dispatch == Dispatch::ConfirmedNotSent).then_some(now);
    if dispatch != Dispatch::ConfirmedNotSent {
        record.dispatch_proof = None;
    }
}

/// Our phase as a job's execution implies it; `None` where the provider's state is unknown or was never read.
fn phase_implied(execution: Option<Execution>) -> Option<Phase> {
    match execution? {
        Execution::Queued | Execution::Running => Some(Phase::Accepted),
        Execution::Succeeded => Some(Phase::Succeeded),
        Execution::Failed | Execution::Cancelled | Execution::Expired => Some(Phase::Failed),
        Execution::Unknown => None,
    }
}

/// The phase of a record whose job id a person has just named: `accepted` until the provider said more.
fn phase_of_named_job(job: &RemoteJob) -> Phase {
    phase_implied(job.remote.execution).unwrap_or(Phase::Accepted)
}
