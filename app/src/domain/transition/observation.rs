//! Observation → record: one answered (or failed) read of our own (DESIGN 4.7).

use super::event::{WE_ASKED, event, moved_money, moved_phase};
use super::{Change, axes, bump_if_different, jobs, phase_implied, set_dispatch, void_closure_if_different};
use crate::desk::view::{Event, EventKind, Lane};
use crate::domain::ids::JobId;
use crate::domain::money::Charge;
use crate::domain::operation::{Dispatch, Operation, Phase};
use crate::domain::remote::{Execution, Fetch, Output, Reason, RemoteJob};
use chrono::{DateTime, Utc};

/// What one read of a job said. With a `fetch` other than `ok` the other axes say nothing and are not looked at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Observation {
    pub fetch: Fetch,
    pub execution: Option<Execution>,
    pub reason: Option<Reason>,
    /// The provider's own word; cut to [`MAX_RAW_STATUS`](crate::domain::remote::MAX_RAW_STATUS) characters.
    pub raw_status: Option<String>,
    /// `None`: not stated. `Some([])`: none.
    pub outputs: Option<Vec<Output>>,
    pub outputs_expected: Option<u32>,
    /// `None`, or an `unknown` state: the answer says nothing about money.
    pub charge: Option<Charge>,
    /// When the answer came. Clamped to `now`.
    pub observed_at: DateTime<Utc>,
}

/// What the read was for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// Row 4, or `attach_job`: an id that is not attached is attached when the answer bears it.
    pub attach: bool,
    /// The read is a delivery's own: it does not reset the counts of failed copies (row 7).
    pub delivering: bool,
}

/// What our own read of `job_id` makes of the record.
///
/// The attached id follows the table of DESIGN 4.7. Any other id changes only its own axes in `other_jobs`, unless
/// `reading.attach` is set, no id is attached, the answer is good and no other operation holds the id.
///
/// Evidence becomes `sent` with every state that proves the id (the design's table says so of the first row).
pub fn apply_observation(
    record: &Operation,
    job_id: &JobId,
    seen: &Observation,
    reading: Reading,
    now: DateTime<Utc>,
    held: impl Fn(&JobId) -> bool,
) -> Change {
    let mut after = record.clone();
    let at = seen.observed_at.min(now);
    let free = after.job_id.is_none() && !after.adopted_jobs.contains(job_id) && !held(job_id);
    if reading.attach && free && seen.fetch == Fetch::Ok {
        jobs::attach(&mut after, job_id);
    }
    if after.job_id.as_ref() == Some(job_id) {
        observe_attached(&mut after, seen, reading, at, now);
    } else {
        let other = jobs::other(&mut after, job_id);
        axes::update_by_read(other, seen, at, false);
    }
    void_closure_if_different(record, &mut after);
    let events = vec![told(record, &after, job_id, seen, at)];
    bump_if_different(record, after, events, now)
}

fn observe_attached(
    record: &mut Operation,
    seen: &Observation,
    reading: Reading,
    at: DateTime<Utc>,
    now: DateTime<Utc>,
) {
    match record.phase {
        Phase::Delivered => observe_delivered(record, seen, at),
        Phase::Prepared | Phase::Submitting | Phase::Accepted | Phase::Failed => {
            update_attached(record, seen, at, false);
            if seen.fetch == Fetch::Ok
                && let Some(phase) = phase_implied(record.remote.execution)
            {
                record.phase = phase;
                set_dispatch(record, Dispatch::Sent, now);
            }
        }
        Phase::Succeeded => update_attached(record, seen, at, true),
    }
    if seen.fetch == Fetch::Ok && !reading.delivering && record.phase != Phase::Delivered {
        forgive_listed(record, seen);
    }
}

/// Delivered: only the charge axis is updated.
fn observe_delivered(record: &mut Operation, seen: &Observation, at: DateTime<Utc>) {
    let older = record.remote.read_at.is_some_and(|last| at < last);
    if seen.fetch == Fetch::Ok
        && !older
        && let Some(charge) = &seen.charge
    {
        axes::update_charge_by_read(&mut record.charge, charge);
    }
}

fn update_attached(record: &mut Operation, seen: &Observation, at: DateTime<Utc>, keeps_success: bool) {
    let mut job = RemoteJob {
        remote: std::mem::take(&mut record.remote),
        charge: std::mem::take(&mut record.charge),
        ..RemoteJob::default()
    };
    axes::update_by_read(&mut job, seen, at, keeps_success);
    record.remote = job.remote;
    record.charge = job.charge;
}

/// A later good read that lists an output resets its count of failed deliveries (row 7).
fn forgive_listed(record: &mut Operation, seen: &Observation) {
    for output in seen.outputs.iter().flatten() {
        let given_up = record.lost_outputs.contains(&output.index);
        for copy in record
            .outputs
            .iter_mut()
            .filter(|copy| copy.index == output.index && !given_up)
        {
            copy.permanent_failures = 0;
        }
    }
}

fn told(
    before: &Operation,
    after: &Operation,
    job_id: &JobId,
    seen: &Observation,
    at: DateTime<Utc>,
) -> Event {
    let said = if seen.fetch == Fetch::Ok {
        seen.execution
    } else {
        None
    };
    let title = said.map_or(seen.fetch.as_str(), Execution::as_str);
    let attached = after.job_id.as_ref() == Some(job_id);
    let mut detail = format!("{job_id}: {}", sentence(seen));
    if attached && before.job_id.is_none() {
        detail.push_str("; the id is attached");
    }
    if attached && after.remote.contradiction.is_some() && after.remote.contradiction == said {
        detail.push_str("; this contradicts what it said before, which stands");
    }
    let (earlier, later) = match attached {
        true => (before.charge.clone(), after.charge.clone()),
        false => (charge_of(before, job_id), charge_of(after, job_id)),
    };
    let mut event = event(
        EventKind::Observation,
        Lane::Remote,
        title,
        detail,
        WE_ASKED,
        at,
        after,
    );
    event.money = moved_money(&earlier, &later);
    event.phase = moved_phase(before, after);
    event.execution = said;
    event
}

fn charge_of(record: &Operation, job_id: &JobId) -> Charge {
    let other = record.other_jobs.iter().find(|other| other.job_id == *job_id);
    other.map(|other| other.job.charge.clone()).unwrap_or_default()
}

fn sentence(seen: &Observation) -> String {
    let state = match seen.fetch {
        Fetch::Ok => match (seen.execution, &seen.raw_status) {
            (Some(Execution::Unknown), Some(raw)) => {
                format!(
                    "the provider says “{}”, which we do not know",
                    axes::cut_raw_status(raw)
                )
            }
            (Some(execution), _) => format!("the provider says {execution}"),
            (None, _) => "the provider answered without a state".to_owned(),
        },
        Fetch::NotFound => "the provider does not know it".to_owned(),
        Fetch::Forbidden | Fetch::Unauthorized => "our credentials were refused".to_owned(),
        Fetch::RateLimited => "the provider asked us to slow down".to_owned(),
        Fetch::ServerError => "the provider failed to answer".to_owned(),
        Fetch::BadPayload => "the answer could not be read; the last good state is kept".to_owned(),
        Fetch::Network => "the provider was not reached".to_owned(),
        Fetch::Blocked => "the address is not allowed".to_owned(),
    };
    match (seen.fetch, &seen.outputs) {
        (Fetch::Ok, Some(outputs)) => format!("{state}, {} listed", count(outputs.len())),
        (Fetch::Ok, None) => state,
        (
            Fetch::NotFound
            | Fetch::Forbidden
            | Fetch::Unauthorized
            | Fetch::RateLimited
            | Fetch::ServerError
            | Fetch::BadPayload
            | Fetch::Network
            | Fetch::Blocked,
            _,
        ) => state,
    }
}

pub(super) fn count(outputs: usize) -> String {
    match outputs {
        0 => "no output".to_owned(),
        1 => "1 output".to_owned(),
        more => format!("{more} outputs"),
    }
}

#[cfg(test)]
mod tests;
