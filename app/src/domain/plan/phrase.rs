//! Small pieces of the sentences about a record. Plain English, exact, never an inner text.

use crate::domain::ids::JobId;
use crate::domain::indexes::{self, NAMED_IN_A_SENTENCE, joined};
use crate::domain::money::{Charge, ChargeState};
use crate::domain::operation::{Dispatch, Operation, Phase};
use crate::domain::remote::{CopyState, Execution};
use std::fmt::Display;

/// "a", "a and b", "a, b and c", "a, b, c, d, e, f and 12 more".
pub(super) fn list<T: Display>(items: &[T]) -> String {
    let hidden = items.len().saturating_sub(NAMED_IN_A_SENTENCE);
    let named = items.iter().take(NAMED_IN_A_SENTENCE);
    joined(named.map(ToString::to_string).collect(), hidden)
}

/// "output 1", "outputs 1 and 3", "all 20 outputs".
pub(super) fn outputs(record: &Operation, indexes: &[u32]) -> String {
    indexes::outputs(indexes, record.remote.outputs_in_all())
}

/// "job gj_1", "jobs gj_1 and gj_2".
pub(super) fn jobs(ids: &[JobId]) -> String {
    counted("job", ids)
}

fn counted<T: Display>(noun: &str, items: &[T]) -> String {
    let plural = if items.len() == 1 { "" } else { "s" };
    format!("{noun}{plural} {}", list(items))
}

/// "1 output", "3 outputs".
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The execution as the provider's own doing: "the render failed".
pub(super) fn execution(execution: Execution) -> &'static str {
    match execution {
        Execution::Queued => "the render is queued",
        Execution::Running => "the render is running",
        Execution::Succeeded => "the render succeeded",
        Execution::Failed => "the render failed",
        Execution::Cancelled => "the render was cancelled",
        Execution::Expired => "the render expired",
        Execution::Unknown => "the render is in a state that we do not know",
    }
}

/// The raw status in parentheses, where there is one: " (thermal_hold)".
pub(super) fn raw_status(record: &Operation) -> String {
    record
        .remote
        .raw_status
        .as_ref()
        .map(|raw| format!(" ({raw})"))
        .unwrap_or_default()
}

/// What the phase says of our side: "our side says succeeded".
pub(super) fn phase(phase: Phase) -> String {
    format!("our side says {phase}")
}

/// What can be proved about sending, as a sentence.
pub(super) const fn dispatch(dispatch: Dispatch) -> &'static str {
    match dispatch {
        Dispatch::ConfirmedNotSent => "It is recorded that nothing was sent.",
        Dispatch::NotRecorded => "Nothing is recorded about sending, and silence is not proof.",
        Dispatch::OutcomeUnknown => "A request may have left; its outcome is unknown.",
        Dispatch::Sent => "A request was sent.",
    }
}

/// The money as a sentence; `None` while nothing is known of it.
pub(super) fn money(charge: &Charge) -> Option<String> {
    let credits = |amount: Option<rust_decimal::Decimal>| {
        amount.map_or_else(
            || "An unstated number of credits".to_owned(),
            |amount| format!("{} credits", amount.normalize()),
        )
    };
    match charge.state {
        ChargeState::Unknown => None,
        ChargeState::None => Some("Nothing was charged.".to_owned()),
        ChargeState::Reserved => Some(format!("{} are reserved.", credits(charge.reserved))),
        ChargeState::Charged => Some(format!(
            "{} were charged, none refunded.",
            credits(charge.charged)
        )),
        ChargeState::RefundPending => Some(format!(
            "{} were charged; a refund is on its way.",
            credits(charge.charged)
        )),
        ChargeState::Refunded => Some(format!("{} were refunded.", credits(charge.refunded))),
        ChargeState::PartiallyRefunded => Some(format!(
            "{} were charged, only {} refunded.",
            credits(charge.charged),
            charge
                .refunded
                .map_or_else(|| "a part".to_owned(), |amount| amount.normalize().to_string()),
        )),
    }
}

/// Outputs that the provider lists.
pub(super) fn listed(record: &Operation) -> usize {
    record.remote.outputs.as_ref().map_or(0, Vec::len)
}

/// Copies of ours that are delivered.
pub(super) fn delivered(record: &Operation) -> usize {
    record
        .outputs
        .iter()
        .filter(|copy| copy.state == CopyState::Delivered)
        .count()
}

/// The signs of a remote life that a record bears, in words.
pub(super) fn remote_life(record: &Operation) -> String {
    let mut signs = Vec::new();
    if let Some(execution) = record.remote.execution {
        signs.push(format!("execution {execution}"));
    }
    if record.has_listed_outputs() {
        signs.push(count(listed(record), "listed output"));
    }
    match record.charge.state {
        ChargeState::Unknown | ChargeState::None => {}
        state @ (ChargeState::Reserved
        | ChargeState::Charged
        | ChargeState::RefundPending
        | ChargeState::Refunded
        | ChargeState::PartiallyRefunded) => signs.push(format!("charge {state}")),
    }
    list(&signs)
}
