//! One confirmed plan being carried out by machine. At most one active per operation.

use super::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use super::plan::{Action, Effect};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// Where a recovery stands. The first three are active.
    pub enum RecoveryState ("state") {
        AwaitingApproval => "awaiting_approval",
        Requested => "requested",
        Running => "running",
        Succeeded => "succeeded",
        AlreadyDone => "already_done",
        StillRunning => "still_running",
        Refused => "refused",
        Failed => "failed",
        Cancelled => "cancelled",
        OutcomeUnknown => "outcome_unknown",
    }
}

impl RecoveryState {
    /// Active: counts as the operation's one recovery.
    pub const fn is_active(self) -> bool {
        match self {
            Self::AwaitingApproval | Self::Requested | Self::Running => true,
            Self::Succeeded
            | Self::AlreadyDone
            | Self::StillRunning
            | Self::Refused
            | Self::Failed
            | Self::Cancelled
            | Self::OutcomeUnknown => false,
        }
    }
}

/// A recovery as every reader sees it (the API's shape, DESIGN 7).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Recovery {
    pub id: RecoveryId,
    pub operation_id: OperationId,
    pub dead_letter_id: Option<DeadLetterId>,
    pub action: Action,
    pub effect: Effect,
    pub state: RecoveryState,
    /// What was observed, in words; `null` while active.
    pub outcome: Option<String>,
    pub requested_by: String,
    pub approved_by: Option<String>,
    pub reason: String,
    pub revision_before: i64,
    pub revision_after: Option<i64>,
    /// The queue job's id; `null` while awaiting approval.
    pub job_id: Option<QueueJobId>,
    /// The provider's id that the action reads.
    pub remote_job_id: Option<JobId>,
    pub follow: bool,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}
