//! Where each decision is allowed (DESIGN 4, "Decisions a person can record").
//!
//! What a decision names (is the id held elsewhere, does a read confirm it) is checked where it is recorded.

use super::DecisionKind;
use crate::domain::accounting::is_settled;
use crate::domain::attempt::{Attempt, ReceiptKind};
use crate::domain::evidence::{Evidence, Jobs};
use crate::domain::operation::{Operation, Phase};
use crate::domain::plan::Row;
use chrono::{DateTime, Duration, Utc};

const DELIVERED: u8 = Row::Delivered.number();
const CLOSED: u8 = Row::Closed.number();
const OUTPUTS_MAY_BE_LOST: u8 = Row::OutputsMayBeLost.number();
const FAILED_NOT_SENT: u8 = Row::FailedNotSent.number();
const FAILED_UNSETTLED: u8 = Row::FailedUnsettled.number();
const FAILED_SETTLED: u8 = Row::FailedSettled.number();

/// Whether a person may record this decision here; else why not, in one sentence.
///
/// `plan_row` is the row of the decision table that the record stands in. `lease_and_timeout` is the provider's
/// timeout plus the lease: a younger attempt may still be under way. `competing_blocks` tells whether the guard
/// `no_competing_job` blocks.
pub fn allowed(
    kind: DecisionKind,
    record: &Operation,
    evidence: &Evidence,
    plan_row: u8,
    now: DateTime<Utc>,
    lease_and_timeout: Duration,
    competing_blocks: bool,
) -> Result<(), String> {
    let jobs = evidence.jobs(record);
    Ground {
        record,
        evidence,
        jobs: &jobs,
        row: plan_row,
        now,
        lease_and_timeout,
        competing_blocks,
    }
    .allows(kind)
}

/// Whether a record allows a new operation in its stead: rows 2, 14 and 16, or failed by a receipt of ours that
/// says rejected. A child's dispatch asks the same of its parent (`parent_settled`).
pub fn allows_child(record: &Operation, evidence: &Evidence, plan_row: u8) -> bool {
    prepare_new(record, evidence, plan_row).is_ok()
}

/// What decides whether a decision is allowed.
pub(in crate::domain) struct Ground<'a> {
    pub record: &'a Operation,
    pub evidence: &'a Evidence,
    pub jobs: &'a Jobs,
    /// The row of the decision table that the record stands in.
    pub row: u8,
    pub now: DateTime<Utc>,
    pub lease_and_timeout: Duration,
    pub competing_blocks: bool,
}

impl Ground<'_> {
    pub(in crate::domain) fn allows(&self, kind: DecisionKind) -> Result<(), String> {
        let record = self.record;
        let ends_in_acknowledge = [DELIVERED, CLOSED, FAILED_NOT_SENT, FAILED_SETTLED].contains(&self.row);
        match kind {
            DecisionKind::AttachJob => match &record.job_id {
                None => Ok(()),
                Some(job) => Err(format!("Job {job} is attached already.")),
            },
            DecisionKind::ChooseJob => self.choose_job(),
            DecisionKind::AdoptAsOperation => {
                must(self.has_unattached(), "No job id is known that is not attached.")
            }
            DecisionKind::ConfirmNotSent => self.confirm_not_sent(),
            DecisionKind::OutsideSendExcluded => must(
                self.competing_blocks,
                "Nothing suggests that somebody sent it outside: no_competing_job does not block.",
            ),
            DecisionKind::CloseUnresolved => must(
                !ends_in_acknowledge,
                "Nothing is unresolved here: the message can be acknowledged.",
            ),
            DecisionKind::OutputsLost => must(
                self.row == OUTPUTS_MAY_BE_LOST,
                "Outputs are lost only when every missing one failed three deliveries in a row for a lasting reason.",
            ),
            DecisionKind::RefundConfirmed | DecisionKind::ChargeAccepted | DecisionKind::RefundRequested => {
                must(!is_settled(record), "The money is settled already.")
            }
            DecisionKind::AcknowledgeObsolete => must(
                ends_in_acknowledge,
                "The message is not obsolete: the plan is not to acknowledge it.",
            ),
            DecisionKind::PrepareNewOperation => prepare_new(record, self.evidence, self.row),
            DecisionKind::Reopen => must(record.closure.is_some(), "The operation is not closed."),
        }
    }

    fn has_unattached(&self) -> bool {
        self.jobs
            .own
            .iter()
            .any(|job| Some(job) != self.record.job_id.as_ref())
    }

    fn choose_job(&self) -> Result<(), String> {
        must(
            self.record.phase != Phase::Delivered,
            "The operation is delivered.",
        )?;
        must(
            self.record.closure.is_none(),
            "The operation is closed: reopen it first.",
        )?;
        must(
            self.has_unattached(),
            "No other job id is known: there is nothing to choose.",
        )
    }

    /// Whether the decision can come to anything, where it is allowed: a job id that another operation holds is refused by
    /// its own code, and one that is left is needed to offer the choice.
    pub(in crate::domain) fn offers(&self, kind: DecisionKind) -> bool {
        let held = &self.evidence.held_elsewhere;
        kind != DecisionKind::ChooseJob || self.jobs.own.iter().any(|job| !held.contains(job))
    }

    fn confirm_not_sent(&self) -> Result<(), String> {
        let record = self.record;
        match record.phase {
            Phase::Prepared | Phase::Submitting | Phase::Failed => {}
            Phase::Accepted | Phase::Succeeded | Phase::Delivered => {
                return Err(format!("Our side says {}: something was sent.", record.phase));
            }
        }
        must(
            record.closure.is_none(),
            "The operation is closed: reopen it first.",
        )?;
        if let Some(job) = self.jobs.known.first() {
            return Err(format!("Job {job} became known: something was sent."));
        }
        must(
            !record.has_remote_life(),
            "The record shows signs of a remote life: something was sent.",
        )?;
        let last = self
            .evidence
            .attempts
            .iter()
            .map(|attempt| attempt.started_at)
            .max();
        must(
            last.is_none_or(|started_at| self.now.signed_duration_since(started_at) > self.lease_and_timeout),
            "The last attempt may still be under way: wait until its timeout and its lease are over.",
        )
    }
}

fn must(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

fn prepare_new(record: &Operation, evidence: &Evidence, row: u8) -> Result<(), String> {
    let settled = [CLOSED, FAILED_NOT_SENT, FAILED_SETTLED].contains(&row);
    let rejected = row == FAILED_UNSETTLED && record.job_id.is_none() && last_receipt_rejected(evidence);
    must(
        settled || rejected,
        "A new operation comes after this one is closed, failed and settled, or rejected by the provider.",
    )?;
    must(
        row == CLOSED || !evidence.attempts.iter().any(Attempt::is_open),
        "An attempt is still open: its outcome is unknown.",
    )
}

fn last_receipt_rejected(evidence: &Evidence) -> bool {
    let last = evidence.attempts.iter().max_by_key(|attempt| attempt.number);
    last.and_then(|attempt| attempt.receipt.as_ref())
        .is_some_and(|receipt| receipt.kind == ReceiptKind::Rejected)
}
