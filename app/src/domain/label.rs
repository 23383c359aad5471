//! Labels: the words a person reads for what is wrong. Derived by one total function, never stored as truth (DESIGN 2).

use super::evidence::{Evidence, Jobs};
use super::operation::{Dispatch, Operation, Phase};
use super::remote::{Execution, Fetch};

crate::slugs! {
    /// In the order of the operation's life on the desk's rail.
    pub enum Label ("label") {
        NotSubmitted => "not_submitted",
        SubmissionRejected => "submission_rejected",
        SubmissionOutcomeUnknown => "submission_outcome_unknown",
        RenderInProgress => "render_in_progress",
        RemoteStateUnclear => "remote_state_unclear",
        RemoteRenderFailed => "remote_render_failed",
        LocalDeliveryFailure => "local_delivery_failure",
        AlreadyDelivered => "already_delivered",
        Closed => "closed",
        NoOperationRecord => "no_operation_record",
    }
}

impl Label {
    /// The words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotSubmitted => "Not submitted",
            Self::SubmissionRejected => "Submission rejected",
            Self::SubmissionOutcomeUnknown => "Submission outcome unknown",
            Self::RenderInProgress => "Render still in progress",
            Self::RemoteStateUnclear => "Remote state unclear",
            Self::RemoteRenderFailed => "Remote render failed",
            Self::LocalDeliveryFailure => "Local delivery failure",
            Self::AlreadyDelivered => "Already delivered",
            Self::Closed => "Closed",
            Self::NoOperationRecord => "No operation record",
        }
    }
}

/// What is wrong with this operation, in one label. First match wins (DESIGN 2, "Labels").
///
/// Never [`Label::NoOperationRecord`]: that one belongs to dead letters whose operation we do not hold.
pub fn label(record: &Operation, evidence: &Evidence) -> Label {
    label_with(record, &evidence.jobs(record))
}

/// [`label`] where the ids are found already.
pub(super) fn label_with(record: &Operation, jobs: &Jobs) -> Label {
    if record.phase == Phase::Delivered {
        return Label::AlreadyDelivered;
    }
    if record.closure.is_some() {
        return Label::Closed;
    }
    if jobs.contested || record.succeeded_without_outputs() {
        return Label::RemoteStateUnclear;
    }
    if record.phase == Phase::Succeeded {
        return Label::LocalDeliveryFailure;
    }
    match record.remote.execution {
        Some(Execution::Succeeded) => return Label::LocalDeliveryFailure,
        Some(Execution::Failed | Execution::Cancelled | Execution::Expired) => {
            return Label::RemoteRenderFailed;
        }
        Some(Execution::Unknown) => return Label::RemoteStateUnclear,
        Some(Execution::Queued | Execution::Running) | None => {}
    }
    let failed = record.phase == Phase::Failed;
    if !jobs.own.is_empty() {
        let never_read = record.remote.execution.is_none();
        return if record.remote.fetch == Some(Fetch::NotFound) || (never_read && failed) {
            Label::RemoteStateUnclear
        } else {
            Label::RenderInProgress
        };
    }
    match record.dispatch {
        Dispatch::Sent if failed => Label::SubmissionRejected,
        Dispatch::ConfirmedNotSent
            if (failed || record.phase == Phase::Prepared) && !record.has_remote_life() =>
        {
            Label::NotSubmitted
        }
        Dispatch::Sent | Dispatch::ConfirmedNotSent | Dispatch::NotRecorded | Dispatch::OutcomeUnknown => {
            Label::SubmissionOutcomeUnknown
        }
    }
}
