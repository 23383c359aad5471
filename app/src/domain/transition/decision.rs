//! Decision → record: what a person's word makes of it (DESIGN 4, "the record becomes"). Whether a decision is allowed
//! at this place of the table is asked before (`domain::decision`); here stands only what would make the record wrong.

use super::event::event;
use super::{
    Change, Observation, Reading, Refusal, apply_observation, bump, jobs, lift_closure, phase_of_named_job,
    set_dispatch,
};
use crate::desk::error::Code;
use crate::desk::view::{Event, EventKind, Lane};
use crate::domain::decision::{Accounting, Closure, Decision, DecisionKind};
use crate::domain::evidence::Evidence;
use crate::domain::ids::JobId;
use crate::domain::indexes::outputs;
use crate::domain::operation::{Dispatch, Operation, Phase};
use crate::domain::plan::missing_outputs;
use crate::domain::redact::redact_text;
use crate::domain::remote::{Fetch, RemoteJob};
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

mod child;
pub use child::{adopt, new_child};

/// Who decides, why and when, and what was asked for it.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub by: &'a str,
    pub reason: &'a str,
    pub now: DateTime<Utc>,
    /// `attach_job`: the answer of the GET that must bear the id.
    pub observation: Option<&'a Observation>,
    /// `confirm_not_sent`: what the provider's search found; shown on the timeline.
    pub candidates: &'a [JobId],
}

/// What a decision makes of the record. Each counts the revision on.
///
/// `adopt_as_operation` and `prepare_new_operation` also make a record: [`adopt`], [`new_child`]. `confirm_not_sent`
/// also closes every earlier attempt as `confirmed_by_person`, and `acknowledge_obsolete` changes the messages'
/// disposition: both are rows of their own.
pub fn apply_decision(
    record: &Operation,
    evidence: &Evidence,
    decision: &Decision,
    context: &Context<'_>,
) -> Result<Change, Refusal> {
    let now = context.now;
    let mut after = record.clone();
    match decision {
        Decision::AttachJob { job_id } => return attach(record, evidence, job_id, context),
        Decision::ChooseJob { job_id } => choose(&mut after, evidence, job_id, now)?,
        Decision::AdoptAsOperation { job_id, id: _ } => child::leave(&mut after, evidence, job_id)?,
        Decision::ConfirmNotSent { evidence: _ } => confirm_not_sent(&mut after, evidence, now)?,
        Decision::OutsideSendExcluded { evidence: _, through } => {
            let through = (*through).min(now);
            after.outside_send_excluded_through = after.outside_send_excluded_through.max(Some(through));
        }
        Decision::CloseUnresolved => close(&mut after, DecisionKind::CloseUnresolved, context),
        Decision::OutputsLost { indexes } => lose(&mut after, indexes, context)?,
        Decision::RefundConfirmed { reference, amount } => {
            if *amount <= Decimal::ZERO {
                return Err(Refusal::new(
                    Code::InvalidRequest,
                    "A confirmed refund needs an amount above zero.",
                ));
            }
            account(
                &mut after,
                DecisionKind::RefundConfirmed,
                Some(reference),
                Some(*amount),
                context,
            );
        }
        Decision::ChargeAccepted => account(&mut after, DecisionKind::ChargeAccepted, None, None, context),
        Decision::RefundRequested => account(&mut after, DecisionKind::RefundRequested, None, None, context),
        Decision::AcknowledgeObsolete { dead_letter_id: _ } | Decision::PrepareNewOperation { id: _ } => {}
        Decision::Reopen => {
            if after.closure.is_none() {
                return Err(Refusal::new(
                    Code::NotAllowedHere,
                    "This operation is not closed.",
                ));
            }
            lift_closure(&mut after);
        }
    }
    let told = told(record, &after, decision, context);
    Ok(bump(after, vec![told], now))
}

/// `attach_job`: the GET's answer must bear the id; then as the observation says.
fn attach(
    record: &Operation,
    evidence: &Evidence,
    job_id: &JobId,
    context: &Context<'_>,
) -> Result<Change, Refusal> {
    if record.job_id.is_some() {
        return Err(Refusal::new(
            Code::NotAllowedHere,
            "A job id is attached already.",
        ));
    }
    refuse_foreign(record, evidence, job_id)?;
    let Some(seen) = context.observation.filter(|seen| seen.fetch == Fetch::Ok) else {
        let why = format!("The provider did not answer with the job {job_id}, so it is not attached.");
        return Err(Refusal::new(Code::JobNotConfirmed, why));
    };
    let reading = Reading {
        attach: true,
        delivering: false,
    };
    let read = apply_observation(record, job_id, seen, reading, context.now, |_| false);
    let told = told(
        record,
        &read.record,
        &Decision::AttachJob {
            job_id: job_id.clone(),
        },
        context,
    );
    let mut after = read.record;
    after.revision = record.revision;
    Ok(bump(
        after,
        std::iter::once(told).chain(read.events).collect(),
        context.now,
    ))
}

/// `choose_job`: that id with its own axes and copies; all ids then known are settled.
fn choose(
    record: &mut Operation,
    evidence: &Evidence,
    job_id: &JobId,
    now: DateTime<Utc>,
) -> Result<(), Refusal> {
    if record.phase == Phase::Delivered || record.closure.is_some() {
        return Err(Refusal::new(
            Code::NotAllowedHere,
            "A delivered or closed operation keeps its job id.",
        ));
    }
    refuse_unknown(record, evidence, job_id)?;
    refuse_foreign(record, evidence, job_id)?;
    let own = evidence.own_jobs(record);
    let stays = record.job_id.as_ref() == Some(job_id);
    let was_read = stays || record.other_jobs.iter().any(|other| other.job_id == *job_id);
    jobs::swap(record, job_id);
    record.settled_jobs.extend(own);
    record.settled_jobs.sort();
    record.settled_jobs.dedup();
    record.phase = if was_read {
        phase_of_named_job(&RemoteJob {
            remote: record.remote.clone(),
            ..RemoteJob::default()
        })
    } else {
        Phase::Accepted
    };
    set_dispatch(record, Dispatch::Sent, now);
    Ok(())
}

fn confirm_not_sent(record: &mut Operation, evidence: &Evidence, now: DateTime<Utc>) -> Result<(), Refusal> {
    if !evidence.known_jobs(record).is_empty() || record.has_remote_life() {
        let why = "A job id or another sign of a remote life is known: it cannot be confirmed that nothing was sent.";
        return Err(Refusal::new(Code::NotAllowedHere, why));
    }
    match (record.phase, record.closure.is_none()) {
        (Phase::Prepared | Phase::Submitting | Phase::Failed, true) => {}
        (Phase::Prepared | Phase::Submitting | Phase::Failed, false)
        | (Phase::Accepted | Phase::Succeeded | Phase::Delivered, true | false) => {
            return Err(Refusal::new(
                Code::NotAllowedHere,
                "This operation's phase says that something was sent, or it is closed.",
            ));
        }
    }
    record.phase = Phase::Prepared;
    set_dispatch(record, Dispatch::ConfirmedNotSent, now);
    // The word is given anew, now, whatever stood before: it speaks of no single message.
    record.not_sent_since = Some(now);
    record.dispatch_proof = None;
    Ok(())
}

fn close(record: &mut Operation, decision: DecisionKind, context: &Context<'_>) {
    record.closure = Some(Closure {
        decision,
        by: context.by.to_owned(),
        at: context.now,
        reason: redact_text(context.reason),
    });
}

/// `outputs_lost`: those indexes are not awaited any more; closed when nothing missing is awaited then.
fn lose(record: &mut Operation, indexes: &[u32], context: &Context<'_>) -> Result<(), Refusal> {
    let missing = missing_outputs(record);
    if indexes.is_empty() || !indexes.iter().all(|index| missing.contains(index)) {
        return Err(Refusal::new(
            Code::NotAllowedHere,
            "Only outputs that are still missing can be declared lost.",
        ));
    }
    record.lost_outputs.extend(indexes);
    record.lost_outputs.sort_unstable();
    record.lost_outputs.dedup();
    if missing_outputs(record).is_empty() {
        close(record, DecisionKind::OutputsLost, context);
    }
    Ok(())
}

fn account(
    record: &mut Operation,
    decision: DecisionKind,
    reference: Option<&String>,
    amount: Option<Decimal>,
    context: &Context<'_>,
) {
    record.accounting.push(Accounting {
        decision,
        job_id: record.job_id.clone(),
        reference: reference.map(|text| redact_text(text)),
        amount,
        by: context.by.to_owned(),
        at: context.now,
    });
}

fn refuse_unknown(record: &Operation, evidence: &Evidence, job_id: &JobId) -> Result<(), Refusal> {
    if evidence.own_jobs(record).contains(job_id) {
        return Ok(());
    }
    Err(Refusal::new(
        Code::NotAllowedHere,
        format!("{job_id} is not known to this operation."),
    ))
}

fn refuse_foreign(record: &Operation, evidence: &Evidence, job_id: &JobId) -> Result<(), Refusal> {
    if evidence.held_elsewhere.contains(job_id) || record.adopted_jobs.contains(job_id) {
        return Err(Refusal::new(
            Code::JobHeldElsewhere,
            format!("Another operation holds {job_id}."),
        ));
    }
    Ok(())
}

fn told(before: &Operation, after: &Operation, decision: &Decision, context: &Context<'_>) -> Event {
    let title = decision.kind().as_str().replace('_', " ");
    let mut detail = match decision {
        Decision::AttachJob { job_id } | Decision::ChooseJob { job_id } => format!("{job_id}: "),
        Decision::AdoptAsOperation { job_id, id } => format!("{job_id} becomes the operation {id}: "),
        Decision::PrepareNewOperation { id } => format!("{id}: "),
        Decision::OutputsLost { indexes } => format!("{}: ", outputs(indexes, 0)),
        Decision::ConfirmNotSent { .. } if !context.candidates.is_empty() => {
            let found: Vec<&str> = context.candidates.iter().map(JobId::as_str).collect();
            format!("although the search found {}: ", found.join(", "))
        }
        Decision::ConfirmNotSent { .. }
        | Decision::OutsideSendExcluded { .. }
        | Decision::CloseUnresolved
        | Decision::RefundConfirmed { .. }
        | Decision::ChargeAccepted
        | Decision::RefundRequested
        | Decision::AcknowledgeObsolete { .. }
        | Decision::Reopen => String::new(),
    };
    detail.push_str(&redact_text(context.reason));
    let (kind, money) = match decision {
        Decision::RefundConfirmed { amount, .. } => (EventKind::Money, Some(format!("{amount} refunded"))),
        Decision::ChargeAccepted => (EventKind::Money, Some("charge accepted".to_owned())),
        Decision::RefundRequested => (EventKind::Money, Some("refund requested".to_owned())),
        Decision::AttachJob { .. }
        | Decision::ChooseJob { .. }
        | Decision::AdoptAsOperation { .. }
        | Decision::ConfirmNotSent { .. }
        | Decision::OutsideSendExcluded { .. }
        | Decision::CloseUnresolved
        | Decision::OutputsLost { .. }
        | Decision::AcknowledgeObsolete { .. }
        | Decision::PrepareNewOperation { .. }
        | Decision::Reopen => (EventKind::Decision, None),
    };
    let mut told = event(kind, Lane::OurSide, title, detail, context.by, context.now, after);
    told.phase = super::event::moved_phase(before, after);
    told.money = money;
    told
}

#[cfg(test)]
mod tests;
