//! What a read does beside the table: failed copies, ids that are not attached, closures.

use super::observe;
use crate::domain::decision::DecisionKind;
use crate::domain::money::ChargeState;
use crate::domain::operation::{Dispatch, Operation, Phase};
use crate::domain::remote::{CopyState, Execution, Fetch};
use crate::domain::transition::sample::{
    at, charge, closed, copy, job, nobody, outputs, read, record, seen, unseen,
};
use crate::domain::transition::{Change, Observation, Reading, apply_observation};

#[test]
fn a_read_that_lists_an_output_forgives_its_failed_copies_unless_it_delivers() {
    let mut before = read(Phase::Succeeded, Execution::Succeeded);
    before.remote.outputs = Some(outputs(&[0, 1]));
    before.outputs = vec![copy(0, CopyState::Failed), copy(1, CopyState::Failed)];
    before.outputs[0].permanent_failures = 3;
    before.outputs[1].permanent_failures = 3;
    let mut again = seen(Execution::Succeeded);
    again.outputs = Some(outputs(&[1]));
    let counts = |change: &Change| [0, 1].map(|at| change.record.outputs[at].permanent_failures);
    assert_eq!(counts(&observe(&before, &again)), [3, 0]);
    let delivering = Reading {
        delivering: true,
        attach: false,
    };
    let change = apply_observation(&before, &job("gj_1"), &again, delivering, at(5), nobody);
    assert_eq!(counts(&change), [3, 3]);
    assert!(!change.changed);
}

#[test]
fn an_answer_that_leaves_a_refund_out_does_not_take_it_back() {
    let before = read(Phase::Failed, Execution::Failed);
    let answers = [
        (
            charge(ChargeState::Refunded, Some(12), Some(12)),
            ChargeState::Refunded,
        ),
        (
            charge(ChargeState::Charged, Some(12), None),
            ChargeState::Refunded,
        ),
        (
            charge(ChargeState::Charged, Some(15), None),
            ChargeState::PartiallyRefunded,
        ),
        (
            charge(ChargeState::RefundPending, None, None),
            ChargeState::RefundPending,
        ),
        (
            charge(ChargeState::Unknown, None, None),
            ChargeState::RefundPending,
        ),
        (
            charge(ChargeState::Charged, Some(15), Some(0)),
            ChargeState::Charged,
        ),
        (charge(ChargeState::None, Some(0), None), ChargeState::None),
    ];
    answers.into_iter().fold(before, |record, (charge, meant)| {
        let mut again = seen(Execution::Failed);
        again.charge = Some(charge.clone());
        let after = observe(&record, &again).record;
        assert_eq!(after.charge.state, meant, "after {charge:?}");
        after
    });
}

#[test]
fn an_id_that_is_not_attached_changes_only_its_own_axes() {
    let before = read(Phase::Accepted, Execution::Running);
    let mut other = seen(Execution::Succeeded);
    other.outputs = Some(outputs(&[0]));
    other.charge = Some(charge(ChargeState::Charged, Some(7), None));
    let attach = Reading {
        attach: true,
        delivering: false,
    };
    let change = apply_observation(&before, &job("gj_2"), &other, attach, at(5), nobody);
    assert!(change.changed);
    assert_eq!(change.events[0].money.as_deref(), Some("7 charged"));
    let mut after = change.record.clone();
    let entry = after.other_jobs.remove(0);
    assert_eq!(entry.job_id, job("gj_2"));
    assert_eq!(entry.job.remote.execution, Some(Execution::Succeeded));
    assert_eq!(entry.job.remote.outputs, Some(outputs(&[0])));
    assert_eq!(entry.job.charge.charged, Some(7.into()));
    assert_eq!(
        Operation {
            revision: 3,
            updated_at: before.updated_at,
            ..after
        },
        before
    );

    let back = apply_observation(
        &change.record,
        &job("gj_2"),
        &Observation {
            observed_at: at(1),
            ..seen(Execution::Running)
        },
        attach,
        at(5),
        nobody,
    );
    assert_eq!(
        back.record.other_jobs[0].job.remote.execution,
        Some(Execution::Succeeded)
    );
}

#[test]
fn the_single_evidence_id_is_attached_when_the_answer_bears_it() {
    let before = record(Phase::Submitting, Dispatch::OutcomeUnknown);
    let attach = Reading {
        attach: true,
        delivering: false,
    };
    let change = apply_observation(
        &before,
        &job("gj_9"),
        &seen(Execution::Running),
        attach,
        at(5),
        nobody,
    );
    assert_eq!(change.record.job_id, Some(job("gj_9")));
    assert_eq!(
        (change.record.phase, change.record.dispatch),
        (Phase::Accepted, Dispatch::Sent)
    );
    assert!(change.record.other_jobs.is_empty());

    let missing = apply_observation(
        &before,
        &job("gj_9"),
        &unseen(Fetch::NotFound),
        attach,
        at(5),
        nobody,
    );
    assert_eq!(missing.record.job_id, None);
    assert_eq!(
        missing.record.other_jobs[0].job.remote.fetch,
        Some(Fetch::NotFound)
    );
    let found = apply_observation(
        &missing.record,
        &job("gj_9"),
        &Observation {
            observed_at: at(1),
            ..seen(Execution::Failed)
        },
        attach,
        at(5),
        nobody,
    );
    assert_eq!(
        (found.record.job_id, found.record.phase),
        (Some(job("gj_9")), Phase::Failed)
    );
    assert!(found.record.other_jobs.is_empty());

    let held = apply_observation(
        &before,
        &job("gj_9"),
        &seen(Execution::Running),
        attach,
        at(5),
        |_| true,
    );
    assert_eq!((held.record.job_id, held.record.other_jobs.len()), (None, 1));
    let unasked = apply_observation(
        &before,
        &job("gj_9"),
        &seen(Execution::Running),
        Reading::default(),
        at(5),
        nobody,
    );
    assert_eq!(unasked.record.job_id, None);
}

#[test]
fn a_differing_observation_voids_a_closure_and_the_same_one_does_not() {
    let before = closed(
        read(Phase::Accepted, Execution::Running),
        DecisionKind::CloseUnresolved,
    );
    assert!(
        observe(&before, &seen(Execution::Running))
            .record
            .closure
            .is_some()
    );
    assert!(
        observe(&before, &seen(Execution::Succeeded))
            .record
            .closure
            .is_none()
    );

    let mut empty = closed(
        read(Phase::Succeeded, Execution::Succeeded),
        DecisionKind::CloseUnresolved,
    );
    empty.remote.empty_observations = 3;
    let again = observe(&empty, &seen(Execution::Succeeded));
    assert_eq!(
        (again.changed, again.record.closure.is_some()),
        (true, true),
        "one more empty read says nothing new"
    );
}

#[test]
fn a_voided_loss_is_awaited_again() {
    let mut before = closed(
        read(Phase::Succeeded, Execution::Succeeded),
        DecisionKind::OutputsLost,
    );
    before.remote.outputs = Some(outputs(&[0]));
    before.lost_outputs = vec![0];
    let mut more = seen(Execution::Succeeded);
    more.outputs = Some(outputs(&[0, 1]));
    let change = observe(&before, &more);
    assert!(change.record.closure.is_none());
    assert!(change.record.lost_outputs.is_empty());
}
