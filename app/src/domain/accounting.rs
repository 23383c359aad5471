//! Is the money of an operation settled? A second axis beside the label (DESIGN 2).

use super::decision::{Accounting, DecisionKind};
use super::evidence::Evidence;
use super::label::{Label, label};
use super::money::ChargeState;
use super::operation::{Operation, Phase};
use rust_decimal::Decimal;

/// Settled: the provider says `refunded` or `none`, or a person recorded `charge_accepted`,
/// or `refund_confirmed` for at least what was charged.
///
/// A decision speaks of the job that was attached when it was recorded; it says nothing of another one.
pub fn is_settled(record: &Operation) -> bool {
    match record.charge.state {
        ChargeState::Refunded | ChargeState::None => true,
        ChargeState::Unknown
        | ChargeState::Reserved
        | ChargeState::Charged
        | ChargeState::RefundPending
        | ChargeState::PartiallyRefunded => {
            current_decisions(record).any(|entry| entry.decision == DecisionKind::ChargeAccepted)
                || confirmed_refunds_cover(record)
        }
    }
}

/// The flag *Refund unresolved*: the money is not settled, and the generation ended without what was paid for.
pub fn refund_unresolved(record: &Operation, evidence: &Evidence) -> bool {
    flag_beside(record, label(record, evidence))
}

/// [`refund_unresolved`] for a label that is already known.
pub(super) fn flag_beside(record: &Operation, label: Label) -> bool {
    let may_stand = match label {
        Label::AlreadyDelivered | Label::NotSubmitted => false,
        Label::SubmissionRejected
        | Label::SubmissionOutcomeUnknown
        | Label::RenderInProgress
        | Label::RemoteStateUnclear
        | Label::RemoteRenderFailed
        | Label::LocalDeliveryFailure
        | Label::Closed
        | Label::NoOperationRecord => true,
    };
    let ended_empty = record.phase == Phase::Failed
        || record.closure.is_some()
        || record.is_lost_remotely()
        || record.succeeded_without_outputs();
    may_stand && ended_empty && !is_settled(record)
}

/// The money decisions that speak of the job attached now (or of none, while none is).
fn current_decisions(record: &Operation) -> impl Iterator<Item = &Accounting> {
    record
        .accounting
        .iter()
        .filter(|entry| entry.job_id == record.job_id)
}

/// Confirmed refunds, with what the provider itself refunded, reach the known charge.
/// An unknown charge is never covered: `charge_accepted` is the way out then.
fn confirmed_refunds_cover(record: &Operation) -> bool {
    let mut confirmed = current_decisions(record)
        .filter(|entry| entry.decision == DecisionKind::RefundConfirmed)
        .map(|entry| entry.amount.unwrap_or(Decimal::ZERO))
        .peekable();
    if confirmed.peek().is_none() {
        return false;
    }
    let returned = confirmed.fold(
        record.charge.refunded.unwrap_or(Decimal::ZERO),
        Decimal::saturating_add,
    );
    record.charge.charged.is_some_and(|charged| returned >= charged)
}
