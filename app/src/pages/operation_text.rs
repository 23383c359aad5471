//! One sentence of what is known and one of what is not; and the operation as Markdown, for the incident channel.

use crate::components::text::visible;
use crate::components::time::{ago, exact};
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::label::Label;
use crate::domain::remote::{CopyState, Execution, Fetch, Reason};
use chrono::{DateTime, Utc};

/// What the record and the provider's last word prove, and what they leave open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    pub known: String,
    pub unknown: Option<String>,
}

/// How many of how many outputs are ours.
pub fn copied(view: &OperationView) -> (usize, usize) {
    let ours = view.outputs.iter().filter(|output| output.state == CopyState::Delivered).count();
    let listed = view.remote.axes.outputs.as_ref().map_or(0, Vec::len);
    let expected = view.remote.axes.outputs_expected.map_or(0, |expected| expected as usize);
    (ours, listed.max(expected).max(view.outputs.len()))
}

fn job(view: &OperationView) -> String {
    view.remote.job_id.as_ref().map_or_else(|| "The job".to_owned(), |job| format!("Job {}", visible(job.as_str())))
}

fn paid(view: &OperationView) -> &'static str {
    use crate::domain::money::ChargeState;
    match view.charge.state {
        ChargeState::Charged => " and paid",
        ChargeState::Unknown
        | ChargeState::None
        | ChargeState::Reserved
        | ChargeState::RefundPending
        | ChargeState::Refunded
        | ChargeState::PartiallyRefunded => "",
    }
}

fn delivery(view: &OperationView) -> Knowledge {
    let known = match copied(view) {
        (ours, 0) => format!("The render is finished{}; {ours} outputs are ours.", paid(view)),
        (ours, all) => format!("The render is finished{}, and {ours} of its {all} outputs are ours.", paid(view)),
    };
    let last = view.outputs.iter().rev().find_map(|output| output.category);
    let unknown = match last.or_else(|| view.error.as_ref().map(|error| error.category)) {
        Some(category) => format!("Whether the next copy succeeds: the last one ended with {category}."),
        None => "Why the copy is not complete.".to_owned(),
    };
    Knowledge { known, unknown: Some(unknown) }
}

fn lost(view: &OperationView) -> Knowledge {
    let axes = &view.remote.axes;
    let state = axes.execution.map_or("failed", Execution::as_str);
    let reason = match axes.reason {
        None | Some(Reason::None) => String::new(),
        Some(reason) => format!(" ({})", words::reason(reason)),
    };
    let known = format!("{} is {state}{reason}. Charge: {}.", job(view), words::charge(&view.charge));
    let unknown = view
        .refund_unresolved
        .then(|| "Whether the money comes back: a failed state is no evidence of a refund.".to_owned());
    Knowledge { known, unknown }
}

fn unclear(view: &OperationView) -> Knowledge {
    let axes = &view.remote.axes;
    let others = view.remote.other_jobs.len();
    if others > 0 {
        let all = others + usize::from(view.remote.job_id.is_some());
        return Knowledge {
            known: words::count(i64::try_from(all).unwrap_or(i64::MAX), "other job id is known", "job ids are known") + ".",
            unknown: Some("Which of them is this operation’s render, and whether the others are paid renders too.".to_owned()),
        };
    }
    if axes.fetch == Some(Fetch::NotFound) {
        return Knowledge {
            known: format!("{} was not found when last asked.", job(view)),
            unknown: Some("Whether it was ever accepted: absence is no proof that it was not.".to_owned()),
        };
    }
    if axes.execution == Some(Execution::Unknown) {
        let raw = axes.raw_status.as_deref().map_or_else(String::new, |raw| format!(": “{}”", visible(raw)));
        return Knowledge {
            known: format!("{} answers with a state that is not in our words{raw}.", job(view)),
            unknown: Some("What that state means for the render and for the money.".to_owned()),
        };
    }
    if view.remote.job_id.is_some() && axes.execution == Some(Execution::Succeeded) {
        return Knowledge {
            known: format!("{} succeeded without naming an output.", job(view)),
            unknown: Some("Whether there are outputs at all.".to_owned()),
        };
    }
    Knowledge {
        known: "Our side and the provider do not tell one story.".to_owned(),
        unknown: Some("Where the render stands.".to_owned()),
    }
}

/// What is known and what is not, by the label.
pub fn knowledge(view: &OperationView, now: DateTime<Utc>) -> Knowledge {
    match view.label {
        Label::AlreadyDelivered => {
            Knowledge { known: "Every awaited output is ours. Nothing remains to be done.".to_owned(), unknown: None }
        }
        Label::Closed => {
            let known = match &view.closure {
                Some(closure) => format!(
                    "Closed by {} {}: “{}”.",
                    visible(&closure.by),
                    ago(now, closure.at),
                    visible(&closure.reason)
                ),
                None => "Closed by a decision that still stands.".to_owned(),
            };
            let unknown = view.refund_unresolved.then(|| "Whether the money comes back.".to_owned());
            Knowledge { known, unknown }
        }
        Label::RemoteStateUnclear => unclear(view),
        Label::LocalDeliveryFailure => delivery(view),
        Label::RemoteRenderFailed => lost(view),
        Label::RenderInProgress => Knowledge {
            known: match view.remote.axes.execution {
                Some(execution) => format!("{} is {execution} at the provider.", job(view)),
                None => format!("{} is known and was never read.", job(view)),
            },
            unknown: Some("When and how it ends.".to_owned()),
        },
        Label::SubmissionRejected => Knowledge {
            known: "The provider answered and took no job.".to_owned(),
            unknown: view.refund_unresolved.then(|| "Whether it was charged all the same.".to_owned()),
        },
        Label::NotSubmitted => {
            Knowledge { known: "Nothing was sent, and that is proven. Nothing is paid.".to_owned(), unknown: None }
        }
        Label::SubmissionOutcomeUnknown => Knowledge {
            known: format!("A request may have left us; the evidence is: {}.", words::dispatch(view.dispatch)),
            unknown: Some("Whether the provider accepted it. Silence is not proof.".to_owned()),
        },
        Label::NoOperationRecord => {
            Knowledge { known: "There is no operation record.".to_owned(), unknown: None }
        }
    }
}

/// The operation in a few lines of Markdown. Texts from outside stand in code, where they format nothing.
pub fn markdown(view: &OperationView, now: DateTime<Utc>) -> String {
    let code = |text: &str| format!("`{}`", visible(text).replace('`', "'"));
    let knowledge = knowledge(view, now);
    let refund = if view.refund_unresolved { ", refund unresolved" } else { "" };
    let execution = view.remote.axes.execution.map_or("never read", Execution::as_str);
    let observed = view.remote.axes.observed_at.map_or_else(String::new, |at| format!(", observed {}", exact(at)));
    let job = view.remote.job_id.as_ref().map_or_else(|| "no job id".to_owned(), |job| code(job.as_str()));
    let mut lines = vec![
        format!("**{}** {}{refund}", code(view.id.as_str()), view.label.words()),
        format!("- Our side: {} ({})", view.phase, words::dispatch(view.dispatch)),
        format!("- Remote render: {job}, {execution}{observed}"),
        format!("- Charge: {}", words::charge(&view.charge)),
        format!("- Known: {}", knowledge.known),
    ];
    if let Some(unknown) = knowledge.unknown {
        lines.push(format!("- Not known: {unknown}"));
    }
    lines.push(format!("- Next action: {} ({})", view.plan.action, view.plan.effect));
    lines.push(format!("- Revision {}, {}", view.revision, exact(now)));
    lines.join("\n")
}
