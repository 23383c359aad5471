//! Each row of DESIGN 4, "Decisions a person can record".

use super::*;
use crate::domain::attempt::ReceiptKind;
use crate::domain::ids::OperationId;
use crate::domain::money::ChargeState;
use crate::domain::remote::{CopyState, Execution, OtherJob, Remote};
use crate::domain::transition::sample::{
    at, attached, attempt, charge, closed, copy, job, outputs, read, receipt, record, seen, unseen,
};

fn context<'a>(observation: Option<&'a Observation>) -> Context<'a> {
    Context {
        by: "ada",
        reason: "looked it up",
        now: at(0),
        observation,
        candidates: &[],
    }
}

fn decide(record: &Operation, decision: Decision) -> Result<Change, Refusal> {
    apply_decision(record, &Evidence::default(), &decision, &context(None))
}

fn code(outcome: Result<Change, Refusal>) -> Option<Code> {
    outcome.err().map(|refusal| refusal.code)
}

fn names(job_id: &str) -> Evidence {
    let mut named = attempt(1);
    named.receipt = Some(receipt(ReceiptKind::Accepted, Some(job_id)));
    Evidence {
        attempts: vec![named],
        ..Evidence::default()
    }
}

fn other(job_id: &str, execution: Option<Execution>) -> OtherJob {
    let remote = Remote {
        execution,
        outputs: Some(outputs(&[0])),
        ..Remote::default()
    };
    let job = RemoteJob {
        remote,
        charge: charge(ChargeState::Charged, Some(5), None),
        outputs: vec![copy(0, CopyState::Delivered)],
        lost_outputs: Vec::new(),
    };
    OtherJob {
        job_id: JobId::from(job_id),
        job,
    }
}

#[test]
fn attach_job_needs_an_answer_that_bears_the_id() -> Result<(), Refusal> {
    let before = record(Phase::Submitting, Dispatch::OutcomeUnknown);
    let decision = Decision::AttachJob { job_id: job("gj_1") };
    let with =
        |seen: Option<&Observation>| apply_decision(&before, &Evidence::default(), &decision, &context(seen));
    assert_eq!(code(with(None)), Some(Code::JobNotConfirmed));
    assert_eq!(
        code(with(Some(&unseen(Fetch::NotFound)))),
        Some(Code::JobNotConfirmed)
    );
    let answer = seen(Execution::Succeeded);
    let change = with(Some(&answer))?;
    assert_eq!(
        (change.record.job_id.clone(), change.record.phase),
        (Some(job("gj_1")), Phase::Succeeded)
    );
    assert_eq!(change.record.revision, 4, "one decision, one revision");
    assert!(change.events.iter().all(|event| event.revision == 4));
    let unknown = seen(Execution::Unknown);
    assert_eq!(with(Some(&unknown))?.record.phase, Phase::Submitting);

    let held = Evidence {
        held_elsewhere: [job("gj_1")].into(),
        ..Evidence::default()
    };
    let refused = apply_decision(&before, &held, &decision, &context(Some(&answer)));
    assert_eq!(code(refused), Some(Code::JobHeldElsewhere));
    let taken = apply_decision(
        &attached(Phase::Accepted, None),
        &Evidence::default(),
        &decision,
        &context(Some(&answer)),
    );
    assert_eq!(code(taken), Some(Code::NotAllowedHere));
    Ok(())
}

#[test]
fn choose_job_swaps_everything_and_settles_all_ids_known_then() -> Result<(), Refusal> {
    let phases = [
        (None, Phase::Accepted),
        (Some(Execution::Queued), Phase::Accepted),
        (Some(Execution::Unknown), Phase::Accepted),
        (Some(Execution::Succeeded), Phase::Succeeded),
        (Some(Execution::Cancelled), Phase::Failed),
    ];
    for (execution, phase) in phases {
        let mut before = attached(Phase::Failed, Some(Execution::Failed));
        before.charge = charge(ChargeState::Refunded, Some(3), Some(3));
        before.lost_outputs = vec![4];
        before.other_jobs = vec![other("gj_2", execution)];
        let evidence = names("gj_3");
        let chosen = Decision::ChooseJob { job_id: job("gj_2") };
        let after = apply_decision(&before, &evidence, &chosen, &context(None))?.record;
        assert_eq!(
            (after.job_id.clone(), after.phase, after.dispatch),
            (Some(job("gj_2")), phase, Dispatch::Sent)
        );
        assert_eq!(after.charge.charged, Some(5.into()));
        assert_eq!(after.outputs, vec![copy(0, CopyState::Delivered)]);
        assert!(after.lost_outputs.is_empty());
        assert_eq!(after.other_jobs[0].job_id, job("gj_1"));
        assert_eq!(after.other_jobs[0].job.remote.execution, Some(Execution::Failed));
        assert_eq!(after.other_jobs[0].job.lost_outputs, vec![4]);
        assert_eq!(after.settled_jobs, [job("gj_1"), job("gj_2"), job("gj_3")]);
        assert!(!evidence.is_contested(&after));

        let back = Decision::ChooseJob { job_id: job("gj_1") };
        let again = apply_decision(&after, &evidence, &back, &context(None))?.record;
        assert_eq!(
            (again.lost_outputs, again.remote),
            (before.lost_outputs, before.remote)
        );
    }
    Ok(())
}

#[test]
fn choose_job_takes_an_id_that_was_never_read_or_stays_with_the_attached_one() -> Result<(), Refusal> {
    let before = attached(Phase::Failed, Some(Execution::Failed));
    let evidence = names("gj_9");
    let named = apply_decision(
        &before,
        &evidence,
        &Decision::ChooseJob { job_id: job("gj_9") },
        &context(None),
    )?
    .record;
    assert_eq!(
        (named.job_id.clone(), named.phase, named.remote.execution),
        (Some(job("gj_9")), Phase::Accepted, None)
    );
    let stays = apply_decision(
        &before,
        &evidence,
        &Decision::ChooseJob { job_id: job("gj_1") },
        &context(None),
    )?
    .record;
    assert_eq!(
        (stays.job_id.clone(), stays.phase),
        (Some(job("gj_1")), Phase::Failed)
    );
    assert!(!evidence.is_contested(&stays));
    Ok(())
}

#[test]
fn choose_job_is_refused_where_it_makes_no_sense() {
    let choose = |record: &Operation, evidence: &Evidence| {
        code(apply_decision(
            record,
            evidence,
            &Decision::ChooseJob { job_id: job("gj_9") },
            &context(None),
        ))
    };
    let before = attached(Phase::Accepted, None);
    assert_eq!(
        choose(&before, &Evidence::default()),
        Some(Code::NotAllowedHere),
        "not known"
    );
    let held = Evidence {
        held_elsewhere: [job("gj_9")].into(),
        ..names("gj_9")
    };
    assert_eq!(choose(&before, &held), Some(Code::JobHeldElsewhere));
    assert_eq!(
        choose(&attached(Phase::Delivered, None), &names("gj_9")),
        Some(Code::NotAllowedHere)
    );
    assert_eq!(
        choose(&closed(before, DecisionKind::CloseUnresolved), &names("gj_9")),
        Some(Code::NotAllowedHere)
    );
}

#[test]
fn adopting_makes_an_operation_of_its_own() -> Result<(), Refusal> {
    let mut before = attached(Phase::Accepted, Some(Execution::Running));
    before.other_jobs = vec![other("gj_2", Some(Execution::Succeeded))];
    let evidence = names("gj_3");
    let id = OperationId::from("op_extra");
    let (change, child) = adopt(&before, &evidence, &job("gj_2"), &id, &context(None))?;
    assert_eq!(change.record.adopted_jobs, [job("gj_2")]);
    assert!(change.record.other_jobs.is_empty());
    assert!(Evidence::default().own_jobs(&change.record).len() == 1);
    assert_eq!(
        (child.id, child.revision, child.phase),
        (id.clone(), 1, Phase::Succeeded)
    );
    assert_eq!(
        (child.dispatch, child.job_id),
        (Dispatch::Sent, Some(job("gj_2")))
    );
    assert_eq!((child.charge.charged, child.outputs.len()), (Some(5.into()), 1));
    assert_eq!(
        (child.parent, child.fingerprint),
        (Some(before.id.clone()), before.fingerprint.clone())
    );

    let (_, unread) = adopt(&before, &evidence, &job("gj_3"), &id, &context(None))?;
    assert_eq!(unread.phase, Phase::Accepted);
    let decision = Decision::AdoptAsOperation {
        job_id: job("gj_2"),
        id: id.clone(),
    };
    assert_eq!(decide(&before, decision)?.record, change.record);
    let refused = |job_id: &str| {
        adopt(&before, &evidence, &job(job_id), &id, &context(None))
            .err()
            .map(|why| why.code)
    };
    assert_eq!(refused("gj_1"), Some(Code::NotAllowedHere), "attached");
    assert_eq!(refused("gj_8"), Some(Code::NotAllowedHere), "not known");
    let again = adopt(&change.record, &names("gj_2"), &job("gj_2"), &id, &context(None));
    assert_eq!(again.err().map(|why| why.code), Some(Code::NotAllowedHere));
    Ok(())
}

#[test]
fn confirm_not_sent_prepares_again() -> Result<(), Refusal> {
    let confirm = || Decision::ConfirmNotSent {
        evidence: "request log".to_owned(),
    };
    for phase in [Phase::Prepared, Phase::Submitting, Phase::Failed] {
        let after = decide(&record(phase, Dispatch::OutcomeUnknown), confirm())?.record;
        assert_eq!(
            (after.phase, after.dispatch),
            (Phase::Prepared, Dispatch::ConfirmedNotSent)
        );
        assert_eq!(after.not_sent_since, Some(at(0)));
    }
    let submitting = record(Phase::Submitting, Dispatch::OutcomeUnknown);
    for phase in [Phase::Accepted, Phase::Succeeded, Phase::Delivered] {
        assert_eq!(
            code(decide(&record(phase, Dispatch::Sent), confirm())),
            Some(Code::NotAllowedHere)
        );
    }
    assert_eq!(
        code(decide(&attached(Phase::Failed, None), confirm())),
        Some(Code::NotAllowedHere)
    );
    let named = apply_decision(&submitting, &names("gj_9"), &confirm(), &context(None));
    assert_eq!(code(named), Some(Code::NotAllowedHere));
    let mut alive = submitting.clone();
    alive.charge = charge(ChargeState::Charged, Some(1), None);
    assert_eq!(code(decide(&alive, confirm())), Some(Code::NotAllowedHere));
    assert_eq!(
        code(decide(
            &closed(submitting, DecisionKind::CloseUnresolved),
            confirm()
        )),
        Some(Code::NotAllowedHere)
    );
    Ok(())
}

#[test]
fn an_outside_send_is_excluded_up_to_a_moment_that_has_come() -> Result<(), Refusal> {
    let before = record(Phase::Prepared, Dispatch::ConfirmedNotSent);
    let exclude = |minutes| Decision::OutsideSendExcluded {
        evidence: "log".to_owned(),
        through: at(minutes),
    };
    let after = decide(&before, exclude(-5))?.record;
    assert_eq!(after.outside_send_excluded_through, Some(at(-5)));
    assert_eq!(
        decide(&after, exclude(99))?.record.outside_send_excluded_through,
        Some(at(0))
    );
    assert_eq!(
        decide(&after, exclude(-9))?.record.outside_send_excluded_through,
        Some(at(-5)),
        "never less"
    );
    Ok(())
}

#[test]
fn closing_and_reopening() -> Result<(), Refusal> {
    let before = record(Phase::Submitting, Dispatch::OutcomeUnknown);
    assert_eq!(
        code(decide(&before, Decision::Reopen)),
        Some(Code::NotAllowedHere)
    );
    let after = decide(&before, Decision::CloseUnresolved)?.record;
    assert_eq!(
        after.closure.as_ref().map(|closure| closure.decision),
        Some(DecisionKind::CloseUnresolved)
    );
    assert_eq!(after.revision, 4);
    let again = decide(&after, Decision::Reopen)?.record;
    assert_eq!((again.closure, again.revision), (None, 5));
    Ok(())
}

#[test]
fn lost_outputs_are_not_awaited_and_close_when_nothing_is_missing() -> Result<(), Refusal> {
    let mut before = read(Phase::Succeeded, Execution::Succeeded);
    before.remote.outputs = Some(outputs(&[0, 1, 2]));
    before.outputs = vec![copy(0, CopyState::Delivered)];
    let lose = |indexes: &[u32]| Decision::OutputsLost {
        indexes: indexes.to_vec(),
    };
    for wrong in [&[][..], &[0], &[7], &[1, 7]] {
        assert_eq!(code(decide(&before, lose(wrong))), Some(Code::NotAllowedHere));
    }
    let one = decide(&before, lose(&[2]))?.record;
    assert_eq!((one.lost_outputs.clone(), one.closure.clone()), (vec![2], None));
    let all = decide(&one, lose(&[1, 1]))?.record;
    assert_eq!(all.lost_outputs, [1, 2]);
    assert_eq!(
        all.closure.as_ref().map(|closure| closure.decision),
        Some(DecisionKind::OutputsLost)
    );
    assert_eq!(all.phase, Phase::Succeeded);
    assert!(
        decide(&all, Decision::Reopen)?.record.lost_outputs.is_empty(),
        "that decision does not stand any more"
    );
    Ok(())
}

#[test]
fn money_decisions_are_recorded_for_the_attached_job() -> Result<(), Refusal> {
    let before = attached(Phase::Failed, Some(Execution::Failed));
    let confirmed = |amount: i64| Decision::RefundConfirmed {
        reference: "R-7".to_owned(),
        amount: amount.into(),
    };
    assert_eq!(code(decide(&before, confirmed(0))), Some(Code::InvalidRequest));
    let after = decide(&before, confirmed(12))?;
    assert_eq!(after.events[0].money.as_deref(), Some("12 refunded"));
    let after = decide(
        &decide(&after.record, Decision::ChargeAccepted)?.record,
        Decision::RefundRequested,
    )?
    .record;
    let kinds: Vec<_> = after.accounting.iter().map(|entry| entry.decision).collect();
    assert_eq!(
        kinds,
        [
            DecisionKind::RefundConfirmed,
            DecisionKind::ChargeAccepted,
            DecisionKind::RefundRequested
        ]
    );
    assert!(
        after
            .accounting
            .iter()
            .all(|entry| entry.job_id == Some(job("gj_1")))
    );
    assert_eq!(after.charge, before.charge);
    Ok(())
}

#[test]
fn the_other_decisions_count_the_revision_on_and_change_nothing_else() -> Result<(), Refusal> {
    let before = attached(Phase::Delivered, None);
    let decisions = [
        Decision::AcknowledgeObsolete { dead_letter_id: None },
        Decision::PrepareNewOperation {
            id: OperationId::from("op_2"),
        },
    ];
    for decision in decisions {
        let change = decide(&before, decision)?;
        assert_eq!(change.record.revision, 4);
        assert_eq!(
            Operation {
                revision: 3,
                updated_at: before.updated_at,
                ..change.record
            },
            before
        );
    }
    Ok(())
}

#[test]
fn a_new_operation_is_proven_not_sent_and_asks_for_the_current_specification() {
    let parent = attached(Phase::Failed, Some(Execution::Failed));
    let child = new_child(
        &parent,
        &OperationId::from("op_2"),
        Some(8),
        Some("f2".to_owned()),
        at(0),
    );
    assert_eq!(
        (child.phase, child.dispatch),
        (Phase::Prepared, Dispatch::ConfirmedNotSent)
    );
    assert_eq!((child.revision, child.specification.revision), (1, 8));
    assert_eq!(
        (child.parent.clone(), child.fingerprint.as_deref()),
        (Some(parent.id.clone()), Some("f2"))
    );
    assert!(child.job_id.is_none() && !child.has_remote_life());
}
