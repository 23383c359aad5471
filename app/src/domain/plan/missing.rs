//! Which outputs we still wait for: the list's, and those that `outputs_expected` promises beyond it.

use crate::domain::operation::Operation;
use crate::domain::remote::CopyState;
use std::collections::BTreeSet;

/// Deliveries in a row that must fail for a permanent reason before an output counts as possibly lost (row 7).
pub const PERMANENT_FAILURES_BEFORE_RECONCILE: u32 = 3;

/// The most indexes that one delivery takes on. `outputs_expected` comes from outside and may be any number.
pub const MAX_MISSING: usize = 1000;

/// The lowest indexes that are awaited and neither delivered nor declared lost, ascending; at most [`MAX_MISSING`].
///
/// Awaited is the list, and for each output expected beyond it the lowest index that is not listed.
/// Empty means that every output is ours (or that nothing is listed: see [`Operation::has_listed_outputs`]).
pub fn missing_outputs(record: &Operation) -> Vec<u32> {
    let listed: BTreeSet<u32> = record
        .remote
        .outputs
        .iter()
        .flatten()
        .map(|output| output.index)
        .collect();
    let settled: BTreeSet<u32> = record
        .outputs
        .iter()
        .filter(|copy| copy.state == CopyState::Delivered)
        .map(|copy| copy.index)
        .chain(record.lost_outputs.iter().copied())
        .collect();
    let expected = usize::try_from(record.remote.outputs_expected.unwrap_or(0)).unwrap_or(usize::MAX);
    let unlisted = (0..=u32::MAX)
        .filter(|index| !listed.contains(index))
        .take(expected.saturating_sub(listed.len()))
        .filter(|index| !settled.contains(index))
        .take(MAX_MISSING);
    let mut missing: BTreeSet<u32> = listed.difference(&settled).copied().collect();
    missing.extend(unlisted);
    missing.into_iter().take(MAX_MISSING).collect()
}

/// Every missing output failed [`PERMANENT_FAILURES_BEFORE_RECONCILE`] deliveries in a row for a permanent reason.
pub(super) fn all_may_be_lost(record: &Operation, missing: &[u32]) -> bool {
    let given_up: BTreeSet<u32> = record
        .outputs
        .iter()
        .filter(|copy| copy.permanent_failures >= PERMANENT_FAILURES_BEFORE_RECONCILE)
        .map(|copy| copy.index)
        .collect();
    missing.iter().all(|index| given_up.contains(index))
}
