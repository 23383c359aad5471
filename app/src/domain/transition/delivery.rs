//! Delivery → record: which copies are ours now (DESIGN 4.8).

use super::event::{WORKER, event, moved_phase};
use super::observation::count;
use super::{Change, axes, bump_if_different};
use crate::desk::view::{EventKind, Lane};
use crate::domain::indexes;
use crate::domain::operation::{ErrorCategory, Operation, Phase};
use crate::domain::plan::missing_outputs;
use crate::domain::remote::{CopyState, OutputCopy};
use chrono::{DateTime, Utc};

/// How the copy of one output ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputResult {
    pub index: u32,
    pub outcome: OutputOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputOutcome {
    /// Published and verified.
    Delivered {
        storage_key: String,
        bytes: u64,
        /// Lower-case hex.
        sha256: String,
        /// As its magic bytes say.
        content_type: Option<String>,
    },
    Failed {
        category: ErrorCategory,
    },
}

/// What one delivery makes of the record. With no results it only completes a record whose copies are all there (row 9).
///
/// A published copy is never replaced. When nothing awaited is missing any more, `succeeded` becomes `delivered`.
pub fn apply_delivery(record: &Operation, results: &[OutputResult], now: DateTime<Utc>) -> Change {
    let mut after = record.clone();
    for result in results {
        copy(&mut after.outputs, result);
    }
    after.outputs.sort_by_key(|copy| copy.index);
    if after.phase == Phase::Succeeded && is_complete(&after) {
        after.phase = Phase::Delivered;
    }
    let copied = after
        .outputs
        .iter()
        .filter(|copy| axes::is_delivered(copy))
        .count();
    let title = format!("{copied} of {} copied", copied + missing_outputs(&after).len());
    let mut told = event(
        EventKind::Delivery,
        Lane::OurSide,
        title,
        told(results),
        WORKER,
        now,
        &after,
    );
    told.phase = moved_phase(record, &after);
    bump_if_different(record, after, vec![told], now)
}

/// At least one copy is ours, and none is missing.
fn is_complete(record: &Operation) -> bool {
    record.has_listed_outputs()
        && missing_outputs(record).is_empty()
        && record.outputs.iter().any(axes::is_delivered)
}

/// Counts deliveries that failed in a row for a permanent reason; anything else starts the count again.
pub(super) fn failures_in_a_row(before: u32, category: Option<ErrorCategory>) -> u32 {
    if category.is_some_and(ErrorCategory::is_permanent_for_delivery) {
        before.saturating_add(1)
    } else {
        0
    }
}

fn copy(copies: &mut Vec<OutputCopy>, result: &OutputResult) {
    let at = copies.iter().position(|copy| copy.index == result.index);
    if at.is_some_and(|at| axes::is_delivered(&copies[at])) {
        return;
    }
    let failures = at.map_or(0, |at| copies[at].permanent_failures);
    let copy = match &result.outcome {
        OutputOutcome::Delivered {
            storage_key,
            bytes,
            sha256,
            content_type: _,
        } => OutputCopy {
            index: result.index,
            state: CopyState::Delivered,
            storage_key: Some(storage_key.clone()),
            bytes: Some(*bytes),
            sha256: Some(sha256.clone()),
            category: None,
            permanent_failures: 0,
        },
        OutputOutcome::Failed { category } => OutputCopy {
            index: result.index,
            state: CopyState::Failed,
            storage_key: None,
            bytes: None,
            sha256: None,
            category: Some(*category),
            permanent_failures: failures_in_a_row(failures, Some(*category)),
        },
    };
    match at {
        Some(at) => copies[at] = copy,
        None => copies.push(copy),
    }
}

fn told(results: &[OutputResult]) -> String {
    let mut copied = 0;
    let mut failed = Vec::new();
    for result in results {
        match &result.outcome {
            OutputOutcome::Delivered { .. } => copied += 1,
            OutputOutcome::Failed { category } => failed.push((result.index, *category)),
        }
    }
    match (copied, failed.is_empty()) {
        (0, true) => "every output was there already".to_owned(),
        (copied, true) => format!("{} copied and verified", count(copied)),
        (0, false) => indexes::failures(failed),
        (copied, false) => format!(
            "{} copied and verified; {}",
            count(copied),
            indexes::failures(failed)
        ),
    }
}

#[cfg(test)]
mod tests;
