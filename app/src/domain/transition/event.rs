//! What changed, in words, for the timeline.

use crate::desk::view::{Event, EventKind, Lane};
use crate::domain::money::{Charge, ChargeState};
use crate::domain::operation::Operation;
use chrono::{DateTime, Utc};

/// The source of what our own worker read, sent or copied.
pub(super) const WE_ASKED: &str = "we asked";
pub(super) const WORKER: &str = "worker";
pub(super) const REPORTED: &str = "reported";

/// An event of `record` as it stands; its revision is given when the change is counted.
pub(super) fn event(
    kind: EventKind,
    lane: Lane,
    title: impl Into<String>,
    detail: impl Into<String>,
    source: &str,
    at: DateTime<Utc>,
    record: &Operation,
) -> Event {
    Event {
        at,
        kind,
        lane,
        title: title.into(),
        detail: detail.into(),
        source: source.to_owned(),
        money: None,
        phase: None,
        execution: None,
        revision: record.revision,
    }
}

/// The phase that resulted, where it moved.
pub(super) fn moved_phase(before: &Operation, after: &Operation) -> Option<crate::domain::operation::Phase> {
    (before.phase != after.phase).then_some(after.phase)
}

/// The charge in words, where it changed: `12 charged, 5 refunded`.
pub(super) fn moved_money(before: &Charge, after: &Charge) -> Option<String> {
    (before != after).then(|| money(after))
}

/// A charge in words.
pub(super) fn money(charge: &Charge) -> String {
    let amount = |amount: &Option<rust_decimal::Decimal>, word: &str| match amount {
        Some(amount) => format!("{amount} {word}"),
        None => word.to_owned(),
    };
    match charge.state {
        ChargeState::Unknown => "charge unknown".to_owned(),
        ChargeState::None => "nothing charged".to_owned(),
        ChargeState::Reserved => amount(&charge.reserved, "reserved"),
        ChargeState::Charged => amount(&charge.charged, "charged"),
        ChargeState::RefundPending => match charge.charged {
            Some(charged) => format!("{charged} charged, refund pending"),
            None => "refund pending".to_owned(),
        },
        ChargeState::Refunded | ChargeState::PartiallyRefunded => match charge.charged {
            Some(charged) => format!("{charged} charged, {}", amount(&charge.refunded, "refunded")),
            None => amount(&charge.refunded, "refunded"),
        },
    }
}
