//! Guards: named preconditions with a verdict and a sentence of evidence (DESIGN 3). Only `block` refuses.

use super::ids::{OperationId, RecoveryId};
use super::role::Caller;
use chrono::{DateTime, Duration, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// The guards by name.
    pub enum GuardName ("guard") {
        RecordCurrent => "record_current",
        NoActiveRecovery => "no_active_recovery",
        OperatorPermitted => "operator_permitted",
        MessageNotSuperseded => "message_not_superseded",
        JobKnown => "job_known",
        ProviderPinned => "provider_pinned",
        CredentialsAccepted => "credentials_accepted",
        ConfirmedNotSent => "confirmed_not_sent",
        NoEarlierOpenAttempt => "no_earlier_open_attempt",
        NoCompetingJob => "no_competing_job",
        SpecificationCurrent => "specification_current",
        ModelAvailable => "model_available",
        OwnerAuthorized => "owner_authorized",
        BudgetSufficient => "budget_sufficient",
        FactsFresh => "facts_fresh",
        CreationNotPaused => "creation_not_paused",
        ParentSettled => "parent_settled",
    }
}

crate::slugs! {
    /// What a guard says.
    pub enum Verdict ("verdict") {
        Pass => "pass",
        Warn => "warn",
        Block => "block",
    }
}

/// One guard's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GuardResult {
    pub guard: GuardName,
    pub verdict: Verdict,
    /// A sentence of evidence.
    pub detail: String,
}

/// What the configuration says of the operation's provider now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderFacts {
    /// No provider of that name is configured.
    Missing,
    Configured { fingerprint: String, creation_paused: Option<String> },
}

/// Owner facts, as the application reported them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerFacts {
    pub id: String,
    pub authorized: bool,
    pub remaining_credits: Decimal,
    pub as_of: DateTime<Utc>,
}

/// Specification facts, as the application reported them. The body is write-only and not here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecificationFacts {
    pub id: String,
    pub current_revision: i64,
    pub model: Option<String>,
    pub model_available: bool,
    pub active: bool,
    pub estimated_credits: Decimal,
    pub has_body: bool,
    pub as_of: DateTime<Utc>,
}

/// A queued or processing job of anybody else's that names the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompetingJob {
    pub id: String,
    pub job_name: String,
    pub status: String,
}

/// The parent's standing, of a child operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentFacts {
    pub id: OperationId,
    /// The parent is still in a state that allowed the child (see `prepare_new_operation`).
    pub still_allows: bool,
}

/// What guards need beside record and evidence. Gathered in the same transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardFacts {
    pub caller: Caller,
    /// The revision that the caller saw; `None` when planning.
    pub seen_revision: Option<i64>,
    pub provider: ProviderFacts,
    /// Another active recovery of this operation (an executor's own is left out).
    pub active_recovery: Option<RecoveryId>,
    /// The dead letter that led here.
    pub dead_letter: Option<super::ids::DeadLetterId>,
    pub owner: Option<OwnerFacts>,
    pub specification: Option<SpecificationFacts>,
    /// Credits reserved for the owner by other recoveries.
    pub reserved_elsewhere: Decimal,
    pub competing_jobs: Vec<CompetingJob>,
    pub parent: Option<ParentFacts>,
    pub facts_max_age: Duration,
    /// A live Soniq worker without a queue list would take and bury our jobs: its name.
    pub greedy_worker: Option<String>,
}
