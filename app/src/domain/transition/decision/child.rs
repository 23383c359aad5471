//! Decisions that make an operation of their own: an adopted extra render, and a new generation.

use super::super::{Change, Refusal, bump, jobs, phase_of_named_job};
use super::{refuse_foreign, refuse_unknown, told};
use crate::desk::error::Code;
use crate::domain::decision::Decision;
use crate::domain::evidence::Evidence;
use crate::domain::ids::{JobId, OperationId};
use crate::domain::operation::{Dispatch, Operation};
use crate::domain::remote::RemoteJob;
use chrono::{DateTime, Utc};

/// A paid extra render leaves its parent: the id is not the parent's any more, and contests nothing.
pub(super) fn leave(record: &mut Operation, evidence: &Evidence, job_id: &JobId) -> Result<(), Refusal> {
    refuse_unknown(record, evidence, job_id)?;
    refuse_foreign(record, evidence, job_id)?;
    if record.job_id.as_ref() == Some(job_id) {
        return Err(Refusal::new(
            Code::NotAllowedHere,
            "The attached job id cannot become another operation.",
        ));
    }
    jobs::take_other(record, job_id);
    record.settled_jobs.retain(|settled| settled != job_id);
    record.adopted_jobs.push(job_id.clone());
    Ok(())
}

/// `adopt_as_operation`: the parent without the id, and the new operation that holds it with its own axes, charge and
/// copies. Its phase follows its execution (never read: `accepted`).
pub fn adopt(
    parent: &Operation,
    evidence: &Evidence,
    job_id: &JobId,
    id: &OperationId,
    context: &super::Context<'_>,
) -> Result<(Change, Operation), Refusal> {
    let mut after = parent.clone();
    leave(&mut after, evidence, job_id)?;
    let own = parent.other_jobs.iter().find(|other| other.job_id == *job_id);
    let job = own.map(|other| other.job.clone()).unwrap_or_default();
    let mut child = blank(parent, id, context.now);
    child.phase = phase_of_named_job(&job);
    child.dispatch = Dispatch::Sent;
    child.job_id = Some(job_id.clone());
    let RemoteJob {
        remote,
        charge,
        outputs,
        lost_outputs,
    } = job;
    child.remote = remote;
    child.charge = charge;
    child.outputs = outputs;
    child.lost_outputs = lost_outputs;
    let decision = Decision::AdoptAsOperation {
        job_id: job_id.clone(),
        id: id.clone(),
    };
    let told = told(parent, &after, &decision, context);
    Ok((bump(after, vec![told], context.now), child))
}

/// `prepare_new_operation`: nothing was sent for it yet, which is proven because we made it ourselves.
///
/// `current_revision` is the specification's, where it is known; `fingerprint` that of the provider as configured now.
pub fn new_child(
    parent: &Operation,
    id: &OperationId,
    current_revision: Option<i64>,
    fingerprint: Option<String>,
    now: DateTime<Utc>,
) -> Operation {
    let mut child = blank(parent, id, now);
    child.dispatch = Dispatch::ConfirmedNotSent;
    child.not_sent_since = Some(now);
    child.fingerprint = fingerprint;
    if let Some(revision) = current_revision {
        child.specification.revision = revision;
    }
    child
}

fn blank(parent: &Operation, id: &OperationId, now: DateTime<Utc>) -> Operation {
    Operation {
        account: parent.account.clone(),
        fingerprint: parent.fingerprint.clone(),
        model: parent.model.clone(),
        parent: Some(parent.id.clone()),
        ..Operation::new(
            id.clone(),
            parent.provider.clone(),
            parent.owner.clone(),
            parent.specification.clone(),
            now,
        )
    }
}
