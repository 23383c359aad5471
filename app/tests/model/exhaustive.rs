//! Every order of events within the stated bounds.

use crate::action::{Answer, Letter, Told, Word};
use crate::office::{Bounds, Office};
use crate::state::{Left, Person};
use stateright::{Checker, Model};

/// Further for a long run.
pub fn more(short: u8, long: u8) -> u8 {
    if std::env::var_os("DLO_TEST_LONG").is_some() {
        long
    } else {
        short
    }
}

const NOTHING: Left = Left {
    dispatches: 0,
    reads: 0,
    crashes: 0,
    passes: 0,
    leaps: 0,
    decisions: 0,
    reports: 0,
    letters: 0,
    cancels: 0,
    deletions: 0,
    facts: 0,
    dismissals: 0,
};

/// Dispatches, crashes, stalls, lost answers, and a person's word about them.
pub fn crashes() -> Bounds {
    Bounds {
        words: &[Word::ConfirmNotSent, Word::CloseUnresolved, Word::Reopen],
        ..Bounds::new(
            "dispatches and crashes",
            Left {
                dispatches: more(2, 3),
                crashes: 1,
                passes: more(2, 3),
                decisions: 1,
                cancels: more(0, 1),
                deletions: more(0, 1),
                ..NOTHING
            },
        )
    }
}

/// Reports and dead letters in the middle of a dispatch, and reads after it.
pub fn evidence() -> Bounds {
    Bounds {
        words: &[Word::ChooseOther, Word::AttachFound, Word::OutsideSendExcluded],
        letters: &[Letter::NamesJob, Letter::Dispatch],
        ..Bounds::new(
            "evidence",
            Left {
                dispatches: 1,
                reads: 1,
                passes: more(0, 1),
                decisions: more(0, 1),
                reports: 1,
                letters: 1,
                ..NOTHING
            },
        )
    }
}

/// A second person, who comes, does not come, or is gone.
pub fn approvals() -> Bounds {
    Bounds {
        approvals: 2,
        people: &Person::BOTH,
        told: &[Told::Failed, Told::Accepted],
        answers: &[Answer::Accepted, Answer::AcceptedUnheard],
        ..Bounds::new(
            "two people",
            Left {
                dispatches: 1,
                crashes: more(0, 1),
                passes: more(2, 3),
                reports: 1,
                cancels: 1,
                dismissals: 1,
                ..NOTHING
            },
        )
    }
}

/// The database's clock leaps either way.
pub fn clocks() -> Bounds {
    Bounds {
        words: &[Word::ConfirmNotSent],
        answers: &[
            Answer::Accepted,
            Answer::AcceptedUnheard,
            Answer::Unheard,
            Answer::Unsent,
        ],
        ..Bounds::new(
            "clock steps",
            Left {
                dispatches: 2,
                crashes: more(0, 1),
                passes: more(1, 2),
                leaps: 1,
                decisions: 1,
                ..NOTHING
            },
        )
    }
}

/// Requests take time, and people do not wait for ever.
pub fn flights() -> Bounds {
    Bounds {
        flight: true,
        words: &[Word::ConfirmNotSent],
        answers: &[Answer::AcceptedUnheard, Answer::Unheard],
        ..Bounds::new(
            "requests under way",
            Left {
                dispatches: 2,
                crashes: more(0, 1),
                passes: 4,
                decisions: 1,
                ..NOTHING
            },
        )
    }
}

/// A parent, its child, and both come back to life.
pub fn family() -> Bounds {
    Bounds {
        credits: 3,
        words: &[
            Word::CloseUnresolved,
            Word::PrepareNew,
            Word::Reopen,
            Word::ConfirmNotSent,
        ],
        answers: &[Answer::Accepted, Answer::Unheard],
        ..Bounds::new(
            "parent and child",
            Left {
                dispatches: 2,
                passes: 2,
                decisions: more(3, 5),
                ..NOTHING
            },
        )
    }
}

/// One worker stalls while a person decides and another sends.
pub fn stalls() -> Bounds {
    Bounds {
        words: &[Word::ConfirmNotSent],
        answers: &[Answer::AcceptedUnheard],
        ..Bounds::new(
            "stalls",
            Left {
                dispatches: 2,
                passes: 2,
                decisions: 1,
                ..NOTHING
            },
        )
    }
}

/// Reads, deliveries and their failures.
pub fn deliveries() -> Bounds {
    Bounds {
        answers: &[Answer::Accepted],
        words: &[Word::OutputsLost, Word::Reopen, Word::ChargeAccepted],
        ..Bounds::new(
            "deliveries",
            Left {
                dispatches: 1,
                reads: 3,
                crashes: 1,
                passes: more(0, 1),
                decisions: more(0, 1),
                ..NOTHING
            },
        )
    }
}

fn search(bounds: Bounds) {
    let name = bounds.name;
    let left = bounds.left;
    let checker = Office::new(bounds).checker().threads(2).spawn_bfs().join();
    println!(
        "{name}: {} states, {} of them distinct, {} deep ({left:?})",
        checker.state_count(),
        checker.unique_state_count(),
        checker.max_depth()
    );
    checker.assert_properties();
    assert!(checker.unique_state_count() > 500, "the search went somewhere");
}

#[test]
fn every_order_of_dispatches_and_crashes() {
    search(crashes());
}

#[test]
fn every_order_of_evidence() {
    search(evidence());
}

#[test]
fn every_order_of_two_people() {
    search(approvals());
}

#[test]
fn every_order_of_clock_steps() {
    search(clocks());
}

#[test]
fn every_order_of_requests_under_way() {
    search(flights());
}

#[test]
fn every_order_of_parent_and_child() {
    search(family());
}

#[test]
fn every_order_of_deliveries() {
    search(deliveries());
}
