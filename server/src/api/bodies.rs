//! What programs send, as the API's description tells it. The server reads these bodies by hand, so that absent,
//! `null` and wrong are told apart; a test sends one of each with every field.

use app::domain::money::ChargeState;
use app::domain::operation::{
    Dispatch, DispatchProof, ErrorCategory, OperationError, Phase, SpecificationRef,
};
use app::domain::remote::{CopyState, Execution, Fetch, Output, Reason};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// An operation as the application reports it. `PUT` needs `provider`, `owner`, `specification` and `phase`;
/// in `PATCH` absent means unchanged.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct OperationReport {
    pub provider: Option<String>,
    pub account: Option<String>,
    pub owner: Option<String>,
    pub specification: Option<SpecificationRef>,
    pub model: Option<String>,
    pub phase: Option<Phase>,
    pub dispatch: Option<Dispatch>,
    pub remote: Option<RemoteReport>,
    pub charge: Option<ChargeReport>,
    pub outputs: Option<Vec<CopyReport>>,
    pub error: Option<OperationError>,
    /// With `confirmed_not_sent`: which message, and its last attempt.
    pub dispatch_proof: Option<DispatchProof>,
    pub parent: Option<String>,
}

/// What the application saw of the remote job.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct RemoteReport {
    pub job_id: Option<String>,
    pub fetch: Option<Fetch>,
    pub execution: Option<Execution>,
    pub reason: Option<Reason>,
    /// At most 64 characters.
    pub raw_status: Option<String>,
    /// `null`: not stated; `[]`: none.
    pub outputs: Option<Vec<Output>>,
    pub outputs_expected: Option<u32>,
    pub empty_observations: Option<u32>,
    /// Clamped to the database's clock.
    pub observed_at: Option<DateTime<Utc>>,
}

/// Money, as exact decimals in strings.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct ChargeReport {
    pub state: Option<ChargeState>,
    pub reserved: Option<String>,
    pub charged: Option<String>,
    pub refunded: Option<String>,
}

/// One output's copy on the application's side.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CopyReport {
    pub index: u32,
    pub state: CopyState,
    pub storage_key: Option<String>,
    pub bytes: Option<u64>,
    pub sha256: Option<String>,
    pub category: Option<ErrorCategory>,
}

/// How an action that was handed to the application went: an observation, copies, or the end.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct RecoveryReport {
    pub observation: Option<RemoteReport>,
    pub outputs: Option<Vec<CopyReport>>,
    /// `done` or `failed`.
    pub outcome: Option<String>,
    /// With `failed`.
    pub category: Option<ErrorCategory>,
}

/// What an owner may spend.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OwnerReport {
    pub authorized: bool,
    /// An exact decimal.
    pub remaining_credits: String,
    /// Older than the stored one: ignored.
    pub as_of: Option<DateTime<Utc>>,
}

/// What a generation is made from.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SpecificationReport {
    pub current_revision: i64,
    pub model: Option<String>,
    pub model_available: bool,
    pub active: bool,
    /// An exact decimal.
    pub estimated_credits: String,
    /// Write-only: what the provider is asked for.
    #[schema(value_type = Option<Object>, write_only)]
    pub body: Option<serde_json::Value>,
    pub as_of: Option<DateTime<Utc>>,
}
