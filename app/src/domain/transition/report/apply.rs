//! `PATCH`: one more report about a record that stands.
//!
//! Which report may change the axes: as long as only reports spoke of a job, the last one stands. Once a good read of our
//! own spoke, it outranks every report: a report then only adds (outputs that the list lacks, a content type, an
//! expected count or a charge that was unknown), and what it says otherwise stands on the timeline alone. The next
//! read decides. Every report counts the revision on, and voids a closure that it contradicts, also one that is outranked.

use super::super::event::{REPORTED, event, moved_money, moved_phase};
use super::super::{
    Change, Refusal, axes, bump, jobs, lift_closure, set_dispatch, void_closure_if_different,
};
use super::order::{evidence_after, evidence_may_move, phase_may_move};
use super::{Patch, ReportedAxes, ReportedCharge, ReportedCopy, sorted};
use crate::desk::error::Code;
use crate::desk::view::{Event, EventKind, Lane};
use crate::domain::ids::JobId;
use crate::domain::money::ChargeState;
use crate::domain::operation::{Operation, Phase};
use crate::domain::remote::{CopyState, Remote, RemoteJob, Source};
use chrono::{DateTime, Utc};
use std::mem::take;

/// What a report makes of the record; it always counts the revision on, or is refused as a whole.
///
/// `held`: another operation of the same provider and account holds this id.
pub fn apply_patch(
    record: &Operation,
    patch: &Patch,
    now: DateTime<Utc>,
    held: impl Fn(&JobId) -> bool,
) -> Result<Change, Refusal> {
    refuse_moved(record, patch)?;
    let to = patch.phase.unwrap_or(record.phase);
    phase_may_move(record.phase, to)?;
    let stated = patch.dispatch.unwrap_or(record.dispatch);
    evidence_may_move(record.dispatch, stated)?;

    let mut after = record.clone();
    describe(&mut after, patch);
    set_dispatch(
        &mut after,
        evidence_after(record.phase, to, stated, patch.dispatch),
        now,
    );
    if patch.dispatch_proof.is_some() {
        after.dispatch_proof.clone_from(&patch.dispatch_proof);
    }
    after.phase = to;
    let outranked = report_job(&mut after, patch, now, held);
    if outranked {
        lift_closure(&mut after);
    }
    void_closure_if_different(record, &mut after);
    let told = told(record, &after, patch, outranked, now);
    Ok(bump(after, told, now))
}

/// What a record is about does not move: its ids were pinned to one provider and account.
fn refuse_moved(record: &Operation, patch: &Patch) -> Result<(), Refusal> {
    let moved = |field: &str| {
        Err(Refusal::new(
            Code::InvalidRecord,
            format!("/{field}: This field cannot be changed."),
        ))
    };
    if patch
        .provider
        .as_ref()
        .is_some_and(|provider| *provider != record.provider)
    {
        return moved("provider");
    }
    if patch
        .account
        .as_ref()
        .is_some_and(|account| *account != record.account)
    {
        return moved("account");
    }
    if record.parent.is_some() && patch.parent.is_some() && patch.parent != record.parent {
        return moved("parent");
    }
    Ok(())
}

fn describe(record: &mut Operation, patch: &Patch) {
    if let Some(owner) = &patch.owner {
        record.owner.clone_from(owner);
    }
    if let Some(specification) = &patch.specification {
        if let Some(id) = &specification.id {
            record.specification.id.clone_from(id);
        }
        record.specification.revision = specification.revision.unwrap_or(record.specification.revision);
    }
    if patch.model.is_some() {
        record.model.clone_from(&patch.model);
    }
    if patch.error.is_some() {
        record.error.clone_from(&patch.error);
    }
    if record.parent.is_none() {
        record.parent.clone_from(&patch.parent);
    }
}

/// Gives axes, charge and copies to the job that the report speaks of. Answers whether a read of ours outranked it.
fn report_job(
    record: &mut Operation,
    patch: &Patch,
    now: DateTime<Utc>,
    held: impl Fn(&JobId) -> bool,
) -> bool {
    match &patch.remote.job_id {
        Some(job_id) if record.job_id.as_ref() != Some(job_id) => {
            let free = record.job_id.is_none() && !record.adopted_jobs.contains(job_id) && !held(job_id);
            if free {
                jobs::attach(record, job_id);
                report_attached(record, patch, now)
            } else {
                merge(jobs::other(record, job_id), patch, now)
            }
        }
        Some(_) | None => report_attached(record, patch, now),
    }
}

fn report_attached(record: &mut Operation, patch: &Patch, now: DateTime<Utc>) -> bool {
    let mut job = RemoteJob {
        remote: take(&mut record.remote),
        charge: take(&mut record.charge),
        outputs: take(&mut record.outputs),
        lost_outputs: Vec::new(),
    };
    let outranked = merge(&mut job, patch, now);
    record.remote = job.remote;
    record.charge = job.charge;
    record.outputs = job.outputs;
    outranked
}

fn merge(job: &mut RemoteJob, patch: &Patch, now: DateTime<Utc>) -> bool {
    let read = job.remote.read_at.is_some();
    let by_axes = !patch.remote.is_silent() && merge_axes(&mut job.remote, &patch.remote, read, now);
    let by_charge = patch
        .charge
        .as_ref()
        .is_some_and(|charge| merge_charge(job, charge, read));
    for reported in patch.outputs.iter().flatten() {
        merge_copy(job, reported);
    }
    job.outputs = sorted(take(&mut job.outputs));
    by_axes || by_charge
}

fn merge_axes(remote: &mut Remote, reported: &ReportedAxes, read: bool, now: DateTime<Utc>) -> bool {
    axes::grow(&mut remote.outputs, reported.outputs.as_deref(), !read);
    if read {
        remote.outputs_expected = remote.outputs_expected.or(reported.outputs_expected);
        return (reported.execution.is_some() && reported.execution != remote.execution)
            || (reported.fetch.is_some() && reported.fetch != remote.fetch);
    }
    remote.outputs_expected = reported.outputs_expected.or(remote.outputs_expected);
    remote.fetch = reported.fetch.or(remote.fetch);
    if reported.execution.is_some() && reported.execution != remote.execution {
        // Another state: the reason and the word of the old one do not explain it.
        remote.execution = reported.execution;
        remote.reason = None;
        remote.raw_status = None;
    }
    remote.reason = reported.reason.or(remote.reason);
    if reported.raw_status.is_some() {
        remote.raw_status.clone_from(&reported.raw_status);
    }
    remote.empty_observations = reported.empty_observations.unwrap_or(remote.empty_observations);
    remote.observed_at = Some(reported.observed_at.map_or(now, |moment| moment.min(now)));
    remote.source = Some(Source::Reported);
    false
}

/// A charge that our read stated is not changed by a report; one that was unknown is filled.
fn merge_charge(job: &mut RemoteJob, reported: &ReportedCharge, read: bool) -> bool {
    let stated = reported.stated();
    if read && axes::states_charge(&job.charge) {
        return stated.state != ChargeState::Unknown && stated.state != job.charge.state;
    }
    let state = reported.state.unwrap_or(job.charge.state);
    axes::update_charge(&mut job.charge, &stated);
    job.charge.state = state;
    false
}

fn merge_copy(job: &mut RemoteJob, reported: &ReportedCopy) {
    let at = job.outputs.iter().position(|copy| copy.index == reported.index);
    let copy = reported.merged(at.map(|at| &job.outputs[at]));
    match at {
        Some(at) => job.outputs[at] = copy,
        None => job.outputs.push(copy),
    }
}

fn told(
    before: &Operation,
    after: &Operation,
    patch: &Patch,
    outranked: bool,
    now: DateTime<Utc>,
) -> Vec<Event> {
    let mut facts = Vec::new();
    if before.dispatch != after.dispatch {
        facts.push(format!("evidence {}", after.dispatch));
    }
    if let Some(job_id) = &patch.remote.job_id {
        let joined = after.job_id.as_ref() != Some(job_id);
        let known = jobs::is_known(before, job_id);
        match (joined, known) {
            (true, false) => facts.push(format!("{job_id} joins the other job ids")),
            (false, false) => facts.push(format!("{job_id} is attached")),
            (true | false, true) => facts.push(format!("of {job_id}")),
        }
    }
    if outranked {
        facts.push("our own read says otherwise and stands".to_owned());
    }
    if let Some(outputs) = &patch.outputs {
        let delivered = outputs
            .iter()
            .filter(|copy| copy.state == CopyState::Delivered)
            .count();
        facts.push(format!("{} copied", super::super::observation::count(delivered)));
    }
    if let Some(error) = &patch.error {
        facts.push(format!("error {}", error.category));
    }
    let mut events = Vec::new();
    let remote = report_of_remote(before, after, patch, now);
    // A report that only repeats the provider's words has nothing to say of our side.
    if before.phase != after.phase || !facts.is_empty() || remote.is_none() {
        let title = moved_phase(before, after).map_or("reported", Phase::as_str);
        let detail = if facts.is_empty() {
            "nothing new about the generation".to_owned()
        } else {
            facts.join(", ")
        };
        let mut told = event(
            EventKind::Report,
            Lane::OurSide,
            title,
            detail,
            REPORTED,
            now,
            after,
        );
        told.phase = moved_phase(before, after);
        events.push(told);
    }
    events.extend(remote);
    if let Some(last) = events.last_mut() {
        last.money = moved_money(&before.charge, &after.charge);
    }
    events
}

/// What the report says that the provider said, for the provider's lane.
fn report_of_remote(
    before: &Operation,
    after: &Operation,
    patch: &Patch,
    now: DateTime<Utc>,
) -> Option<Event> {
    let axes = &patch.remote;
    let title = match (axes.execution, axes.fetch) {
        (Some(execution), _) => execution.as_str(),
        (None, Some(fetch)) => fetch.as_str(),
        (None, None) => return None,
    };
    let mut detail = match &axes.job_id {
        Some(job_id) => format!("reported of {job_id}"),
        None => "reported".to_owned(),
    };
    if let Some(outputs) = &axes.outputs {
        detail.push_str(&format!(
            ", {} listed",
            super::super::observation::count(outputs.len())
        ));
    }
    if before.remote.execution != after.remote.execution
        && let Some(raw) = &axes.raw_status
    {
        detail.push_str(&format!(", “{raw}”"));
    }
    let mut told = event(
        EventKind::Report,
        Lane::Remote,
        title,
        detail,
        REPORTED,
        now,
        after,
    );
    told.execution = axes.execution;
    Some(told)
}
