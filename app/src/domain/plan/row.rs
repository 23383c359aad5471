//! The decision table (DESIGN 3): which row a record stands in. First match wins.

use super::missing::{all_may_be_lost, missing_outputs};
use super::{Action, Effect};
use crate::domain::accounting::is_settled;
use crate::domain::evidence::Jobs;
use crate::domain::ids::JobId;
use crate::domain::operation::{Dispatch, Operation, Phase};
use crate::domain::remote::{Execution, Fetch};

/// Good reads that may say `succeeded` without outputs before a person decides (row 6).
pub const EMPTY_READS_BEFORE_RECONCILE: u32 = 3;

/// A row of the table, by what the record says there. [`Row::Alternative`] stands beside the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::domain) enum Row {
    Alternative = 0,
    Delivered = 1,
    Closed = 2,
    Contested = 3,
    NamedByEvidence = 4,
    SucceededWithoutId = 5,
    SucceededWithoutOutputs = 6,
    OutputsMayBeLost = 7,
    OutputsMissing = 8,
    AllCopied = 9,
    NotFound = 10,
    ExecutionUnknown = 11,
    FailedOnOurSideOnly = 12,
    FailedUnproven = 13,
    FailedNotSent = 14,
    FailedUnsettled = 15,
    FailedSettled = 16,
    Underway = 17,
    SentWithoutId = 18,
    ReadyToSend = 19,
    PreparedUnproven = 20,
}

impl Row {
    /// The row's number in the table; 0 beside it.
    pub(in crate::domain) const fn number(self) -> u8 {
        self as u8
    }
}

/// What a row asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub row: Row,
    pub action: Action,
    pub effect: Effect,
    pub job_id: Option<JobId>,
    pub outputs: Vec<u32>,
}

impl Step {
    pub(super) fn read(row: Row, job_id: JobId) -> Self {
        Self {
            row,
            action: Action::Observe,
            effect: Effect::ReadsStatus,
            job_id: Some(job_id),
            outputs: Vec::new(),
        }
    }

    fn without_job(row: Row, action: Action, effect: Effect) -> Self {
        Self {
            row,
            action,
            effect,
            job_id: None,
            outputs: Vec::new(),
        }
    }

    fn reconcile(row: Row) -> Self {
        Self::without_job(row, Action::Reconcile, Effect::RecordsDecision)
    }

    fn acknowledge(row: Row) -> Self {
        Self::without_job(row, Action::Acknowledge, Effect::None)
    }

    fn deliver(row: Row, job_id: &JobId, outputs: Vec<u32>) -> Self {
        Self {
            row,
            action: Action::Deliver,
            effect: Effect::CopiesExistingOutput,
            job_id: Some(job_id.clone()),
            outputs,
        }
    }
}

/// Walks the table.
pub(super) fn choose(record: &Operation, jobs: &Jobs) -> Step {
    if record.phase == Phase::Delivered {
        return Step::acknowledge(Row::Delivered);
    }
    if record.closure.is_some() {
        return Step::acknowledge(Row::Closed);
    }
    if jobs.contested {
        return Step::reconcile(Row::Contested);
    }
    match &record.job_id {
        Some(attached) => with_job(record, attached),
        None => {
            let mut own = jobs.own.iter();
            match (own.next(), own.next()) {
                (Some(only), None) => Step::read(Row::NamedByEvidence, only.clone()),
                (None | Some(_), None | Some(_)) => without_job(record, jobs),
            }
        }
    }
}

/// Rows 6 to 12 and 15 to 17: a job id is attached.
fn with_job(record: &Operation, attached: &JobId) -> Step {
    let read = |row| Step::read(row, attached.clone());
    let lost = record.is_lost_remotely();
    match record.phase {
        // Row 1 took it; said again so that no catch-all arm hides a new phase.
        Phase::Delivered => Step::acknowledge(Row::Delivered),
        Phase::Succeeded => succeeded(record, attached),
        Phase::Prepared | Phase::Submitting | Phase::Accepted | Phase::Failed
            if record.remote.fetch == Some(Fetch::NotFound) && !lost =>
        {
            Step::reconcile(Row::NotFound)
        }
        Phase::Prepared | Phase::Submitting | Phase::Accepted | Phase::Failed
            if record.remote.execution == Some(Execution::Unknown) =>
        {
            Step::reconcile(Row::ExecutionUnknown)
        }
        Phase::Failed if !lost => read(Row::FailedOnOurSideOnly),
        Phase::Failed if is_settled(record) => Step::acknowledge(Row::FailedSettled),
        Phase::Failed => Step {
            action: Action::InspectAccounting,
            ..read(Row::FailedUnsettled)
        },
        Phase::Prepared | Phase::Submitting | Phase::Accepted => read(Row::Underway),
    }
}

/// Rows 6 to 9: our side says succeeded, and the job is known.
fn succeeded(record: &Operation, attached: &JobId) -> Step {
    if !record.has_listed_outputs() {
        return if record.remote.empty_observations < EMPTY_READS_BEFORE_RECONCILE {
            Step::read(Row::SucceededWithoutOutputs, attached.clone())
        } else {
            Step::reconcile(Row::SucceededWithoutOutputs)
        };
    }
    let missing = missing_outputs(record);
    if missing.is_empty() {
        Step::deliver(Row::AllCopied, attached, missing)
    } else if all_may_be_lost(record, &missing) {
        Step::reconcile(Row::OutputsMayBeLost)
    } else {
        Step::deliver(Row::OutputsMissing, attached, missing)
    }
}

/// Rows 5, 13 to 16 and 18 to 20: no job id is attached, and evidence names no single one.
fn without_job(record: &Operation, jobs: &Jobs) -> Step {
    let remote_life = record.has_remote_life();
    match record.phase {
        Phase::Delivered => Step::acknowledge(Row::Delivered),
        Phase::Succeeded => Step::reconcile(Row::SucceededWithoutId),
        Phase::Failed => match record.dispatch {
            Dispatch::OutcomeUnknown | Dispatch::NotRecorded => Step::reconcile(Row::FailedUnproven),
            Dispatch::ConfirmedNotSent if remote_life => Step::reconcile(Row::FailedUnproven),
            Dispatch::ConfirmedNotSent => Step::acknowledge(Row::FailedNotSent),
            Dispatch::Sent if is_settled(record) => Step::acknowledge(Row::FailedSettled),
            Dispatch::Sent => Step::without_job(
                Row::FailedUnsettled,
                Action::InspectAccounting,
                Effect::RecordsDecision,
            ),
        },
        Phase::Accepted | Phase::Submitting => Step::reconcile(Row::SentWithoutId),
        Phase::Prepared => {
            // An id that became an operation of its own is still proof that something was sent for this one.
            let never_named = jobs.known.is_empty();
            match record.dispatch {
                Dispatch::ConfirmedNotSent if never_named && !remote_life => {
                    Step::without_job(Row::ReadyToSend, Action::Dispatch, Effect::SubmitsNewGeneration)
                }
                Dispatch::ConfirmedNotSent
                | Dispatch::NotRecorded
                | Dispatch::OutcomeUnknown
                | Dispatch::Sent => Step::reconcile(Row::PreparedUnproven),
            }
        }
    }
}
