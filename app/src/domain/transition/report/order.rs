//! How a report may move phase and evidence (DESIGN 4, "Reports from the application").

use super::super::Refusal;
use crate::desk::error::Code;
use crate::domain::operation::{Dispatch, Phase};

/// Where a phase stands on the way forward; `failed` stands beside it.
const fn step(phase: Phase) -> Option<u8> {
    match phase {
        Phase::Prepared => Some(0),
        Phase::Submitting => Some(1),
        Phase::Accepted => Some(2),
        Phase::Succeeded => Some(3),
        Phase::Delivered => Some(4),
        Phase::Failed => None,
    }
}

/// Forward by any number of steps, to `failed` from any but `delivered`, and from `failed` only to `accepted`,
/// `succeeded` or `delivered`.
pub(super) fn phase_may_move(from: Phase, to: Phase) -> Result<(), Refusal> {
    if from == to {
        return Ok(());
    }
    let forward = match (step(from), step(to)) {
        (Some(4), _) => {
            let why = format!("The operation is delivered, which is final; it cannot be {to}.");
            return Err(Refusal::new(Code::TerminalPhase, why));
        }
        (Some(before), Some(after)) => before < after,
        (Some(_), None) | (None, None) => true,
        (None, Some(after)) => after >= 2,
    };
    if forward {
        Ok(())
    } else {
        Err(Refusal::new(
            Code::PhaseRegression,
            format!("The phase does not move from {from} back to {to}."),
        ))
    }
}

/// `not_recorded` → any, `confirmed_not_sent` → `outcome_unknown` or `sent`, `outcome_unknown` → `sent`.
pub(super) fn evidence_may_move(from: Dispatch, to: Dispatch) -> Result<(), Refusal> {
    let allowed = from == to
        || match from {
            Dispatch::NotRecorded => true,
            Dispatch::ConfirmedNotSent => match to {
                Dispatch::OutcomeUnknown | Dispatch::Sent => true,
                Dispatch::ConfirmedNotSent | Dispatch::NotRecorded => false,
            },
            Dispatch::OutcomeUnknown => to == Dispatch::Sent,
            Dispatch::Sent => false,
        };
    if allowed {
        Ok(())
    } else {
        Err(Refusal::new(
            Code::EvidenceRegression,
            format!("The evidence does not move from {from} back to {to}."),
        ))
    }
}

/// A report that moves `prepared` onward makes the evidence at least `outcome_unknown`; so does one that lifts `failed`.
/// A report that says `failed` and `confirmed_not_sent` in one breath is believed: it failed before it was sent.
pub(super) fn evidence_after(
    from: Phase,
    to: Phase,
    dispatch: Dispatch,
    stated: Option<Dispatch>,
) -> Dispatch {
    let onward = match (from, to) {
        (Phase::Prepared, Phase::Prepared) | (Phase::Failed, Phase::Failed) => false,
        (Phase::Prepared, Phase::Failed) => stated != Some(Dispatch::ConfirmedNotSent),
        (
            Phase::Prepared | Phase::Failed,
            Phase::Submitting | Phase::Accepted | Phase::Succeeded | Phase::Delivered,
        ) => true,
        (Phase::Failed, Phase::Prepared) => false,
        (
            Phase::Submitting | Phase::Accepted | Phase::Succeeded | Phase::Delivered,
            Phase::Prepared
            | Phase::Submitting
            | Phase::Accepted
            | Phase::Succeeded
            | Phase::Delivered
            | Phase::Failed,
        ) => false,
    };
    match dispatch {
        Dispatch::ConfirmedNotSent | Dispatch::NotRecorded if onward => Dispatch::OutcomeUnknown,
        Dispatch::ConfirmedNotSent | Dispatch::NotRecorded | Dispatch::OutcomeUnknown | Dispatch::Sent => {
            dispatch
        }
    }
}
