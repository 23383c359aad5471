//! Merging one more account of a job into its axes: lists never shrink, money is never forgotten.

use crate::domain::money::{Charge, ChargeState};
use crate::domain::remote::{
    CopyState, Execution, Fetch, MAX_RAW_STATUS, Output, OutputCopy, Remote, RemoteJob, Source,
};
use chrono::{DateTime, Utc};

use super::observation::Observation;

/// Unites a list with another account of it. `overrule`: a stated content type replaces the one that stands.
pub(super) fn grow(list: &mut Option<Vec<Output>>, more: Option<&[Output]>, overrule: bool) {
    let Some(more) = more else { return };
    let list = list.get_or_insert_default();
    for output in more {
        match list.iter_mut().find(|known| known.index == output.index) {
            Some(known) if output.content_type.is_some() && (overrule || known.content_type.is_none()) => {
                known.content_type.clone_from(&output.content_type);
            }
            Some(_) => {}
            None => list.push(output.clone()),
        }
    }
    list.sort_by_key(|output| output.index);
}

/// The charge says anything at all.
pub(super) fn states_charge(charge: &Charge) -> bool {
    charge.state != ChargeState::Unknown
        || charge.reserved.is_some()
        || charge.charged.is_some()
        || charge.refunded.is_some()
}

/// A newer account of the charge. What it does not state stays known: a missing field is not zero.
pub(super) fn update_charge(charge: &mut Charge, newer: &Charge) {
    if newer.state != ChargeState::Unknown {
        charge.state = newer.state;
    }
    charge.reserved = newer.reserved.or(charge.reserved);
    charge.charged = newer.charged.or(charge.charged);
    charge.refunded = newer.refunded.or(charge.refunded);
}

/// A newer answer's account of the charge. What it leaves out stays known, and the state is what all known amounts mean
/// together: an answer that does not speak of a refund does not take a proven one back.
pub(super) fn update_charge_by_read(charge: &mut Charge, newer: &Charge) {
    update_charge(charge, newer);
    let pending = newer.state == ChargeState::RefundPending;
    let meant = Charge::state_of(pending, charge.reserved, charge.charged, charge.refunded);
    if newer.state != ChargeState::Unknown && meant != ChargeState::Unknown {
        charge.state = meant;
    }
}

pub(super) fn is_delivered(copy: &OutputCopy) -> bool {
    match copy.state {
        CopyState::Delivered => true,
        CopyState::Pending | CopyState::Failed => false,
    }
}

/// At most [`MAX_RAW_STATUS`] characters.
pub(super) fn cut_raw_status(raw: &str) -> String {
    raw.chars().take(MAX_RAW_STATUS).collect()
}

/// What our own read does to the axes of the id that it asked for, whatever our phase.
///
/// `keeps_success`: our phase is `succeeded`, so that any other execution is kept aside as a contradiction.
/// An older read only adds to lists; a terminal execution of our own never goes back to a non-terminal one.
pub(super) fn update_by_read(
    job: &mut RemoteJob,
    seen: &Observation,
    at: DateTime<Utc>,
    keeps_success: bool,
) {
    let remote = &mut job.remote;
    let ours = remote.source == Some(Source::Get);
    let newest = !(ours && remote.observed_at.is_some_and(|last| at < last));
    let newest_good = remote.read_at.is_none_or(|last| at >= last);
    if newest {
        remote.fetch = Some(seen.fetch);
        remote.observed_at = Some(at);
        remote.source = Some(Source::Get);
    }
    if seen.fetch != Fetch::Ok {
        return;
    }
    grow(&mut remote.outputs, seen.outputs.as_deref(), newest_good);
    if !newest_good {
        return;
    }
    if remote.outputs.as_ref().is_none_or(Vec::is_empty) && seen.execution == Some(Execution::Succeeded) {
        remote.empty_observations = remote.empty_observations.saturating_add(1);
    }
    remote.outputs_expected = seen.outputs_expected.or(remote.outputs_expected);
    if let Some(execution) = seen.execution {
        set_execution(remote, execution, seen, keeps_success);
    }
    remote.read_at = Some(at);
    if let Some(charge) = &seen.charge {
        update_charge_by_read(&mut job.charge, charge);
    }
}

fn set_execution(remote: &mut Remote, execution: Execution, seen: &Observation, keeps_success: bool) {
    let goes_back = remote.read_at.is_some()
        && remote.execution.is_some_and(Execution::is_terminal)
        && !execution.is_terminal();
    let contradicts_success = keeps_success && execution != Execution::Succeeded;
    if goes_back || contradicts_success {
        remote.contradiction = Some(execution);
        return;
    }
    remote.contradiction = None;
    remote.execution = Some(execution);
    remote.reason = seen.reason;
    remote.raw_status = seen.raw_status.as_deref().map(cut_raw_status);
}
