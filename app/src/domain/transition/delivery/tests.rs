use super::*;
use crate::domain::remote::Execution;
use crate::domain::transition::sample::{at, copy as a_copy, outputs, read};

fn succeeded(listed: &[u32]) -> Operation {
    let mut record = read(Phase::Succeeded, Execution::Succeeded);
    record.remote.outputs = Some(outputs(listed));
    record
}

fn delivered(index: u32, key: &str) -> OutputResult {
    let outcome = OutputOutcome::Delivered {
        storage_key: key.to_owned(),
        bytes: 5,
        sha256: "00".repeat(32),
        content_type: Some("video/mp4".to_owned()),
    };
    OutputResult { index, outcome }
}

fn failed(index: u32, category: ErrorCategory) -> OutputResult {
    OutputResult {
        index,
        outcome: OutputOutcome::Failed { category },
    }
}

#[test]
fn one_bad_output_does_not_undo_the_good_ones() {
    let change = apply_delivery(
        &succeeded(&[0, 1]),
        &[delivered(0, "a"), failed(1, ErrorCategory::Timeout)],
        at(0),
    );
    let after = change.record;
    assert_eq!(after.phase, Phase::Succeeded);
    assert_eq!(
        after.outputs.iter().map(|copy| copy.state).collect::<Vec<_>>(),
        [CopyState::Delivered, CopyState::Failed]
    );
    assert_eq!(change.events[0].title, "1 of 2 copied");
}

#[test]
fn a_published_copy_is_never_replaced() {
    let once = apply_delivery(&succeeded(&[0, 1]), &[delivered(0, "a")], at(0)).record;
    let twice = apply_delivery(
        &once,
        &[delivered(0, "b"), failed(0, ErrorCategory::NotFound)],
        at(1),
    );
    assert_eq!(twice.record.outputs[0].storage_key.as_deref(), Some("a"));
    assert!(!twice.changed);
}

#[test]
fn all_copied_is_delivered() {
    let change = apply_delivery(
        &succeeded(&[0, 1]),
        &[delivered(0, "a"), delivered(1, "b")],
        at(0),
    );
    assert_eq!(change.record.phase, Phase::Delivered);
    assert_eq!(change.events[0].phase, Some(Phase::Delivered));
    assert_eq!(change.record.revision, 4);
}

#[test]
fn row_9_completes_the_record_without_copying() {
    let mut before = succeeded(&[0]);
    before.outputs = vec![a_copy(0, CopyState::Delivered)];
    assert_eq!(apply_delivery(&before, &[], at(0)).record.phase, Phase::Delivered);
    before.remote.outputs_expected = Some(2);
    assert_eq!(
        apply_delivery(&before, &[], at(0)).record.phase,
        Phase::Succeeded,
        "one more is expected"
    );
}

#[test]
fn nothing_listed_or_nothing_copied_is_not_delivered() {
    assert!(!apply_delivery(&succeeded(&[]), &[], at(0)).changed);
    let mut all_lost = succeeded(&[0]);
    all_lost.lost_outputs = vec![0];
    assert_eq!(
        apply_delivery(&all_lost, &[], at(0)).record.phase,
        Phase::Succeeded
    );
}

#[test]
fn a_lost_output_is_not_awaited() {
    let mut before = succeeded(&[0, 1]);
    before.lost_outputs = vec![1];
    assert_eq!(
        apply_delivery(&before, &[delivered(0, "a")], at(0)).record.phase,
        Phase::Delivered
    );
}

#[test]
fn only_success_becomes_delivered() {
    let mut before = succeeded(&[0]);
    before.phase = Phase::Failed;
    let after = apply_delivery(&before, &[delivered(0, "a")], at(0)).record;
    assert_eq!((after.phase, after.outputs.len()), (Phase::Failed, 1));
}

#[test]
fn permanent_failures_are_counted_in_a_row() {
    let mut record = succeeded(&[0]);
    let count = |record: &Operation| record.outputs[0].permanent_failures;
    for expected in 1..=3 {
        record = apply_delivery(&record, &[failed(0, ErrorCategory::OutputExpired)], at(0)).record;
        assert_eq!(count(&record), expected);
    }
    record = apply_delivery(&record, &[failed(0, ErrorCategory::Http5xx)], at(0)).record;
    assert_eq!(count(&record), 0);
    record = apply_delivery(&record, &[failed(0, ErrorCategory::NotFound)], at(0)).record;
    record = apply_delivery(&record, &[delivered(0, "a")], at(0)).record;
    assert_eq!(count(&record), 0);
}
