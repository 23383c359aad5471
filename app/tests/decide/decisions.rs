//! Where each decision is allowed.

use crate::sample;
use crate::world::World;
use app::domain::attempt::ReceiptKind;
use app::domain::decision::{DecisionKind, allowed, allows_child};
use app::domain::evidence::Evidence;
use app::domain::money::ChargeState;
use app::domain::operation::{Dispatch, Operation, Phase};
use app::domain::plan::decide;
use app::domain::remote::{CopyState, Execution};
use chrono::Duration;

fn may(kind: DecisionKind, record: &Operation, evidence: &Evidence) -> bool {
    let row = decide(record, evidence, sample::now()).row;
    let answer = allowed(
        kind,
        record,
        evidence,
        row,
        sample::now(),
        Duration::minutes(2),
        false,
    );
    if let Err(why) = &answer {
        assert!(why.ends_with('.'), "{kind}: {why}");
    }
    answer.is_ok()
}

fn naming(jobs: &[&str]) -> Evidence {
    let messages = jobs
        .iter()
        .zip(1..)
        .map(|(job, number)| sample::message_naming(number, job))
        .collect();
    Evidence {
        messages,
        ..Evidence::default()
    }
}

fn attempts(kinds: &[Option<ReceiptKind>]) -> Evidence {
    let attempts = kinds
        .iter()
        .zip(1..)
        .map(|(kind, number)| sample::attempt(number, *kind))
        .collect();
    Evidence {
        attempts,
        ..Evidence::default()
    }
}

#[test]
fn jobs_are_attached_chosen_and_adopted() {
    let none = Evidence::default();
    let lone = sample::record(Phase::Submitting, Dispatch::OutcomeUnknown);
    let mut held = sample::attached(Phase::Accepted, Some(Execution::Running));
    assert!(may(DecisionKind::AttachJob, &lone, &none));
    assert!(!may(DecisionKind::AttachJob, &held, &none));
    assert!(
        !may(DecisionKind::ChooseJob, &held, &none),
        "no other id is known"
    );
    assert!(may(DecisionKind::ChooseJob, &held, &naming(&["gj_2"])));
    assert!(may(DecisionKind::AdoptAsOperation, &held, &naming(&["gj_2"])));
    held.adopted_jobs = vec!["gj_2".into()];
    assert!(
        !may(DecisionKind::AdoptAsOperation, &held, &naming(&["gj_2"])),
        "adopted already"
    );
    assert!(!may(DecisionKind::ChooseJob, &held, &naming(&["gj_2"])));
    held.adopted_jobs.clear();
    let mut another_has_it = naming(&["gj_2"]);
    another_has_it.held_elsewhere = ["gj_2".into()].into();
    assert!(
        may(DecisionKind::ChooseJob, &held, &another_has_it),
        "gj_1 can be chosen"
    );
    assert!(
        may(DecisionKind::ChooseJob, &lone, &another_has_it),
        "where it is recorded the id is refused by its own code"
    );
    let offers = |record: &Operation, evidence: &Evidence| {
        let mut world = World::of(record.clone());
        world.evidence = evidence.clone();
        world.plan().decisions.contains(&DecisionKind::ChooseJob)
    };
    assert!(offers(&held, &another_has_it), "gj_1 can be chosen");
    assert!(
        !offers(&lone, &another_has_it),
        "none is free: nothing is offered"
    );
    held.closure = Some(sample::closure());
    assert!(!may(DecisionKind::ChooseJob, &held, &naming(&["gj_2"])), "closed");
    held.closure = None;
    held.phase = Phase::Delivered;
    assert!(
        !may(DecisionKind::ChooseJob, &held, &naming(&["gj_2"])),
        "delivered"
    );
}

#[test]
fn nothing_confirms_not_sent_against_a_sign_of_life() {
    let kind = DecisionKind::ConfirmNotSent;
    for &phase in Phase::ALL {
        let record = sample::record(phase, Dispatch::OutcomeUnknown);
        let open = matches!(phase, Phase::Prepared | Phase::Submitting | Phase::Failed);
        assert_eq!(may(kind, &record, &Evidence::default()), open, "{phase}");
    }
    let record = sample::record(Phase::Submitting, Dispatch::OutcomeUnknown);
    assert!(!may(kind, &record, &naming(&["gj_1"])));
    let adopted = Operation {
        adopted_jobs: vec!["gj_1".into()],
        ..record.clone()
    };
    assert!(!may(kind, &adopted, &Evidence::default()), "an id was known once");
    let mut seen = record.clone();
    seen.remote.execution = Some(Execution::Queued);
    assert!(!may(kind, &seen, &Evidence::default()));
    let closed = Operation {
        closure: Some(sample::closure()),
        ..record.clone()
    };
    assert!(!may(kind, &closed, &Evidence::default()));
    let mut young = attempts(&[None]);
    assert!(may(kind, &record, &young));
    young.attempts[0].started_at = sample::minutes_ago(1);
    assert!(!may(kind, &record, &young), "it may still be under way");
}

#[test]
fn closing_and_acknowledging_exclude_each_other() {
    for &phase in Phase::ALL {
        for &dispatch in Dispatch::ALL {
            for job in [None, Some("gj_1")] {
                for &state in ChargeState::ALL {
                    let mut record = sample::record(phase, dispatch);
                    record.job_id = job.map(Into::into);
                    record.charge.state = state;
                    let none = Evidence::default();
                    let row = decide(&record, &none, sample::now()).row;
                    let done = [1, 2, 14, 16].contains(&row);
                    assert_eq!(
                        may(DecisionKind::AcknowledgeObsolete, &record, &none),
                        done,
                        "row {row}"
                    );
                    assert_eq!(
                        may(DecisionKind::CloseUnresolved, &record, &none),
                        !done,
                        "row {row}"
                    );
                    assert_eq!(
                        may(DecisionKind::PrepareNewOperation, &record, &none),
                        done && row != 1,
                        "row {row}"
                    );
                }
            }
        }
    }
}

#[test]
fn outputs_are_lost_only_where_they_may_be() {
    let mut record = sample::attached(Phase::Succeeded, Some(Execution::Succeeded));
    record.remote.outputs = sample::listed([0]);
    assert!(!may(DecisionKind::OutputsLost, &record, &Evidence::default()));
    record.outputs = vec![sample::copy(0, CopyState::Failed, 3)];
    assert!(may(DecisionKind::OutputsLost, &record, &Evidence::default()));
}

#[test]
fn money_is_decided_while_it_is_not_settled() {
    for kind in [
        DecisionKind::RefundConfirmed,
        DecisionKind::ChargeAccepted,
        DecisionKind::RefundRequested,
    ] {
        let mut record = sample::attached(Phase::Failed, Some(Execution::Failed));
        assert!(may(kind, &record, &Evidence::default()));
        record.charge.state = ChargeState::Refunded;
        assert!(!may(kind, &record, &Evidence::default()));
    }
}

#[test]
fn a_rejected_operation_allows_a_new_one_unless_an_attempt_is_open() {
    let record = sample::record(Phase::Failed, Dispatch::Sent);
    let kind = DecisionKind::PrepareNewOperation;
    assert!(
        !may(kind, &record, &Evidence::default()),
        "reported, not our receipt"
    );
    let rejected = attempts(&[Some(ReceiptKind::Rejected)]);
    assert!(may(kind, &record, &rejected));
    assert!(allows_child(&record, &rejected, 15));
    assert!(
        !may(
            kind,
            &record,
            &attempts(&[Some(ReceiptKind::Unknown), Some(ReceiptKind::Rejected)])
        ),
        "still open"
    );
    let closed = Operation {
        closure: Some(sample::closure()),
        ..record.clone()
    };
    assert!(
        may(kind, &closed, &attempts(&[Some(ReceiptKind::Unknown)])),
        "closed in spite of it"
    );
    let lost = sample::attached(Phase::Failed, Some(Execution::Failed));
    assert!(!may(kind, &lost, &rejected), "a job became known");
}

#[test]
fn reopen_needs_a_closure() {
    let mut record = sample::unsent();
    assert!(!may(DecisionKind::Reopen, &record, &Evidence::default()));
    record.closure = Some(sample::closure());
    assert!(may(DecisionKind::Reopen, &record, &Evidence::default()));
}

#[test]
fn the_plan_offers_what_is_allowed() {
    let plan = decide(
        &sample::record(Phase::Submitting, Dispatch::OutcomeUnknown),
        &Evidence::default(),
        sample::now(),
    );
    assert_eq!(
        plan.decisions,
        [
            DecisionKind::AttachJob,
            DecisionKind::ConfirmNotSent,
            DecisionKind::CloseUnresolved,
            DecisionKind::RefundConfirmed,
            DecisionKind::ChargeAccepted,
            DecisionKind::RefundRequested,
        ]
    );
}
