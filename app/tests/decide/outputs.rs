//! Which outputs are missing, and when they may be lost (rows 6 to 9).

use crate::sample;
use app::domain::evidence::Evidence;
use app::domain::operation::{Operation, Phase};
use app::domain::plan::{Action, Effect, MAX_MISSING, decide, missing_outputs};
use app::domain::remote::{CopyState, Execution};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn succeeded(listed: impl IntoIterator<Item = u32>) -> Operation {
    let mut record = sample::attached(Phase::Succeeded, Some(Execution::Succeeded));
    record.remote.outputs = sample::listed(listed);
    record
}

fn row_of(record: &Operation) -> (u8, Action, Vec<u32>) {
    let plan = decide(record, &Evidence::default(), sample::now());
    (plan.row, plan.action, plan.outputs)
}

#[test]
fn only_what_is_missing_is_delivered() {
    let mut record = succeeded([0, 1, 2]);
    assert_eq!(row_of(&record), (8, Action::Deliver, vec![0, 1, 2]));
    record.outputs = vec![
        sample::copy(0, CopyState::Delivered, 0),
        sample::copy(1, CopyState::Failed, 1),
    ];
    assert_eq!(row_of(&record), (8, Action::Deliver, vec![1, 2]));
    record.lost_outputs = vec![2];
    assert_eq!(row_of(&record), (8, Action::Deliver, vec![1]));
    record.outputs[1].state = CopyState::Delivered;
    assert_eq!(row_of(&record), (9, Action::Deliver, vec![]));
    assert_eq!(
        decide(&record, &Evidence::default(), sample::now()).effect,
        Effect::CopiesExistingOutput
    );
}

#[test]
fn outputs_that_are_expected_beyond_the_list_are_awaited() {
    let mut record = succeeded([1]);
    record.remote.outputs_expected = Some(3);
    assert_eq!(row_of(&record), (8, Action::Deliver, vec![0, 1, 2]));
    record.outputs = vec![
        sample::copy(1, CopyState::Delivered, 0),
        sample::copy(0, CopyState::Delivered, 0),
    ];
    assert_eq!(row_of(&record), (8, Action::Deliver, vec![2]));
    record.remote.outputs_expected = Some(1);
    assert_eq!(row_of(&record), (9, Action::Deliver, vec![]));
}

#[test]
fn a_person_decides_when_everything_missing_failed_for_good() {
    let mut record = succeeded([0, 1]);
    record.outputs = vec![
        sample::copy(0, CopyState::Failed, 3),
        sample::copy(1, CopyState::Failed, 2),
    ];
    assert_eq!(
        row_of(&record),
        (8, Action::Deliver, vec![0, 1]),
        "one may still come"
    );
    record.outputs[1].permanent_failures = 3;
    assert_eq!(row_of(&record), (7, Action::Reconcile, vec![]));
    record.remote.outputs_expected = Some(3);
    assert_eq!(
        row_of(&record),
        (8, Action::Deliver, vec![0, 1, 2]),
        "a third was never tried"
    );
}

#[test]
fn success_without_outputs_is_read_three_times_and_then_decided() {
    for (reads, action) in [
        (0, Action::Observe),
        (2, Action::Observe),
        (3, Action::Reconcile),
        (9, Action::Reconcile),
    ] {
        let mut record = succeeded([]);
        record.remote.empty_observations = reads;
        assert_eq!(row_of(&record), (6, action, vec![]), "{reads} reads");
    }
}

proptest! {
    #[test]
    fn missing_is_the_awaited_less_the_settled(
        listed in prop::collection::btree_set(0_u32..12, 0..8),
        delivered in prop::collection::btree_set(0_u32..14, 0..8),
        lost in prop::collection::btree_set(0_u32..14, 0..4),
        expected in prop::option::of(0_u32..14),
    ) {
        let mut record = succeeded(listed.clone());
        record.remote.outputs_expected = expected;
        record.outputs = delivered.iter().map(|index| sample::copy(*index, CopyState::Delivered, 0)).collect();
        record.lost_outputs = lost.iter().copied().collect();
        let mut awaited = listed;
        let mut index = 0;
        while awaited.len() < expected.unwrap_or(0) as usize {
            awaited.insert(index);
            index += 1;
        }
        let settled: BTreeSet<u32> = delivered.union(&lost).copied().collect();
        prop_assert_eq!(missing_outputs(&record), awaited.difference(&settled).copied().collect::<Vec<_>>());
    }

    #[test]
    fn any_number_may_be_expected(expected: u32, listed in prop::collection::btree_set(any::<u32>(), 1..8)) {
        let mut record = succeeded(listed);
        record.remote.outputs_expected = Some(expected);
        let (row, action, outputs) = row_of(&record);
        prop_assert_eq!((row, action), (8, Action::Deliver));
        prop_assert!(!outputs.is_empty() && outputs.len() <= MAX_MISSING);
    }
}
