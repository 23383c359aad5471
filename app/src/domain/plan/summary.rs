//! What a plan does, and why, in two or three plain sentences.

use super::phrase;
use super::row::{EMPTY_READS_BEFORE_RECONCILE, Row, Step};
use super::{Action, missing_outputs};
use crate::domain::evidence::{Evidence, Jobs};
use crate::domain::ids::JobId;
use crate::domain::money::ChargeState;
use crate::domain::operation::{Dispatch, Operation};
use crate::domain::remote::{Execution, Reason};

/// The effect first, then the reason.
pub(super) fn summary(record: &Operation, evidence: &Evidence, jobs: &Jobs, step: &Step) -> String {
    format!(
        "{} {}",
        effect(record, step),
        reason(record, evidence, jobs, step)
    )
}

fn effect(record: &Operation, step: &Step) -> String {
    let job = step.job_id.as_ref().map_or("unknown", JobId::as_str);
    match step.action {
        Action::Dispatch => {
            format!(
                "Submits a NEW generation to {}. It can be billed and cannot be undone.",
                record.provider
            )
        }
        Action::Observe => format!("Reads the status of job {job}. Creates nothing."),
        Action::Deliver if step.outputs.is_empty() => {
            format!("Completes the record of job {job}. Copies nothing, creates nothing.")
        }
        Action::Deliver => {
            format!(
                "Copies {} of the finished job {job} into our storage. Creates nothing.",
                phrase::outputs(record, &step.outputs)
            )
        }
        Action::InspectAccounting => match &step.job_id {
            Some(job) => format!("Reads the status of job {job} for its money. Creates nothing."),
            None => "Records a person's decision about the money. Sends nothing.".to_owned(),
        },
        Action::Reconcile => "Records a person's decision. Sends nothing.".to_owned(),
        Action::Acknowledge => "Marks the message as obsolete. Sends nothing, copies nothing.".to_owned(),
    }
}

fn reason(record: &Operation, evidence: &Evidence, jobs: &Jobs, step: &Step) -> String {
    let job = step
        .job_id
        .as_ref()
        .or(record.job_id.as_ref())
        .map_or("", JobId::as_str);
    match step.row {
        Row::Alternative => alternative(record, jobs, job),
        Row::Delivered => "Every output is delivered already.".to_owned(),
        Row::Closed => closed(record),
        Row::Contested => contested(record, evidence, jobs),
        Row::NamedByEvidence => {
            format!("Evidence names {job}; it is attached when the answer bears the same id.")
        }
        Row::SucceededWithoutId => {
            "Our side says succeeded, yet no job id is known: nothing can be read.".to_owned()
        }
        Row::SucceededWithoutOutputs if step.action == Action::Observe => format!(
            "Success without outputs, seen in {} of {EMPTY_READS_BEFORE_RECONCILE} good reads: the list may still come.",
            record.remote.empty_observations
        ),
        Row::SucceededWithoutOutputs => format!(
            "{} said that {job} succeeded without outputs: reading again will not help.",
            phrase::count(record.remote.empty_observations as usize, "good read")
        ),
        Row::OutputsMayBeLost => format!(
            "All that is missing ({}) failed again and again for a lasting reason: it may be lost.",
            phrase::outputs(record, &missing_outputs(record))
        ),
        Row::OutputsMissing => "The render succeeded; what is already ours stays as it is.".to_owned(),
        Row::AllCopied => "Every output that is awaited is copied and verified.".to_owned(),
        Row::NotFound => {
            format!("The provider does not find job {job}: absence is not proof that it was never accepted.")
        }
        Row::ExecutionUnknown => {
            format!(
                "Job {job} is in a state that we do not know{}: hold.",
                phrase::raw_status(record)
            )
        }
        Row::FailedOnOurSideOnly => match record.remote.execution {
            Some(execution) => {
                format!(
                    "Our side failed, but {}: our failure is not the provider's.",
                    phrase::execution(execution)
                )
            }
            None => {
                "Our side failed, and the job was never read: our failure is not the provider's.".to_owned()
            }
        },
        Row::FailedUnproven if record.dispatch == Dispatch::ConfirmedNotSent => {
            format!(
                "It is said that nothing was sent, in spite of {}.",
                phrase::remote_life(record)
            )
        }
        Row::FailedUnproven => format!(
            "Our side failed without a job id. {}",
            phrase::dispatch(record.dispatch)
        ),
        Row::FailedNotSent => "It failed before anything was sent, and that is recorded.".to_owned(),
        Row::FailedUnsettled => unsettled(record, step),
        Row::FailedSettled => "It failed, and the money is settled.".to_owned(),
        Row::Underway => match record.remote.execution {
            Some(Execution::Unknown) | None => "The job was never read.".to_owned(),
            Some(execution) => format!("When last heard of, {}.", phrase::execution(execution)),
        },
        Row::SentWithoutId => format!("No job id came back. {}", phrase::dispatch(record.dispatch)),
        Row::ReadyToSend => "It is recorded that nothing was sent, and nothing says otherwise.".to_owned(),
        Row::PreparedUnproven => prepared(record, jobs),
    }
}

fn alternative(record: &Operation, jobs: &Jobs, job: &str) -> String {
    if record
        .job_id
        .as_ref()
        .is_some_and(|attached| attached.as_str() == job)
    {
        return "It is the attached job; a read is permitted at any time.".to_owned();
    }
    let named_alone = record.job_id.is_none() && jobs.own.len() == 1;
    if named_alone {
        return "Evidence names this job; a read is permitted at any time.".to_owned();
    }
    "It is not the attached job: the read writes only what is known of this id.".to_owned()
}

fn closed(record: &Operation) -> String {
    match &record.closure {
        Some(closure) => format!("{} closed the operation ({}).", closure.by, closure.decision),
        None => "The operation is closed.".to_owned(),
    }
}

fn contested(record: &Operation, evidence: &Evidence, jobs: &Jobs) -> String {
    let own: Vec<JobId> = jobs.own.iter().cloned().collect();
    let held: Vec<JobId> = own
        .iter()
        .filter(|job| evidence.held_elsewhere.contains(*job) && !record.settled_jobs.contains(job))
        .cloned()
        .collect();
    if held.is_empty() {
        format!(
            "Several ids are known ({}), and nobody has said which is this operation's.",
            phrase::jobs(&own)
        )
    } else {
        format!("Another operation holds {}.", phrase::jobs(&held))
    }
}

/// Row 15 says what it can: only a marker or a pending compensation makes another read worth while.
fn unsettled(record: &Operation, step: &Step) -> String {
    if step.job_id.is_none() {
        return "The request was refused, and the charge is not settled: it needs separate investigation."
            .to_owned();
    }
    let may_advance = record.remote.reason == Some(Reason::SubmissionFailure)
        || record.charge.state == ChargeState::RefundPending;
    if may_advance {
        "The provider marks a refund as due or on its way: this read may advance it.".to_owned()
    } else {
        "No refund is proven. Reading again rarely helps: the money needs separate investigation and a recorded decision."
            .to_owned()
    }
}

fn prepared(record: &Operation, jobs: &Jobs) -> String {
    if record.has_remote_life() {
        return format!(
            "Our side says prepared, in spite of {}.",
            phrase::remote_life(record)
        );
    }
    let known: Vec<JobId> = jobs.known.iter().cloned().collect();
    if known.is_empty() {
        phrase::dispatch(record.dispatch).to_owned()
    } else {
        format!(
            "Something was sent for it: {} became known.",
            phrase::jobs(&known)
        )
    }
}
