//! Random histories: whatever happened, nothing stays open and nothing stays reserved.

use crate::action::Action;
use crate::check;
use crate::office::{Bounds, Office};
use crate::state::{Left, Person, State};
use stateright::Model;

/// A small generator of our own: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let most = u64::try_from(most.max(1)).unwrap_or(1);
        usize::try_from(self.0 % most).unwrap_or(0)
    }
}

fn everything(approvals: u8) -> Bounds {
    Bounds {
        approvals,
        people: &Person::BOTH,
        credits: 3,
        alike: false,
        ..Bounds::new(
            "histories",
            Left {
                dispatches: 4,
                reads: 6,
                crashes: 3,
                passes: 9,
                leaps: 1,
                decisions: 6,
                reports: 3,
                letters: 2,
                cancels: 2,
                deletions: 1,
                facts: 2,
                dismissals: 1,
            },
        )
    }
}

const STEPS: usize = 60;

/// One history; answers where it ended, and the way there.
fn history(office: &Office, dice: &mut Dice) -> (State, Vec<Action>) {
    let mut state = office.begin();
    let mut way = Vec::new();
    for _ in 0..STEPS {
        let mut actions = Vec::new();
        office.actions(&state, &mut actions);
        let mut taken = None;
        while taken.is_none() && !actions.is_empty() {
            let action = actions.swap_remove(dice.below(actions.len()));
            taken = office.happens(&state, &action).map(|next| (action, next));
        }
        let Some((action, next)) = taken else { break };
        way.push(action);
        state = next;
    }
    (state, way)
}

/// A hundred thousand of them in a long run.
#[test]
fn no_history_leaves_a_recovery_or_a_reservation_behind() {
    let histories: u64 = if std::env::var_os("DLO_TEST_LONG").is_some() {
        100_000
    } else {
        1_000
    };
    let (mut sent, mut reserved) = (0, 0);
    for seed in 1..=histories {
        let office = Office::new(everything(if seed % 3 == 0 { 2 } else { 1 }));
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let (state, way) = history(&office, &mut dice);
        assert_eq!(state.broken, [], "history {seed}: {way:?}");
        assert_eq!(check::settles(&office, &state), [], "history {seed}: {way:?}");
        sent += usize::from(state.reached.contains(&check::Goal::Sent));
        reserved += usize::from(state.cases.iter().any(crate::state::Case::is_reserved));
    }
    println!("{histories} histories; {sent} sent something, {reserved} ended with something reserved");
    assert!(sent > 20 && reserved > 50, "the histories go somewhere");
}
