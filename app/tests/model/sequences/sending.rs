//! What is sent, and what keeps it from being sent: from a confirmation to the permit and the request.

use super::{ON_THE_WAY, SECOND_CLAIM};
use crate::action::Action::{
    Approve, Cancel, Claim, Compete, Confirm, Connect, Decide, DeleteJob, Facts, Pass, Permit, Reconcile,
    Report, Send, Write,
};
use crate::action::{Action, Answer, Letter, Told, Word};
use crate::check;
use crate::office::Bounds;
use crate::state::Person::{Ann, Ben};
use crate::story::{Story, bounds};
use app::domain::guard::{GuardName, Verdict};
use app::domain::operation::{Dispatch, Phase};
use app::domain::plan::Action as Step;
use app::domain::recovery::RecoveryState;

/// Sequence 1: A dispatch does not refuse itself at send by its own job, activity or reservation: there is credit for one.
#[test]
fn a_dispatch_does_not_stand_in_its_own_way() {
    let mut story = Story::of(bounds());
    story
        .goes(&ON_THE_WAY)
        .goes(&[Send(0, Answer::Accepted), Write(0)]);
    assert_eq!(story.phase(0), (Phase::Accepted, Dispatch::Sent));
    assert_eq!(
        (story.posts(), story.recovery(0, 0)),
        (1, RecoveryState::Succeeded)
    );
    assert_eq!(story.action(0), Step::Observe);
}

/// Sequence 2: A job id reaches us between confirmation and permit: nothing is sent.
#[test]
fn an_id_before_the_permit_stops_it() {
    let mut letter = Story::of(bounds());
    letter.goes(&[
        Confirm(0, Ann),
        Action::Letter(0, Letter::NamesJob),
        Claim(0, 0),
        Permit(0),
    ]);
    let mut report = Story::of(bounds());
    report.goes(&[Confirm(0, Ann)]);
    report.rendered_outside(0);
    report.goes(&[Report(0, Told::Job), Claim(0, 0), Permit(0)]);
    for story in [letter, report] {
        assert_eq!((story.posts(), story.recovery(0, 0)), (0, RecoveryState::Refused));
        assert!(story.state.cases[0].attempts.is_empty());
        assert_eq!(story.action(0), Step::Observe);
        assert!(!story.state.cases[0].is_reserved());
    }
}

/// Sequence 3: A worker stalls after the permit; a person truthfully records `confirm_not_sent`; a new dispatch goes out; the
/// first worker wakes and sends nothing.
#[test]
fn a_worker_that_wakes_too_late_sends_nothing() {
    let mut story = Story::of(bounds());
    story.goes(&ON_THE_WAY).goes(&SECOND_CLAIM);
    assert_eq!(story.recovery(0, 0), RecoveryState::OutcomeUnknown);
    story.goes(&[
        Decide(0, Word::ConfirmNotSent),
        Confirm(0, Ann),
        Claim(1, 0),
        Permit(1),
        Connect(1),
        Send(1, Answer::Accepted),
        Write(1),
    ]);
    let record = story.state.cases[0].record.clone();
    story
        .cannot(Send(0, Answer::Accepted))
        .goes(&[Send(0, Answer::Unsent), Write(0)]);
    assert_eq!(
        (story.posts(), story.phase(0)),
        (1, (Phase::Accepted, Dispatch::Sent))
    );
    assert_eq!(story.state.cases[0].record.job_id, record.job_id);
}

/// Sequence 6: `confirm_not_sent` after an unknown outcome: dispatch becomes possible again, once.
#[test]
fn a_true_word_makes_one_more_dispatch_possible() {
    let mut story = Story::of(bounds());
    story
        .goes(&ON_THE_WAY)
        .goes(&[Send(0, Answer::Unheard), Write(0)]);
    assert_eq!(story.action(0), Step::Reconcile);
    story.cannot(Decide(0, Word::ConfirmNotSent)).goes(&[
        Pass,
        Pass,
        Decide(0, Word::ConfirmNotSent),
        Confirm(0, Ann),
        Claim(0, 0),
        Permit(0),
        Connect(0),
        Send(0, Answer::Unheard),
        Write(0),
    ]);
    assert_eq!((story.action(0), story.posts()), (Step::Reconcile, 2));
    story.cannot(Confirm(0, Ann));
}

/// Sequence 10: `prepare_new_operation` cannot be reached while an outcome is open, and its child does not send when the parent's
/// state no longer allows it; nor does the parent beside its child.
#[test]
fn of_parent_and_child_one_spends() {
    let mut story = Story::of(Bounds {
        credits: 5,
        ..bounds()
    });
    story
        .goes(&ON_THE_WAY)
        .goes(&[Send(0, Answer::Unheard), Write(0)]);
    story.cannot(Decide(0, Word::PrepareNew)).goes(&[
        Decide(0, Word::CloseUnresolved),
        Decide(0, Word::PrepareNew),
        Confirm(1, Ann),
        Decide(0, Word::Reopen),
        Claim(0, 1),
        Permit(0),
    ]);
    assert_eq!(story.recovery(1, 0), RecoveryState::Refused);
    assert_eq!(story.verdict(1, GuardName::ParentSettled), Some(Verdict::Block));
    story
        .cannot(Confirm(1, Ann))
        .goes(&[Pass, Pass, Decide(0, Word::ConfirmNotSent)]);
    assert_eq!(
        story.verdict(0, GuardName::NoRivalOperation),
        Some(Verdict::Block)
    );
    story
        .cannot(Confirm(0, Ann))
        .goes(&[Decide(1, Word::CloseUnresolved)]);
    assert_eq!(story.verdict(0, GuardName::NoRivalOperation), None);
    story.goes(&[
        Confirm(0, Ann),
        Claim(0, 0),
        Permit(0),
        Connect(0),
        Send(0, Answer::Accepted),
        Write(0),
        // The child comes back: its parent has spent.
        Decide(1, Word::Reopen),
    ]);
    story.cannot(Confirm(1, Ann));
    assert_eq!(story.posts(), 2, "one of them by a person's true word");
}

/// Sequence 11: A replay by Soniq's own command line, a purge after it, a hung job: creation stays blocked until a person excludes
/// it, then is possible.
#[test]
fn what_others_may_have_sent_blocks_until_it_is_excluded() {
    let mut story = Story::of(bounds());
    story.goes(&[
        Action::Letter(0, Letter::Dispatch),
        Pass,
        Action::Letter(0, Letter::ReplayedOutside),
        Compete(0),
        Action::Letter(0, Letter::Purged),
    ]);
    let blocked = |story: &Story| story.verdict(0, GuardName::NoCompetingJob);
    assert_eq!(blocked(&story), Some(Verdict::Block));
    story
        .cannot(Confirm(0, Ann))
        .goes(&[Decide(0, Word::OutsideSendExcluded)]);
    assert_eq!(
        blocked(&story),
        Some(Verdict::Block),
        "the hung job may still send"
    );
    story.goes(&[Compete(0)]);
    assert_eq!(blocked(&story), Some(Verdict::Pass));
    story.goes(&[Confirm(0, Ann)]);
}

/// Sequence 12: The second person never comes, or the record moves while waiting: the recovery ends by itself.
#[test]
fn a_wait_for_a_second_person_ends() {
    let two = || Bounds {
        approvals: 2,
        ..bounds()
    };
    let mut never = Story::of(two());
    never
        .goes(&[Confirm(0, Ann)])
        .cannot(Claim(0, 0))
        .cannot(Approve(0, Ann));
    never
        .goes(&[Pass, Pass])
        .cannot(Reconcile(0))
        .goes(&[Pass, Reconcile(0)]);
    let mut moved = Story::of(two());
    moved.goes(&[Confirm(0, Ann), Report(0, Told::Failed), Reconcile(0)]);
    let mut too_late = Story::of(two());
    too_late.goes(&[Confirm(0, Ann), Report(0, Told::Failed), Approve(0, Ben)]);
    for story in [never, moved, too_late] {
        assert_eq!(story.recovery(0, 0), RecoveryState::Refused);
        assert!(!story.state.cases[0].is_reserved());
        assert_eq!(story.posts(), 0);
    }
    let mut cancelled = Story::of(two());
    cancelled.goes(&[Confirm(0, Ann), Cancel(0), Confirm(0, Ben), Approve(0, Ann)]);
    cancelled.goes(&[
        Claim(0, 0),
        Permit(0),
        Connect(0),
        Send(0, Answer::Accepted),
        Write(0),
    ]);
    assert_eq!(cancelled.posts(), 1);
}

/// Sequence 13: A queue job deleted before the permit: `cancelled`, not `outcome_unknown`.
#[test]
fn a_job_deleted_before_the_permit_is_cancelled() {
    let mut story = Story::of(bounds());
    let before = story.state.cases[0].record.clone();
    story.goes(&[Confirm(0, Ann), DeleteJob(0), Reconcile(0)]);
    assert_eq!(story.recovery(0, 0), RecoveryState::Cancelled);
    assert_eq!(story.state.cases[0].record, before, "the record is untouched");
    assert!(!story.state.cases[0].is_reserved());
}

/// Sequence 16: Reservations are released on every path: here by facts, by a rejection and by a closure.
#[test]
fn a_reservation_ends_on_each_path() {
    let ways: [(&str, &[Action]); 5] = [
        ("rejected", &[Send(0, Answer::Rejected), Write(0)]),
        ("not sent", &[Send(0, Answer::Unsent), Write(0)]),
        (
            "accepted, then counted",
            &[Send(0, Answer::Accepted), Write(0), Facts],
        ),
        (
            "unknown, then closed",
            &[
                Send(0, Answer::Unheard),
                Write(0),
                Decide(0, Word::CloseUnresolved),
            ],
        ),
        (
            "unknown, then reported as sent and failed, then counted",
            &[
                Send(0, Answer::Unheard),
                Write(0),
                Report(0, Told::FailedSent),
                Facts,
            ],
        ),
    ];
    for (name, way) in ways {
        let mut story = Story::of(bounds());
        story.goes(&ON_THE_WAY);
        assert!(story.state.cases[0].is_reserved(), "{name}");
        story.goes(way);
        assert!(!story.state.cases[0].is_reserved(), "{name}");
        assert_eq!(check::settles(&story.office, &story.state), [], "{name}");
    }
}
