//! Moving a job's axes, charge and copies between the attached place and `other_jobs`. Nothing known is dropped.

use super::axes;
use crate::domain::ids::JobId;
use crate::domain::operation::Operation;
use crate::domain::remote::{OtherJob, Remote, RemoteJob};
use std::mem::take;

/// The entry of an id that is not attached; made when it is new.
pub(super) fn other<'a>(record: &'a mut Operation, job_id: &JobId) -> &'a mut RemoteJob {
    let at = match record.other_jobs.iter().position(|entry| entry.job_id == *job_id) {
        Some(at) => at,
        None => {
            record.other_jobs.push(OtherJob {
                job_id: job_id.clone(),
                job: RemoteJob::default(),
            });
            record.other_jobs.len() - 1
        }
    };
    &mut record.other_jobs[at].job
}

/// Whether the record itself knows this id already; evidence outside it (messages, receipts) may know more.
pub(super) fn is_known(record: &Operation, job_id: &JobId) -> bool {
    record.job_id.as_ref() == Some(job_id)
        || record.other_jobs.iter().any(|other| other.job_id == *job_id)
        || record.settled_jobs.contains(job_id)
        || record.adopted_jobs.contains(job_id)
}

/// Takes an id's entry out of `other_jobs`; empty when there is none.
pub(super) fn take_other(record: &mut Operation, job_id: &JobId) -> Option<RemoteJob> {
    let at = record
        .other_jobs
        .iter()
        .position(|entry| entry.job_id == *job_id)?;
    Some(record.other_jobs.remove(at).job)
}

/// Takes what stands in the attached place, and leaves that place empty.
pub(super) fn take_attached(record: &mut Operation) -> RemoteJob {
    record.job_id = None;
    RemoteJob {
        remote: take(&mut record.remote),
        charge: take(&mut record.charge),
        outputs: take(&mut record.outputs),
        lost_outputs: take(&mut record.lost_outputs),
    }
}

fn put_attached(record: &mut Operation, job_id: &JobId, job: RemoteJob) {
    record.job_id = Some(job_id.clone());
    record.remote = job.remote;
    record.charge = job.charge;
    record.outputs = job.outputs;
    record.lost_outputs = job.lost_outputs;
}

/// Attaches an id while none is attached. Axes that were reported without an id are taken for this job's,
/// as far as nothing better is known of it.
pub(super) fn attach(record: &mut Operation, job_id: &JobId) {
    let own = take_other(record, job_id).unwrap_or_default();
    let reported = take_attached(record);
    put_attached(record, job_id, merged(own, reported));
}

/// Makes another id the attached one, each keeping its own axes and copies.
pub(super) fn swap(record: &mut Operation, job_id: &JobId) {
    match record.job_id.clone() {
        None => attach(record, job_id),
        Some(attached) if attached == *job_id => {}
        Some(attached) => {
            let own = take_other(record, job_id).unwrap_or_default();
            let former = take_attached(record);
            record.other_jobs.push(OtherJob {
                job_id: attached,
                job: former,
            });
            put_attached(record, job_id, own);
        }
    }
}

/// One job from two accounts of it: `first` outranks `second`, lists and copies are united.
fn merged(first: RemoteJob, second: RemoteJob) -> RemoteJob {
    let mut job = first;
    if job.remote == Remote::default() {
        job.remote = second.remote;
    } else {
        if job.remote.execution.is_none() {
            job.remote.execution = second.remote.execution;
            job.remote.reason = second.remote.reason;
            job.remote.raw_status = second.remote.raw_status;
        }
        axes::grow(&mut job.remote.outputs, second.remote.outputs.as_deref(), false);
        job.remote.outputs_expected = job.remote.outputs_expected.or(second.remote.outputs_expected);
    }
    if !axes::states_charge(&job.charge) {
        job.charge = second.charge;
    }
    for copy in second.outputs {
        if !job
            .outputs
            .iter()
            .any(|own| own.index == copy.index && axes::is_delivered(own))
        {
            job.outputs.retain(|own| own.index != copy.index);
            job.outputs.push(copy);
        }
    }
    job.outputs.sort_by_key(|copy| copy.index);
    job.lost_outputs.extend(second.lost_outputs);
    job.lost_outputs.sort_unstable();
    job.lost_outputs.dedup();
    job
}
