//! Each row of DESIGN 4.6, and when a receipt writes nothing.

use super::*;
use crate::domain::decision::DecisionKind;
use crate::domain::money::ChargeState;
use crate::domain::operation::ErrorCategory;
use crate::domain::transition::sample::{
    at, attached, attempt, charge, closed, job, nobody, receipt, record,
};

fn submitting() -> Operation {
    begin_dispatch(&record(Phase::Prepared, Dispatch::ConfirmedNotSent), at(-1)).record
}

fn received(record: &Operation, receipt: &Receipt) -> Change {
    apply_receipt(record, &attempt(1), receipt, true, at(0), nobody)
}

#[test]
fn the_permit_says_that_the_outcome_is_unknown() {
    let after = submitting();
    assert_eq!(
        (after.phase, after.dispatch, after.revision),
        (Phase::Submitting, Dispatch::OutcomeUnknown, 4)
    );
    assert_eq!(after.not_sent_since, None);
}

#[test]
fn not_sent_makes_it_prepared_again() {
    let mut refused = receipt(ReceiptKind::NotSent, None);
    refused.category = Some(ErrorCategory::Connection);
    let after = received(&submitting(), &refused).record;
    assert_eq!(
        (after.phase, after.dispatch),
        (Phase::Prepared, Dispatch::ConfirmedNotSent)
    );
    assert_eq!(after.not_sent_since, Some(at(0)));
    assert_eq!(
        after.error.map(|error| error.category),
        Some(ErrorCategory::Connection)
    );
}

#[test]
fn rejected_makes_it_failed_and_sent_with_the_charge_of_the_answer() {
    let mut answer = receipt(ReceiptKind::Rejected, None);
    let after = received(&submitting(), &answer).record;
    assert_eq!((after.phase, after.dispatch), (Phase::Failed, Dispatch::Sent));
    assert_eq!(after.charge.state, ChargeState::Unknown);
    answer.charge = Some(charge(ChargeState::None, None, None));
    assert_eq!(
        received(&submitting(), &answer).record.charge.state,
        ChargeState::None
    );
}

#[test]
fn accepted_attaches_the_id() {
    let change = received(&submitting(), &receipt(ReceiptKind::Accepted, Some("gj_1")));
    let after = change.record;
    assert_eq!(
        (after.phase, after.dispatch, after.job_id),
        (Phase::Accepted, Dispatch::Sent, Some(job("gj_1")))
    );
    assert_eq!(change.events[0].phase, Some(Phase::Accepted));
}

#[test]
fn an_accepted_id_that_another_operation_holds_is_not_attached() {
    let answer = receipt(ReceiptKind::Accepted, Some("gj_1"));
    let after = apply_receipt(&submitting(), &attempt(1), &answer, true, at(0), |_| true).record;
    assert_eq!((after.phase, after.job_id.clone()), (Phase::Accepted, None));
    assert_eq!(after.other_jobs[0].job_id, job("gj_1"));
}

#[test]
fn unknown_stays_submitting() {
    let before = submitting();
    for answer in [
        receipt(ReceiptKind::Unknown, None),
        receipt(ReceiptKind::Accepted, None),
    ] {
        let after = received(&before, &answer).record;
        assert_eq!(
            (after.phase, after.dispatch),
            (Phase::Submitting, Dispatch::OutcomeUnknown)
        );
    }
}

#[test]
fn a_late_receipt_closes_only_its_own_attempt() {
    let accepted = receipt(ReceiptKind::Accepted, Some("gj_1"));
    let other_phase = record(Phase::Prepared, Dispatch::ConfirmedNotSent);
    let other_id = attached(Phase::Submitting, None);
    for (before, is_newest) in [(submitting(), false), (other_phase, true), (other_id, true)] {
        for kind in [ReceiptKind::NotSent, ReceiptKind::Rejected, ReceiptKind::Unknown] {
            let change = apply_receipt(
                &before,
                &attempt(1),
                &receipt(kind, None),
                is_newest,
                at(0),
                nobody,
            );
            assert_eq!(
                (change.record, change.changed, change.events.len()),
                (before.clone(), false, 1)
            );
        }
        let change = apply_receipt(&before, &attempt(1), &accepted, is_newest, at(0), nobody);
        let knows = before.job_id.is_some();
        assert_eq!(
            change.changed, !knows,
            "an id that the record lacks is new evidence"
        );
        let same = Operation {
            revision: before.revision,
            updated_at: before.updated_at,
            ..change.record
        };
        assert_eq!(same, before);
    }
}

#[test]
fn an_id_that_arrives_late_voids_a_closure() {
    let before = closed(
        record(Phase::Failed, Dispatch::OutcomeUnknown),
        DecisionKind::CloseUnresolved,
    );
    let change = received(&before, &receipt(ReceiptKind::Accepted, Some("gj_1")));
    assert!(change.record.closure.is_none());
    assert!(change.changed);
    assert!(
        received(&before, &receipt(ReceiptKind::Unknown, None))
            .record
            .closure
            .is_some()
    );
}

#[test]
fn the_words_of_a_receipt_are_redacted() {
    let mut answer = receipt(ReceiptKind::Rejected, None);
    answer.category = Some(ErrorCategory::Rejected);
    answer.detail = "401 for Bearer abcdef123456".to_owned();
    let change = received(&submitting(), &answer);
    assert!(!change.events[0].detail.contains("abcdef123456"));
    assert!(!format!("{:?}", change.record.error).contains("abcdef123456"));
}
