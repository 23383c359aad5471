//! What follows once something was sent, or may have been: receipts, reads, copies, and ends that nobody writes.

use super::{ON_THE_WAY, SECOND_CLAIM};
use crate::action::Action::{
    Claim, Confirm, Copy, Crash, Decide, Observe, Pass, Permit, Read, Reconcile, Report, Requeue, Send, Write,
};
use crate::action::{Answer, Told, Word};
use crate::office::Bounds;
use crate::state::Copied;
use crate::state::Person::Ann;
use crate::story::{Story, bounds};
use crate::worker::receipt;
use app::domain::attempt::ReceiptKind;
use app::domain::label::{Label, label};
use app::domain::operation::Phase;
use app::domain::plan::Action as Step;
use app::domain::protocol::JobState;
use app::domain::recovery::RecoveryState;
use app::domain::remote::{CopyState, Execution};
use app::domain::transition::apply_receipt;

/// Sequence 4: A second claim after a receipt was stored and before the recovery ended: the receipt decides.
#[test]
fn a_stored_receipt_decides_a_second_claim() {
    let ends = [
        (ReceiptKind::Accepted, RecoveryState::Succeeded),
        (ReceiptKind::Rejected, RecoveryState::Failed),
        (ReceiptKind::NotSent, RecoveryState::Failed),
        (ReceiptKind::Unknown, RecoveryState::OutcomeUnknown),
    ];
    for (kind, end) in ends {
        let mut story = Story::of(bounds());
        story
            .goes(&ON_THE_WAY)
            .goes(&[Send(0, Answer::AcceptedUnheard), Crash(0)]);
        let now = story.state.clock.now();
        let case = &mut story.state.cases[0];
        let job = (kind == ReceiptKind::Accepted).then(|| case.renders[0].job_id.clone());
        let came = receipt(kind, job);
        case.attempts[0].receipts.push((came.clone(), now));
        let told = case.attempts[0].attempt.clone();
        case.record = apply_receipt(&case.record, &told, &came, true, now, |_| false).record;
        let before = case.record.clone();
        for action in SECOND_CLAIM {
            // What the receipt says is not what the provider did in every case here: only the protocol is looked at.
            story.state = story.office.happens(&story.state, &action).expect("it happens");
        }
        assert_eq!(story.recovery(0, 0), end, "{kind}");
        assert_eq!(story.state.cases[0].record.phase, before.phase, "{kind}");
        assert_eq!(story.posts(), 1, "{kind}");
    }
}

/// Sequence 5: A late receipt after a newer attempt, a report, or an attached id: the record is not moved, its id is not lost.
#[test]
fn a_late_receipt_moves_nothing_and_loses_nothing() {
    let answers = [Answer::Accepted, Answer::Rejected, Answer::Unsent];
    for answer in answers {
        let late = |story: &mut Story| {
            story
                .goes(&ON_THE_WAY)
                .goes(&[Send(0, answer)])
                .goes(&SECOND_CLAIM);
        };
        // After a report that moved the phase.
        let mut reported = Story::of(bounds());
        late(&mut reported);
        reported.goes(&[Report(0, Told::Accepted)]);
        // After an id was attached: by a report where there is a render, else by somebody else's.
        let mut attached = Story::of(bounds());
        late(&mut attached);
        if answer != Answer::Accepted {
            attached.rendered_outside(0);
        }
        attached.goes(&[Report(0, Told::Job)]);
        // After a newer attempt, which a person's true word allowed.
        let mut newer = Story::of(bounds());
        late(&mut newer);
        if answer != Answer::Accepted {
            newer.goes(&[
                Decide(0, Word::ConfirmNotSent),
                Confirm(0, Ann),
                Claim(1, 0),
                Permit(1),
            ]);
        }
        for mut story in [reported, attached, newer] {
            let before = story.state.cases[0].record.clone();
            let moves = before.phase == Phase::Submitting && story.state.cases[0].attempts.len() == 1;
            story.goes(&[Write(0)]);
            let case = &story.state.cases[0];
            if !moves {
                assert_eq!(
                    (case.record.phase, case.record.dispatch),
                    (before.phase, before.dispatch)
                );
                assert_eq!(case.record.job_id, before.job_id, "{answer:?}");
            }
            let known = case.evidence().known_jobs(&case.record);
            assert!(case.told.iter().all(|job| known.contains(job)), "{answer:?}");
        }
    }
}

/// Sequence 8: Two job ids: choose one, it fails, choose the other; both stay observable; a paid extra render can be adopted,
/// also after delivery.
#[test]
fn of_two_ids_each_can_be_chosen_and_adopted() {
    let mut story = Story::of(bounds());
    story
        .goes(&ON_THE_WAY)
        .goes(&[Send(0, Answer::Accepted), Write(0)]);
    story.rendered_outside(0);
    story.goes(&[Report(0, Told::Job)]);
    assert_eq!(story.action(0), Step::Reconcile);
    story.goes(&[
        Decide(0, Word::ChooseOther),
        Confirm(0, Ann),
        Claim(0, 0),
        Permit(0),
        Observe(0, Some(Execution::Failed)),
        Write(0),
    ]);
    assert_eq!(story.state.cases[0].record.phase, Phase::Failed);
    story.goes(&[Decide(0, Word::ChooseOther)]);
    let case = &story.state.cases[0];
    assert_eq!(case.record.job_id, Some(case.renders[0].job_id.clone()));
    let plan = story.office.plan(&story.state, 0, Ann);
    assert_eq!(plan.alternatives.len(), 2, "both stay observable");
    story.goes(&[
        Confirm(0, Ann),
        Claim(0, 0),
        Permit(0),
        Observe(0, Some(Execution::Succeeded)),
        Write(0),
        Confirm(0, Ann),
        Claim(0, 0),
        Permit(0),
        Copy(0, vec![Copied::Ours]),
        Write(0),
    ]);
    assert_eq!(story.state.cases[0].record.phase, Phase::Delivered);
    story.goes(&[Decide(0, Word::AdoptOther)]);
    let child = &story.state.cases[1].record;
    assert_eq!(child.parent, Some(story.state.cases[0].record.id.clone()));
    assert_eq!(child.phase, Phase::Failed);
    assert_eq!(story.posts(), 1);
}

/// Sequence 9: Reports that move the phase without saying what was sent never end in *Not submitted*.
#[test]
fn silence_about_sending_is_never_not_submitted() {
    for told in [Told::Failed, Told::Accepted, Told::FailedSent] {
        let mut story = Story::of(bounds());
        story.goes(&[Report(0, told)]);
        let case = &story.state.cases[0];
        let label = label(&case.record, &case.evidence());
        assert_ne!(label, Label::NotSubmitted, "{told:?}");
        assert_ne!(story.action(0), Step::Dispatch, "{told:?}");
    }
}

/// Sequence 14: One output lost and another merely unwritable: the second is still delivered.
#[test]
fn a_lost_output_does_not_keep_the_other() {
    let mut story = Story::of(Bounds {
        outputs: 2,
        ..bounds()
    });
    story.goes(&ON_THE_WAY).goes(&[
        Send(0, Answer::Accepted),
        Write(0),
        Confirm(0, Ann),
        Claim(0, 0),
        Permit(0),
        Observe(0, Some(Execution::Succeeded)),
        Write(0),
        Confirm(0, Ann),
        Claim(0, 0),
        Permit(0),
        Copy(0, vec![Copied::Lost, Copied::Unwritable]),
        Write(0),
        Claim(0, 0),
        Permit(0),
        Copy(0, vec![Copied::Lost, Copied::Ours]),
        Write(0),
    ]);
    let states: Vec<CopyState> = story.state.cases[0]
        .record
        .outputs
        .iter()
        .map(|copy| copy.state)
        .collect();
    assert_eq!(states, [CopyState::Failed, CopyState::Delivered]);
    assert_eq!(story.action(0), Step::Deliver);
    story.goes(&[
        Confirm(0, Ann),
        Claim(0, 0),
        Permit(0),
        Copy(0, vec![Copied::Lost]),
        Write(0),
    ]);
    assert_eq!(story.action(0), Step::Reconcile, "the first may be lost");
    story.goes(&[Decide(0, Word::OutputsLost)]);
    assert_eq!(story.action(0), Step::Acknowledge);
    story.goes(&[Read(0, Ann)]);
}

/// Sequence 15: A handed-back job that ends without a report; a crash between claim and permit: both recoveries end.
#[test]
fn what_nobody_ends_any_more_is_ended() {
    let mut handed = Story::of(bounds());
    handed
        .goes(&ON_THE_WAY)
        .goes(&[Send(0, Answer::Accepted), Write(0), Confirm(0, Ann)]);
    let work = &mut handed.state.cases[0].works[1];
    work.stored.handed_back = true;
    work.job = JobState::Done;
    handed.goes(&[Reconcile(0)]);
    assert_eq!(handed.recovery(0, 1), RecoveryState::Failed);

    let mut crashed = Story::of(bounds());
    crashed.goes(&[
        Confirm(0, Ann),
        Claim(0, 0),
        Crash(0),
        Pass,
        Requeue(0),
        Claim(0, 0),
        Crash(0),
    ]);
    crashed.goes(&[Pass, Requeue(0), Claim(0, 0), Reconcile(0)]);
    assert_eq!(
        crashed.recovery(0, 0),
        RecoveryState::Cancelled,
        "its job died of its crashes"
    );
    assert!(crashed.state.cases[0].attempts.is_empty());
}
