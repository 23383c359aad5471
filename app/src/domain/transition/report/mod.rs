//! Report → record: what the application (or its webhook) says, by `PUT`, `PATCH` or a recovery's report.

mod apply;
mod fields;
mod order;
mod parse;
#[cfg(test)]
mod tests;

pub use apply::apply_patch;
pub use fields::Invalid;
pub use parse::{MAX_OUTPUTS, parse_patch, parse_put, parse_recovery_report};

use super::{axes, jobs};
use crate::domain::ids::{JobId, OperationId};
use crate::domain::money::{Charge, ChargeState};
use crate::domain::operation::{
    Dispatch, DispatchProof, ErrorCategory, Operation, OperationError, Phase, SpecificationRef,
};
use crate::domain::remote::{
    CopyState, Execution, Fetch, Output, OutputCopy, Reason, Remote, RemoteJob, Source,
};
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

/// A valid `PATCH`: `None` means that the report does not state it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Patch {
    pub provider: Option<String>,
    pub account: Option<String>,
    pub owner: Option<String>,
    pub specification: Option<ReportedSpecification>,
    pub model: Option<String>,
    pub phase: Option<Phase>,
    pub dispatch: Option<Dispatch>,
    pub remote: ReportedAxes,
    pub charge: Option<ReportedCharge>,
    pub outputs: Option<Copies>,
    /// Redacted already.
    pub error: Option<OperationError>,
    pub dispatch_proof: Option<DispatchProof>,
    pub parent: Option<OperationId>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportedSpecification {
    pub id: Option<String>,
    pub revision: Option<i64>,
}

/// The remote fields of a report; URLs are dropped already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportedAxes {
    pub job_id: Option<JobId>,
    pub fetch: Option<Fetch>,
    pub execution: Option<Execution>,
    pub reason: Option<Reason>,
    pub raw_status: Option<String>,
    pub outputs: Option<Vec<Output>>,
    pub outputs_expected: Option<u32>,
    pub empty_observations: Option<u32>,
    pub observed_at: Option<DateTime<Utc>>,
}

impl ReportedAxes {
    /// States nothing but, perhaps, which job it is.
    fn is_silent(&self) -> bool {
        *self
            == Self {
                job_id: self.job_id.clone(),
                ..Self::default()
            }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportedCharge {
    pub state: Option<ChargeState>,
    pub reserved: Option<Decimal>,
    pub charged: Option<Decimal>,
    pub refunded: Option<Decimal>,
}

impl ReportedCharge {
    fn stated(&self) -> Charge {
        Charge {
            state: self.state.unwrap_or(ChargeState::Unknown),
            reserved: self.reserved,
            charged: self.charged,
            refunded: self.refunded,
        }
    }
}

/// Our copies as the application reports them, each index once.
pub type Copies = Vec<ReportedCopy>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedCopy {
    pub index: u32,
    pub state: CopyState,
    pub storage_key: Option<String>,
    pub bytes: Option<u64>,
    pub sha256: Option<String>,
    pub category: Option<ErrorCategory>,
}

/// What an application's own worker says of a handed-back action. Each part may come more than once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecoveryReport {
    pub observation: Option<ReportedAxes>,
    pub outputs: Option<Copies>,
    /// The action ended: `done` or `failed`.
    pub done: Option<bool>,
    pub category: Option<ErrorCategory>,
}

impl RecoveryReport {
    /// What it says of the record, as [`apply_patch`] takes it.
    pub fn as_patch(&self) -> Patch {
        Patch {
            remote: self.observation.clone().unwrap_or_default(),
            outputs: self.outputs.clone(),
            ..Patch::default()
        }
    }
}

/// A valid `PUT`.
#[derive(Debug, Clone, PartialEq)]
pub struct NewOperation {
    pub provider: String,
    pub owner: String,
    pub specification: SpecificationRef,
    pub phase: Phase,
    /// Everything that it states, the required fields included.
    pub report: Patch,
}

impl NewOperation {
    /// The record at revision 1. It stores what the report says and normalises nothing; absent evidence is
    /// `not_recorded`, an absent charge `unknown`, `observed_at` is clamped to `now`.
    ///
    /// `fingerprint` pins the provider as configured now. `held` tells whether another operation of the same provider
    /// and account holds an id: then it joins `other_jobs` with its axes, charge and copies, which contests it.
    pub fn into_record(
        self,
        id: OperationId,
        fingerprint: Option<String>,
        now: DateTime<Utc>,
        held: impl Fn(&JobId) -> bool,
    ) -> Operation {
        let Self {
            provider,
            owner,
            specification,
            phase,
            report,
        } = self;
        let dispatch = report.dispatch.unwrap_or(Dispatch::NotRecorded);
        let copies = report
            .outputs
            .iter()
            .flatten()
            .map(|copy| copy.merged(None))
            .collect();
        let job = RemoteJob {
            remote: report.remote.as_stated(now),
            charge: report
                .charge
                .as_ref()
                .map(ReportedCharge::stated)
                .unwrap_or_default(),
            outputs: sorted(copies),
            lost_outputs: Vec::new(),
        };
        let mut record = Operation {
            account: report.account.unwrap_or_default(),
            fingerprint,
            model: report.model,
            phase,
            dispatch,
            not_sent_since: (dispatch == Dispatch::ConfirmedNotSent).then_some(now),
            dispatch_proof: report.dispatch_proof,
            error: report.error,
            parent: report.parent,
            ..Operation::new(id, provider, owner, specification, now)
        };
        match report.remote.job_id {
            Some(job_id) if held(&job_id) => *jobs::other(&mut record, &job_id) = job,
            attached => {
                record.job_id = attached;
                record.remote = job.remote;
                record.charge = job.charge;
                record.outputs = job.outputs;
            }
        }
        record
    }
}

impl ReportedAxes {
    /// The axes as a first report states them.
    fn as_stated(&self, now: DateTime<Utc>) -> Remote {
        Remote {
            fetch: self.fetch,
            execution: self.execution,
            reason: self.reason,
            raw_status: self.raw_status.clone(),
            outputs: self.outputs.clone(),
            outputs_expected: self.outputs_expected,
            empty_observations: self.empty_observations.unwrap_or(0),
            observed_at: self.observed_at.map(|moment| moment.min(now)),
            source: (!self.is_silent()).then_some(Source::Reported),
            read_at: None,
            contradiction: None,
        }
    }
}

impl ReportedCopy {
    /// The copy after this report. A delivered one is never replaced.
    fn merged(&self, before: Option<&OutputCopy>) -> OutputCopy {
        if let Some(delivered) = before.filter(|copy| axes::is_delivered(copy)) {
            return delivered.clone();
        }
        let failures = before.map_or(0, |copy| copy.permanent_failures);
        OutputCopy {
            index: self.index,
            state: self.state,
            storage_key: self.storage_key.clone(),
            bytes: self.bytes,
            sha256: self.sha256.clone(),
            category: self.category,
            permanent_failures: match self.state {
                CopyState::Pending => failures,
                CopyState::Delivered => 0,
                CopyState::Failed => super::delivery::failures_in_a_row(failures, self.category),
            },
        }
    }
}

fn sorted(mut copies: Vec<OutputCopy>) -> Vec<OutputCopy> {
    copies.sort_by_key(|copy| copy.index);
    copies
}
