//! The durable record of one generation that the application wanted (`dlo_operations`).

use super::decision::{Accounting, Closure};
use super::ids::{DeadLetterId, JobId, OperationId};
use super::money::{Charge, ChargeState};
use super::remote::{Execution, OtherJob, OutputCopy, Remote};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// Where our side stands.
    pub enum Phase ("phase") {
        Prepared => "prepared",
        Submitting => "submitting",
        Accepted => "accepted",
        Succeeded => "succeeded",
        Failed => "failed",
        Delivered => "delivered",
    }
}

crate::slugs! {
    /// Dispatch evidence: what we can prove about sending. Silence is not proof.
    pub enum Dispatch ("dispatch") {
        ConfirmedNotSent => "confirmed_not_sent",
        NotRecorded => "not_recorded",
        OutcomeUnknown => "outcome_unknown",
        Sent => "sent",
    }
}

crate::slugs! {
    /// What a failure was, in one word. A closed list (DESIGN 7).
    pub enum ErrorCategory ("category") {
        Timeout => "timeout",
        Connection => "connection",
        Tls => "tls",
        Http4xx => "http_4xx",
        Http5xx => "http_5xx",
        RateLimited => "rate_limited",
        BadPayload => "bad_payload",
        Rejected => "rejected",
        Moderation => "moderation",
        Unauthorized => "unauthorized",
        NotFound => "not_found",
        OutputExpired => "output_expired",
        OutputMismatch => "output_mismatch",
        OutputTooLarge => "output_too_large",
        OutputBlocked => "output_blocked",
        StorageWrite => "storage_write",
        StorageFull => "storage_full",
        Database => "database",
        Configuration => "configuration",
        HandlerMissing => "handler_missing",
        Cancelled => "cancelled",
        Other => "other",
    }
}

impl ErrorCategory {
    /// A delivery that failed so will fail again until the provider says otherwise (row 7).
    pub const fn is_permanent_for_delivery(self) -> bool {
        match self {
            Self::NotFound
            | Self::OutputExpired
            | Self::OutputMismatch
            | Self::OutputTooLarge
            | Self::OutputBlocked => true,
            Self::Timeout
            | Self::Connection
            | Self::Tls
            | Self::Http4xx
            | Self::Http5xx
            | Self::RateLimited
            | Self::BadPayload
            | Self::Rejected
            | Self::Moderation
            | Self::Unauthorized
            | Self::StorageWrite
            | Self::StorageFull
            | Self::Database
            | Self::Configuration
            | Self::HandlerMissing
            | Self::Cancelled
            | Self::Other => false,
        }
    }
}

/// The specification that a generation was asked from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SpecificationRef {
    pub id: String,
    pub revision: i64,
}

/// The last error that the application reported; `detail` is redacted before it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationError {
    pub category: ErrorCategory,
    #[serde(default)]
    pub detail: Option<String>,
}

/// Names the message and its last attempt that the `confirmed_not_sent` evidence speaks of (DESIGN 3, `no_competing_job`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DispatchProof {
    pub message_id: DeadLetterId,
    pub attempts: i64,
}

/// The record. Facts only: label, flag and next action are derived.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operation {
    pub id: OperationId,
    /// +1 on each change of the record.
    pub revision: i64,
    pub provider: String,
    /// The provider account, as the configuration names it; empty when none was named.
    pub account: String,
    /// Fingerprint of provider, base URL and account, pinned when the record was made; `None` when the provider was not configured then.
    pub fingerprint: Option<String>,
    pub owner: String,
    pub specification: SpecificationRef,
    pub model: Option<String>,
    pub phase: Phase,
    pub dispatch: Dispatch,
    /// Since when the evidence says `confirmed_not_sent`; `None` with any other evidence.
    pub not_sent_since: Option<DateTime<Utc>>,
    pub dispatch_proof: Option<DispatchProof>,
    /// The attached job id.
    pub job_id: Option<JobId>,
    /// Axes of the attached job; or what was reported while no id is attached.
    pub remote: Remote,
    pub charge: Charge,
    pub outputs: Vec<OutputCopy>,
    /// Job ids known to this record that are not attached, each with its own axes and copies.
    pub other_jobs: Vec<OtherJob>,
    /// Ids that a `choose_job` has settled: together they contest nothing.
    pub settled_jobs: Vec<JobId>,
    /// Ids that became operations of their own.
    pub adopted_jobs: Vec<JobId>,
    /// Indexes of the attached job that a person declared lost: not awaited any more.
    pub lost_outputs: Vec<u32>,
    pub error: Option<OperationError>,
    pub parent: Option<OperationId>,
    /// A closing decision that still stands.
    pub closure: Option<Closure>,
    /// Recorded money decisions, oldest first.
    pub accounting: Vec<Accounting>,
    /// The decision `outside_send_excluded` clears what happened up to this moment.
    pub outside_send_excluded_through: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl Operation {
    /// A prepared record at revision 1 of which nothing more is known: no account, no fingerprint, no evidence, no job.
    pub fn new(
        id: OperationId,
        provider: impl Into<String>,
        owner: impl Into<String>,
        specification: SpecificationRef,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            revision: 1,
            provider: provider.into(),
            account: String::new(),
            fingerprint: None,
            owner: owner.into(),
            specification,
            model: None,
            phase: Phase::Prepared,
            dispatch: Dispatch::NotRecorded,
            not_sent_since: None,
            dispatch_proof: None,
            job_id: None,
            remote: Remote::default(),
            charge: Charge::default(),
            outputs: Vec::new(),
            other_jobs: Vec::new(),
            settled_jobs: Vec::new(),
            adopted_jobs: Vec::new(),
            lost_outputs: Vec::new(),
            error: None,
            parent: None,
            closure: None,
            accounting: Vec::new(),
            outside_send_excluded_through: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Signs of a remote life: an execution, a non-empty list of outputs, or a charge other than `unknown` and `none`.
    pub fn has_remote_life(&self) -> bool {
        let charged = match self.charge.state {
            ChargeState::Unknown | ChargeState::None => false,
            ChargeState::Reserved
            | ChargeState::Charged
            | ChargeState::RefundPending
            | ChargeState::Refunded
            | ChargeState::PartiallyRefunded => true,
        };
        self.remote.execution.is_some() || self.has_listed_outputs() || charged
    }

    /// The provider lists at least one output.
    pub fn has_listed_outputs(&self) -> bool {
        self.remote.outputs.as_ref().is_some_and(|list| !list.is_empty())
    }

    /// Success, by our phase or by the provider, without outputs.
    pub fn succeeded_without_outputs(&self) -> bool {
        (self.phase == Phase::Succeeded || self.remote.execution == Some(Execution::Succeeded))
            && !self.has_listed_outputs()
    }

    /// The provider's last word was failed, cancelled or expired.
    pub fn is_lost_remotely(&self) -> bool {
        self.remote.execution.is_some_and(Execution::is_lost)
    }
}
