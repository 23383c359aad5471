//! When credits that a confirmation held back are let go (DESIGN 3, "Confirming reserves the estimate").

use crate::domain::attempt::ReceiptKind;
use crate::domain::operation::{Dispatch, Operation};
use chrono::{DateTime, Utc};

/// Whether the reservation ends with its recovery, or with a receipt that comes later.
///
/// `receipts`: the kinds of all receipts of the recovery's attempt; `None` when none was begun. An attempt that is open
/// may still be charged, and one that was accepted is charged: both go on being held back.
pub fn ends_with_recovery(receipts: Option<&[ReceiptKind]>) -> bool {
    let Some(receipts) = receipts else { return true };
    receipts.iter().any(|kind| match kind {
        ReceiptKind::NotSent | ReceiptKind::Rejected | ReceiptKind::ConfirmedByPerson => true,
        ReceiptKind::Accepted | ReceiptKind::Unknown => false,
    })
}

/// Whether it is known by now what became of the operation's requests: a job is attached, or the evidence says so.
pub fn outcome_is_known(record: &Operation) -> bool {
    record.job_id.is_some() || record.dispatch != Dispatch::OutcomeUnknown
}

/// Whether owner facts of `as_of` have counted already what this recovery held back: its acceptance is older, or it
/// ended before and the outcome that was unknown then is known by now ([`outcome_is_known`]).
pub fn counted_by_facts(
    known: bool,
    accepted_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
    as_of: DateTime<Utc>,
) -> bool {
    accepted_at.is_some_and(|at| at < as_of) || (known && finished_at.is_some_and(|at| at < as_of))
}
