//! The words of vocabularies that are text and not badges.

use crate::desk::view::COUNT_CAP;
use crate::domain::decision::DecisionKind;
use crate::domain::money::{Charge, ChargeState};
use crate::domain::operation::Dispatch;
use crate::domain::plan::{Action, Effect};
use crate::domain::remote::{Fetch, Reason};
use rust_decimal::Decimal;

/// The action as a verb.
pub const fn action(action: Action) -> &'static str {
    match action {
        Action::Dispatch => "Dispatch",
        Action::Observe => "Observe",
        Action::Deliver => "Deliver",
        Action::InspectAccounting => "Inspect accounting",
        Action::Reconcile => "Reconcile",
        Action::Acknowledge => "Acknowledge",
    }
}

/// The effect inside a sentence's head: `Deliver: copies existing output`.
pub const fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::SubmitsNewGeneration => "submits a new generation",
        Effect::ReadsStatus => "reads status",
        Effect::CopiesExistingOutput => "copies existing output",
        Effect::RecordsDecision => "records a decision",
        Effect::None => "no outside effect",
    }
}

pub const fn dispatch(dispatch: Dispatch) -> &'static str {
    match dispatch {
        Dispatch::ConfirmedNotSent => "confirmed not sent",
        Dispatch::NotRecorded => "not recorded",
        Dispatch::OutcomeUnknown => "outcome unknown",
        Dispatch::Sent => "sent",
    }
}

/// How a read went, before "3 min ago".
pub const fn fetch(fetch: Fetch) -> &'static str {
    match fetch {
        Fetch::Ok => "read",
        Fetch::NotFound => "not found",
        Fetch::Forbidden => "forbidden",
        Fetch::Unauthorized => "unauthorized",
        Fetch::RateLimited => "rate limited",
        Fetch::ServerError => "server error",
        Fetch::BadPayload => "bad payload",
        Fetch::Network => "network error",
        Fetch::Blocked => "blocked",
    }
}

pub const fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::None => "no reason given",
        Reason::Moderation => "moderation",
        Reason::ProviderError => "provider error",
        Reason::Timeout => "timeout",
        Reason::SubmissionFailure => "submission failure",
        Reason::OperatorMarked => "marked by the provider's operator",
        Reason::Unrecognised => "unrecognised",
    }
}

pub const fn decision(decision: DecisionKind) -> &'static str {
    match decision {
        DecisionKind::AttachJob => "Attach a job id",
        DecisionKind::ChooseJob => "Choose the job id",
        DecisionKind::AdoptAsOperation => "Adopt an extra render as an operation",
        DecisionKind::ConfirmNotSent => "Confirm that it was not sent",
        DecisionKind::OutsideSendExcluded => "Exclude a send from outside",
        DecisionKind::CloseUnresolved => "Close unresolved",
        DecisionKind::OutputsLost => "Declare outputs lost",
        DecisionKind::RefundConfirmed => "Record a confirmed refund",
        DecisionKind::ChargeAccepted => "Accept the charge",
        DecisionKind::RefundRequested => "Record a requested refund",
        DecisionKind::AcknowledgeObsolete => "Acknowledge as obsolete",
        DecisionKind::PrepareNewOperation => "Prepare a new operation",
        DecisionKind::Reopen => "Reopen",
    }
}

/// An amount without needless zeros.
pub fn amount(amount: Decimal) -> String {
    amount.normalize().to_string()
}

/// An amount of credits: `1 credit`, `12 credits`.
pub fn credits(credits: Decimal) -> String {
    let unit = if credits == Decimal::ONE {
        "credit"
    } else {
        "credits"
    };
    format!("{} {unit}", amount(credits))
}

/// What the provider did with the money, with the amounts that it named.
pub fn charge(charge: &Charge) -> String {
    let named = |value: Option<Decimal>| value.map_or_else(|| "an unstated amount".to_owned(), credits);
    match charge.state {
        ChargeState::Unknown => "unknown".to_owned(),
        ChargeState::None => "none".to_owned(),
        ChargeState::Reserved => format!("{} reserved", named(charge.reserved)),
        ChargeState::Charged => format!("{} charged", named(charge.charged)),
        ChargeState::RefundPending => format!("{} charged, refund pending", named(charge.charged)),
        ChargeState::Refunded => format!("{} charged and refunded", named(charge.charged)),
        ChargeState::PartiallyRefunded => {
            format!(
                "{} charged, {} refunded",
                named(charge.charged),
                named(charge.refunded)
            )
        }
    }
}

/// `one`, or `n many`: `1 dead letter`, `3 dead letters`.
pub fn count(number: i64, one: &str, many: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{} {many}", thousands(number))
    }
}

/// A live count; where counting stopped early it is a least one: `10,000+`, `3+`.
pub fn counted(number: i64, capped: bool) -> String {
    match (capped, number >= COUNT_CAP) {
        (false, _) => thousands(number),
        (true, true) => "10,000+".to_owned(),
        (true, false) => format!("{}+", thousands(number)),
    }
}

/// Groups of three, with thin spaces: `48 213 904`.
pub fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    if number < 0 { format!("−{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(thousands(48_213_904), "48\u{202f}213\u{202f}904");
        assert_eq!(
            [thousands(0), thousands(999), thousands(-1000)],
            ["0", "999", "−1\u{202f}000"]
        );
        assert_eq!(
            [counted(10_001, false), counted(10_000, true), counted(3, true)],
            ["10\u{202f}001", "10,000+", "3+"]
        );
        assert_eq!(credits(Decimal::new(1200, 2)), "12 credits");
        assert_eq!(credits(Decimal::ONE), "1 credit");
    }
}
