//! What the provider said when last asked: five independent axes, never merged into the phase (DESIGN 2).

use super::ids::JobId;
use super::money::Charge;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// How the last read went. A read that is not `ok` keeps the last good values of the other axes.
    pub enum Fetch ("fetch") {
        Ok => "ok",
        NotFound => "not_found",
        Forbidden => "forbidden",
        Unauthorized => "unauthorized",
        RateLimited => "rate_limited",
        ServerError => "server_error",
        BadPayload => "bad_payload",
        Network => "network",
        Blocked => "blocked",
    }
}

crate::slugs! {
    /// Where the provider's job stands.
    pub enum Execution ("execution") {
        Queued => "queued",
        Running => "running",
        Succeeded => "succeeded",
        Failed => "failed",
        Cancelled => "cancelled",
        Expired => "expired",
        Unknown => "unknown",
    }
}

impl Execution {
    /// The provider gave up: `failed`, `cancelled` or `expired`.
    pub const fn is_lost(self) -> bool {
        match self {
            Self::Failed | Self::Cancelled | Self::Expired => true,
            Self::Queued | Self::Running | Self::Succeeded | Self::Unknown => false,
        }
    }

    /// A state that does not change any more.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Succeeded | Self::Failed | Self::Cancelled | Self::Expired => true,
            Self::Queued | Self::Running | Self::Unknown => false,
        }
    }
}

crate::slugs! {
    /// Why the execution stands where it stands.
    pub enum Reason ("reason") {
        None => "none",
        Moderation => "moderation",
        ProviderError => "provider_error",
        Timeout => "timeout",
        SubmissionFailure => "submission_failure",
        OperatorMarked => "operator_marked",
        Unrecognised => "unrecognised",
    }
}

crate::slugs! {
    /// Who says so. What we read ourselves outranks what was reported.
    pub enum Source ("source") {
        Get => "get",
        Reported => "reported",
    }
}

/// The longest `raw_status` that is kept, in characters.
pub const MAX_RAW_STATUS: usize = 64;

/// A status that nobody recognises, as it is kept and shown: whoever answers may write anything there.
pub fn raw_status(text: &str) -> String {
    super::redact::redact_text(text)
        .chars()
        .take(MAX_RAW_STATUS)
        .collect()
}

/// One output that the provider lists. Its URL is never stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Output {
    pub index: u32,
    pub content_type: Option<String>,
}

/// The axes of one job id. `execution: None` means that no good read or report ever named a state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Remote {
    pub fetch: Option<Fetch>,
    pub execution: Option<Execution>,
    pub reason: Option<Reason>,
    pub raw_status: Option<String>,
    /// `None`: not stated. `Some([])`: none. A list never shrinks.
    pub outputs: Option<Vec<Output>>,
    pub outputs_expected: Option<u32>,
    /// Good reads that said `succeeded` without outputs.
    #[serde(default)]
    pub empty_observations: u32,
    /// On the database's clock.
    pub observed_at: Option<DateTime<Utc>>,
    pub source: Option<Source>,
    /// When `execution` was last set by a read of our own (it outranks reports).
    #[serde(default)]
    pub read_at: Option<DateTime<Utc>>,
    /// A later read said otherwise after success: kept and shown, never acted on.
    #[serde(default)]
    pub contradiction: Option<Execution>,
}

impl Remote {
    /// How many outputs there are, as far as the provider or the application said.
    pub fn outputs_in_all(&self) -> usize {
        let listed = self.outputs.as_ref().map_or(0, Vec::len);
        let expected = usize::try_from(self.outputs_expected.unwrap_or(0)).unwrap_or(usize::MAX);
        listed.max(expected)
    }
}

crate::slugs! {
    /// Where our copy of one output stands.
    pub enum CopyState ("state") {
        Pending => "pending",
        Delivered => "delivered",
        Failed => "failed",
    }
}

/// Our copy of one output.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OutputCopy {
    pub index: u32,
    pub state: CopyState,
    pub storage_key: Option<String>,
    pub bytes: Option<u64>,
    pub sha256: Option<String>,
    pub category: Option<super::operation::ErrorCategory>,
    /// Deliveries in a row that failed with a permanent category (row 7).
    #[serde(default)]
    pub permanent_failures: u32,
}

/// Everything known of one job id: its axes, its charge, its copies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RemoteJob {
    pub remote: Remote,
    pub charge: Charge,
    pub outputs: Vec<OutputCopy>,
    /// Indexes that a person declared lost while this id was the attached one.
    #[serde(default)]
    pub lost_outputs: Vec<u32>,
}

/// A job id of this operation that is not the attached one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OtherJob {
    pub job_id: JobId,
    #[serde(flatten)]
    pub job: RemoteJob,
}
