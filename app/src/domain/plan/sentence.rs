//! The operation page's two sentences: what is known, and what is not.

use super::missing_outputs;
use super::phrase;
use super::row::{Row, Step, choose};
use crate::domain::accounting::flag_beside;
use crate::domain::evidence::{Evidence, Jobs};
use crate::domain::ids::JobId;
use crate::domain::label::label_with;
use crate::domain::money::ChargeState;
use crate::domain::operation::Operation;
use crate::domain::remote::{Execution, Fetch};

/// (known, not known): each one or a few plain sentences, never empty.
pub fn sentence(record: &Operation, evidence: &Evidence) -> (String, String) {
    let jobs = evidence.jobs(record);
    let step = choose(record, &jobs);
    let money_open = flag_beside(record, label_with(record, &jobs));
    (known(record, &jobs), not_known(record, &step, money_open))
}

fn known(record: &Operation, jobs: &Jobs) -> String {
    let mut parts = Vec::new();
    if let Some(closure) = &record.closure {
        parts.push(format!(
            "{} closed the operation ({}).",
            closure.by, closure.decision
        ));
    }
    match (&record.job_id, record.remote.execution) {
        (Some(job), Some(execution)) => {
            parts.push(format!(
                "Of job {job}, {}{}.",
                phrase::execution(execution),
                phrase::raw_status(record)
            ));
        }
        (Some(job), None) => parts.push(format!("Job {job} is attached.")),
        (None, Some(execution)) => {
            parts.push(format!(
                "It was reported that {}, without a job id.",
                phrase::execution(execution)
            ));
        }
        (None, None) => parts.push(phrase::dispatch(record.dispatch).to_owned()),
    }
    let others: Vec<JobId> = jobs
        .known
        .iter()
        .filter(|job| Some(*job) != record.job_id.as_ref())
        .cloned()
        .collect();
    if !others.is_empty() {
        let verb = if others.len() == 1 { "is" } else { "are" };
        let also = if record.job_id.is_some() { "also " } else { "" };
        parts.push(format!(
            "The {} {verb} {also}named by evidence.",
            phrase::jobs(&others).replacen("job", "job id", 1)
        ));
    }
    if record.has_listed_outputs() {
        parts.push(format!(
            "{} of {} ours.",
            phrase::delivered(record),
            match phrase::listed(record) {
                1 => "1 listed output is".to_owned(),
                many => format!("{many} listed outputs are"),
            }
        ));
    }
    if record.remote.fetch == Some(Fetch::NotFound) {
        parts.push("The last read did not find it.".to_owned());
    }
    parts.extend(phrase::money(&record.charge));
    parts.join(" ")
}

fn not_known(record: &Operation, step: &Step, money_open: bool) -> String {
    let first = match step.row {
        Row::Delivered | Row::FailedNotSent | Row::AllCopied => None,
        Row::Closed => Some("Nothing more is looked for while the closure stands.".to_owned()),
        Row::Contested => Some("Which job is this operation's.".to_owned()),
        Row::NamedByEvidence => {
            Some("Whether the named job is this operation's: nobody has read it for this record.".to_owned())
        }
        Row::SucceededWithoutId => Some("Which job succeeded.".to_owned()),
        Row::SucceededWithoutOutputs => Some("Whether the render has any outputs.".to_owned()),
        Row::OutputsMayBeLost => Some(format!(
            "Whether {} can still be had.",
            phrase::outputs(record, &missing_outputs(record))
        )),
        Row::OutputsMissing => Some(format!(
            "Whether {} can be copied now: the next delivery tells.",
            phrase::outputs(record, &step.outputs)
        )),
        Row::NotFound => Some("What became of the job: the provider does not find it now.".to_owned()),
        Row::ExecutionUnknown => Some("What the provider's state means.".to_owned()),
        Row::FailedOnOurSideOnly | Row::Underway | Row::Alternative => Some(match record.remote.execution {
            Some(Execution::Succeeded) => {
                "Whether its outputs can be had: our side has not taken it up.".to_owned()
            }
            Some(Execution::Failed | Execution::Cancelled | Execution::Expired) => {
                "Whether the provider has anything to add: our side has not taken it up.".to_owned()
            }
            Some(Execution::Queued | Execution::Running | Execution::Unknown) => {
                "How the render ended, or will end.".to_owned()
            }
            None => "How the render stands: it was never read.".to_owned(),
        }),
        Row::FailedUnproven | Row::SentWithoutId | Row::PreparedUnproven => {
            Some("Whether the provider accepted a generation.".to_owned())
        }
        Row::FailedUnsettled | Row::FailedSettled | Row::ReadyToSend => None,
    };
    let parts: Vec<String> = first
        .into_iter()
        .chain(money_not_known(record).filter(|_| money_open))
        .collect();
    if parts.is_empty() {
        "Nothing that matters here.".to_owned()
    } else {
        parts.join(" ")
    }
}

/// What the provider has not said of the money.
fn money_not_known(record: &Operation) -> Option<String> {
    let sentence = match record.charge.state {
        ChargeState::Unknown => "What was charged.",
        ChargeState::Reserved => "Whether the reservation is given back.",
        ChargeState::RefundPending => "When the refund arrives.",
        ChargeState::Charged | ChargeState::PartiallyRefunded => "Whether the charge is refunded.",
        ChargeState::None | ChargeState::Refunded => return None,
    };
    Some(sentence.to_owned())
}
