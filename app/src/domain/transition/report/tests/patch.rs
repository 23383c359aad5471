//! DESIGN 4, "Reports from the application", sentence by sentence.

use crate::desk::error::Code;
use crate::domain::decision::DecisionKind;
use crate::domain::ids::JobId;
use crate::domain::money::ChargeState;
use crate::domain::operation::{Dispatch, ErrorCategory, Operation, Phase};
use crate::domain::remote::{CopyState, Execution, Fetch, Reason, Source};
use crate::domain::transition::report::{Patch, apply_patch, parse_patch};
use crate::domain::transition::sample::{
    at, attached, charge, closed, copy, job, nobody, outputs, read, record,
};
use crate::domain::transition::{Change, Refusal};
use serde_json::{Value, json};

fn patch_of(body: Value) -> Patch {
    parse_patch(&body).unwrap_or_default()
}

fn patch(record: &Operation, body: Value) -> Result<Change, Refusal> {
    apply_patch(record, &patch_of(body), at(0), nobody)
}

fn code(outcome: Result<Change, Refusal>) -> Option<Code> {
    outcome.err().map(|refusal| refusal.code)
}

#[test]
fn the_phase_moves_forward_only() -> Result<(), Refusal> {
    use Phase::{Accepted, Delivered, Failed, Prepared, Submitting, Succeeded};
    let may = |from: Phase, to: Phase| match from {
        Prepared => true,
        Submitting => to != Prepared,
        Accepted => matches!(to, Accepted | Succeeded | Delivered | Failed),
        Succeeded => matches!(to, Succeeded | Delivered | Failed),
        Failed => matches!(to, Accepted | Succeeded | Delivered | Failed),
        Delivered => to == Delivered,
    };
    for from in Phase::ALL {
        for to in Phase::ALL {
            let outcome = patch(&record(*from, Dispatch::Sent), json!({"phase": to}));
            if may(*from, *to) {
                assert_eq!(outcome?.record.phase, *to);
            } else {
                let expected = if *from == Delivered {
                    Code::TerminalPhase
                } else {
                    Code::PhaseRegression
                };
                assert_eq!(code(outcome), Some(expected), "{from} to {to}");
            }
        }
    }
    Ok(())
}

#[test]
fn evidence_moves_forward_only() -> Result<(), Refusal> {
    use Dispatch::{ConfirmedNotSent, NotRecorded, OutcomeUnknown, Sent};
    let may = |from: Dispatch, to: Dispatch| match from {
        NotRecorded => true,
        ConfirmedNotSent => to != NotRecorded,
        OutcomeUnknown => matches!(to, OutcomeUnknown | Sent),
        Sent => to == Sent,
    };
    for from in Dispatch::ALL {
        for to in Dispatch::ALL {
            let outcome = patch(&record(Phase::Submitting, *from), json!({"dispatch": to}));
            if may(*from, *to) {
                assert_eq!(outcome?.record.dispatch, *to);
            } else {
                assert_eq!(code(outcome), Some(Code::EvidenceRegression), "{from} to {to}");
            }
        }
    }
    Ok(())
}

#[test]
fn leaving_prepared_makes_the_evidence_at_least_unknown() -> Result<(), Refusal> {
    let prepared = record(Phase::Prepared, Dispatch::ConfirmedNotSent);
    for to in Phase::ALL.iter().filter(|phase| **phase != Phase::Prepared) {
        let after = patch(&prepared, json!({"phase": to}))?.record;
        assert_eq!(
            (after.dispatch, after.not_sent_since),
            (Dispatch::OutcomeUnknown, None),
            "{to}"
        );
        let silent = patch(
            &record(Phase::Prepared, Dispatch::NotRecorded),
            json!({"phase": to}),
        )?
        .record;
        assert_eq!(silent.dispatch, Dispatch::OutcomeUnknown);
        let sent = patch(&prepared, json!({"phase": to, "dispatch": "sent"}))?.record;
        assert_eq!(sent.dispatch, Dispatch::Sent);
    }
    let both = patch(
        &prepared,
        json!({"phase": "failed", "dispatch": "confirmed_not_sent"}),
    )?
    .record;
    assert_eq!(both.dispatch, Dispatch::ConfirmedNotSent);
    let contradictory = patch(
        &prepared,
        json!({"phase": "accepted", "dispatch": "confirmed_not_sent"}),
    )?
    .record;
    assert_eq!(contradictory.dispatch, Dispatch::OutcomeUnknown);
    Ok(())
}

#[test]
fn the_time_and_proof_of_not_sent_are_kept() -> Result<(), Refusal> {
    let proof = json!({"message_id": "77e69897-b2f7-477e-8564-8b01789846c5", "attempts": 3});
    let before = record(Phase::Prepared, Dispatch::NotRecorded);
    let after = patch(
        &before,
        json!({"dispatch": "confirmed_not_sent", "dispatch_proof": proof}),
    )?
    .record;
    assert_eq!(after.not_sent_since, Some(at(0)));
    assert_eq!(after.dispatch_proof.as_ref().map(|proof| proof.attempts), Some(3));
    let again = apply_patch(
        &after,
        &patch_of(json!({"dispatch": "confirmed_not_sent"})),
        at(9),
        nobody,
    )?
    .record;
    assert_eq!(
        again.not_sent_since,
        Some(at(0)),
        "repeating a word does not renew it"
    );
    let sent = patch(&after, json!({"dispatch": "sent"}))?.record;
    assert_eq!((sent.not_sent_since, sent.dispatch_proof), (None, None));
    Ok(())
}

#[test]
fn every_report_counts_the_revision_on() -> Result<(), Refusal> {
    let before = attached(Phase::Accepted, Some(Execution::Running));
    let change = patch(&before, json!({}))?;
    assert_eq!(
        (change.changed, change.record.revision, change.events.len()),
        (true, 4, 1)
    );
    let same = Operation {
        revision: 3,
        updated_at: before.updated_at,
        ..change.record
    };
    assert_eq!(same, before, "absent means unchanged");
    let nulls = patch(
        &before,
        json!({"phase": null, "remote": {"execution": null}, "charge": null}),
    )?
    .record;
    assert_eq!(
        Operation {
            revision: 3,
            updated_at: before.updated_at,
            ..nulls
        },
        before,
        "null too"
    );
    Ok(())
}

#[test]
fn axes_do_not_move_the_phase() -> Result<(), Refusal> {
    let body = json!({"remote": {"execution": "succeeded", "outputs": [{"index": 0}], "raw_status": "DONE"}, "charge": {"state": "charged", "charged": "4"}});
    let after = patch(&attached(Phase::Accepted, Some(Execution::Running)), body)?.record;
    assert_eq!(
        (after.phase, after.remote.execution),
        (Phase::Accepted, Some(Execution::Succeeded))
    );
    assert_eq!(
        (after.remote.source, after.remote.observed_at),
        (Some(Source::Reported), Some(at(0)))
    );
    assert_eq!(after.charge.state, ChargeState::Charged);
    Ok(())
}

#[test]
fn a_new_state_does_not_keep_the_old_reason() -> Result<(), Refusal> {
    let mut before = attached(Phase::Accepted, Some(Execution::Failed));
    before.remote.reason = Some(Reason::Moderation);
    before.remote.raw_status = Some("flagged".to_owned());
    let after = patch(&before, json!({"remote": {"execution": "running"}}))?.record;
    assert_eq!((after.remote.reason, after.remote.raw_status), (None, None));
    let kept = patch(&before, json!({"remote": {"execution": "failed"}}))?.record;
    assert_eq!(kept.remote.reason, Some(Reason::Moderation));
    Ok(())
}

#[test]
fn lists_never_shrink_and_delivered_copies_are_never_replaced() -> Result<(), Refusal> {
    let mut before = attached(Phase::Succeeded, Some(Execution::Succeeded));
    before.remote.outputs = Some(outputs(&[0, 1]));
    before.outputs = vec![copy(0, CopyState::Delivered)];
    let body = json!({
        "remote": {"outputs": [{"index": 2}]},
        "outputs": [{"index": 0, "state": "failed", "category": "not_found"}, {"index": 2, "state": "pending"}]
    });
    let after = patch(&before, body)?.record;
    assert_eq!(after.remote.outputs, Some(outputs(&[0, 1, 2])));
    assert_eq!(
        after.outputs,
        [copy(0, CopyState::Delivered), copy(2, CopyState::Pending)]
    );
    let emptied = patch(&before, json!({"remote": {"outputs": []}, "outputs": []}))?.record;
    assert_eq!(
        (emptied.remote.outputs, emptied.outputs),
        (before.remote.outputs, before.outputs)
    );
    Ok(())
}

#[test]
fn reported_failures_are_counted_in_a_row() -> Result<(), Refusal> {
    let mut record = attached(Phase::Succeeded, Some(Execution::Succeeded));
    let fail = |record: &Operation, category: &str| {
        patch(
            record,
            json!({"outputs": [{"index": 0, "state": "failed", "category": category}]}),
        )
    };
    for expected in 1..=3 {
        record = fail(&record, "output_expired")?.record;
        assert_eq!(record.outputs[0].permanent_failures, expected);
    }
    let pending = patch(&record, json!({"outputs": [{"index": 0, "state": "pending"}]}))?.record;
    assert_eq!(pending.outputs[0].permanent_failures, 3);
    assert_eq!(fail(&record, "timeout")?.record.outputs[0].permanent_failures, 0);
    let done = patch(
        &record,
        json!({"outputs": [{"index": 0, "state": "delivered", "storage_key": "k"}]}),
    )?
    .record;
    assert_eq!(
        (done.outputs[0].permanent_failures, done.phase),
        (0, Phase::Succeeded)
    );
    Ok(())
}

#[test]
fn a_first_id_is_attached_with_what_was_reported_without_it() -> Result<(), Refusal> {
    let mut before = record(Phase::Submitting, Dispatch::OutcomeUnknown);
    before.remote.execution = Some(Execution::Running);
    before.outputs = vec![copy(0, CopyState::Delivered)];
    let after = patch(&before, json!({"remote": {"job_id": "gj_1"}}))?.record;
    assert_eq!(after.job_id, Some(job("gj_1")));
    assert_eq!(
        (after.phase, after.dispatch),
        (Phase::Submitting, Dispatch::OutcomeUnknown)
    );
    assert_eq!(
        (after.remote.execution, after.outputs.len()),
        (Some(Execution::Running), 1)
    );
    Ok(())
}

#[test]
fn another_id_joins_the_others_with_all_that_came_with_it() -> Result<(), Refusal> {
    let mut before = attached(Phase::Accepted, Some(Execution::Running));
    before.charge = charge(ChargeState::Reserved, None, None);
    let body = json!({
        "remote": {"job_id": "gj_2", "execution": "failed"}, "charge": {"state": "charged", "charged": "9"},
        "outputs": [{"index": 0, "state": "failed"}], "error": {"category": "timeout"}
    });
    let after = patch(&before, body)?.record;
    assert_eq!(
        (after.job_id.clone(), after.remote.clone(), after.charge.clone()),
        (
            before.job_id.clone(),
            before.remote.clone(),
            before.charge.clone()
        )
    );
    assert!(after.outputs.is_empty());
    let other = &after.other_jobs[0];
    assert_eq!(
        (other.job_id.clone(), other.job.remote.execution),
        (job("gj_2"), Some(Execution::Failed))
    );
    assert_eq!(
        (other.job.charge.charged, other.job.outputs.len()),
        (Some(9.into()), 1)
    );
    assert_eq!(
        after.error.as_ref().map(|error| error.category),
        Some(ErrorCategory::Timeout)
    );
    let again = patch(&after, json!({"remote": {"job_id": "gj_2", "reason": "timeout"}}))?.record;
    assert_eq!(
        (again.other_jobs.len(), again.other_jobs[0].job.remote.reason),
        (1, Some(Reason::Timeout))
    );
    Ok(())
}

#[test]
fn an_id_held_or_adopted_elsewhere_is_not_attached() -> Result<(), Refusal> {
    let mut before = record(Phase::Submitting, Dispatch::OutcomeUnknown);
    let body = patch_of(json!({"remote": {"job_id": "gj_1"}}));
    let after = apply_patch(&before, &body, at(0), |_: &JobId| true)?.record;
    assert_eq!((after.job_id, after.other_jobs.len()), (None, 1));
    before.adopted_jobs = vec![job("gj_1")];
    assert_eq!(apply_patch(&before, &body, at(0), nobody)?.record.job_id, None);
    Ok(())
}

#[test]
fn our_own_read_outranks_a_report_which_only_adds() -> Result<(), Refusal> {
    let mut before = read(Phase::Accepted, Execution::Running);
    before.remote.outputs = Some(outputs(&[0]));
    before.charge = charge(ChargeState::Charged, Some(4), None);
    let body = json!({
        "phase": "succeeded",
        "remote": {"fetch": "not_found", "execution": "failed", "reason": "moderation", "outputs": [{"index": 1}], "outputs_expected": 2},
        "charge": {"state": "refunded", "charged": "4", "refunded": "4"}
    });
    let change = patch(&before, body)?;
    let after = change.record;
    assert_eq!(
        (after.remote.fetch, after.remote.execution, after.remote.reason),
        (Some(Fetch::Ok), Some(Execution::Running), None)
    );
    assert_eq!(
        (after.remote.source, after.remote.observed_at),
        (Some(Source::Get), before.remote.observed_at)
    );
    assert_eq!(after.remote.outputs, Some(outputs(&[0, 1])));
    assert_eq!(after.remote.outputs_expected, Some(2));
    assert_eq!(after.charge, before.charge);
    assert_eq!(
        after.phase,
        Phase::Succeeded,
        "the phase is the application's own word"
    );
    assert!(change.events[0].detail.contains("our own read says otherwise"));

    before.charge = charge(ChargeState::Unknown, None, None);
    let filled = patch(&before, json!({"charge": {"state": "charged", "charged": "4"}}))?.record;
    assert_eq!(filled.charge, charge(ChargeState::Charged, Some(4), None));
    Ok(())
}

#[test]
fn a_closure_falls_with_what_contradicts_it() -> Result<(), Refusal> {
    let before = closed(
        read(Phase::Failed, Execution::Failed),
        DecisionKind::CloseUnresolved,
    );
    let void = [
        json!({"phase": "accepted"}),
        json!({"charge": {"state": "charged", "charged": "4"}}),
        json!({"remote": {"job_id": "gj_2"}}),
        json!({"remote": {"outputs": [{"index": 0}]}}),
        json!({"remote": {"execution": "running"}}),
    ];
    for body in void {
        assert!(patch(&before, body.clone())?.record.closure.is_none(), "{body}");
    }
    let stands = [
        json!({}),
        json!({"phase": "failed", "dispatch": "sent", "remote": {"job_id": "gj_1", "execution": "failed"}}),
        json!({"specification": {"revision": 4}, "error": {"category": "other"}}),
        json!({"remote": {"observed_at": "2020-01-01T00:00:00Z"}}),
    ];
    for body in stands {
        assert!(patch(&before, body.clone())?.record.closure.is_some(), "{body}");
    }
    Ok(())
}

#[test]
fn what_a_record_is_about_does_not_move() -> Result<(), Refusal> {
    let mut before = record(Phase::Prepared, Dispatch::NotRecorded);
    for body in [json!({"provider": "other"}), json!({"account": "second"})] {
        assert_eq!(code(patch(&before, body)), Some(Code::InvalidRecord));
    }
    let body = json!({"provider": "genace", "account": "main", "owner": "u", "specification": {"revision": 9}, "model": "m", "parent": "op_0"});
    before = patch(&before, body)?.record;
    assert_eq!(
        (
            before.owner.as_str(),
            before.specification.id.as_str(),
            before.specification.revision
        ),
        ("u", "spec_9", 9)
    );
    assert_eq!(
        code(patch(&before, json!({"parent": "op_9"}))),
        Some(Code::InvalidRecord)
    );
    Ok(())
}
