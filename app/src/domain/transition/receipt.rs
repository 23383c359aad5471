//! Receipt → record: what came back from one creation request (DESIGN 4.4 and 4.6).

use super::event::{WORKER, event, moved_money, moved_phase};
use super::{Change, bump, jobs, lift_closure, set_dispatch};
use crate::desk::view::{EventKind, Lane};
use crate::domain::attempt::{Attempt, Receipt, ReceiptKind};
use crate::domain::ids::JobId;
use crate::domain::operation::{Dispatch, Operation, OperationError, Phase};
use crate::domain::redact::redact_text;
use chrono::{DateTime, Utc};

/// The permit of a creation, committed before any byte leaves: `submitting`, `outcome_unknown`.
pub fn begin_dispatch(record: &Operation, now: DateTime<Utc>) -> Change {
    let mut after = record.clone();
    after.phase = Phase::Submitting;
    set_dispatch(&mut after, Dispatch::OutcomeUnknown, now);
    after.error = None;
    let detail = "the creation request may leave from now on";
    let mut told = event(
        EventKind::Attempt,
        Lane::OurSide,
        "submitting",
        detail,
        WORKER,
        now,
        &after,
    );
    told.phase = moved_phase(record, &after);
    bump(after, vec![told], now)
}

/// What a receipt makes of the record.
///
/// It writes exactly when its attempt is the newest, the phase is still `submitting` and no id is attached, lease or no
/// lease. Otherwise it closes only its own attempt; a job id that the record did not know is then new evidence: the
/// revision is counted on and a closure voided, so that no plan confirmed before stays good.
pub fn apply_receipt(
    record: &Operation,
    attempt: &Attempt,
    receipt: &Receipt,
    is_newest: bool,
    now: DateTime<Utc>,
    held: impl Fn(&JobId) -> bool,
) -> Change {
    let mut after = record.clone();
    let writes = is_newest && record.phase == Phase::Submitting && record.job_id.is_none();
    let changes = if writes {
        write(&mut after, receipt, now, held)
    } else {
        receipt
            .job_id
            .as_ref()
            .is_some_and(|job_id| !jobs::is_known(record, job_id))
    };
    if changes && receipt.job_id.is_some() {
        lift_closure(&mut after);
    }
    let mut detail = format!("attempt {}: {}", attempt.number, redact_text(&receipt.detail));
    if let Some(job_id) = &receipt.job_id {
        detail.push_str(&format!("; it names {job_id}"));
    }
    let mut told = event(
        EventKind::Receipt,
        Lane::OurSide,
        receipt.kind.as_str(),
        detail,
        WORKER,
        now,
        &after,
    );
    told.money = moved_money(&record.charge, &after.charge);
    told.phase = moved_phase(record, &after);
    if changes {
        bump(after, vec![told], now)
    } else {
        Change {
            record: after,
            events: vec![told],
            changed: false,
        }
    }
}

/// The table of DESIGN 4.6. Answers whether the record differs now.
fn write(
    record: &mut Operation,
    receipt: &Receipt,
    now: DateTime<Utc>,
    held: impl Fn(&JobId) -> bool,
) -> bool {
    match (receipt.kind, &receipt.job_id) {
        (ReceiptKind::NotSent, _) => {
            record.phase = Phase::Prepared;
            set_dispatch(record, Dispatch::ConfirmedNotSent, now);
        }
        (ReceiptKind::Rejected, _) => {
            record.phase = Phase::Failed;
            set_dispatch(record, Dispatch::Sent, now);
            if let Some(charge) = &receipt.charge {
                record.charge = charge.clone();
            }
        }
        (ReceiptKind::Accepted, Some(job_id)) => {
            record.phase = Phase::Accepted;
            set_dispatch(record, Dispatch::Sent, now);
            let charge = if held(job_id) {
                &mut jobs::other(record, job_id).charge
            } else {
                jobs::attach(record, job_id);
                &mut record.charge
            };
            if let Some(stated) = &receipt.charge {
                *charge = stated.clone();
            }
            record.error = None;
            return true;
        }
        // An acceptance without an id proves nothing that we could ask for: it is an unknown outcome.
        (ReceiptKind::Accepted, None) | (ReceiptKind::Unknown, _) => {
            set_dispatch(record, Dispatch::OutcomeUnknown, now);
        }
        // Not an answer: `confirm_not_sent` closes the attempts, and writes the record itself.
        (ReceiptKind::ConfirmedByPerson, _) => return false,
    }
    record.error = receipt.category.map(|category| OperationError {
        category,
        detail: Some(redact_text(&receipt.detail)),
    });
    true
}

#[cfg(test)]
mod tests;
