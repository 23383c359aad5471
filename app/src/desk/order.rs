//! What a caller may order.

use crate::domain::decision::Decision;
use crate::domain::ids::{DeadLetterId, JobId, QueueJobId, RecoveryId};
use crate::domain::plan::Action;
use crate::domain::recovery::RecoveryState;
use serde::{Deserialize, Serialize};

/// The longest reason, in characters.
pub const MAX_REASON: usize = 500;

/// A confirmed plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoveryOrder {
    /// The revision that the caller saw.
    pub revision: i64,
    pub action: Action,
    /// Required, at most [`MAX_REASON`] characters.
    pub reason: String,
    /// For `observe`: which known id; the plan's own when absent.
    #[serde(default)]
    pub job_id: Option<JobId>,
    /// The message that led here; its resurrection is counted.
    #[serde(default)]
    pub dead_letter_id: Option<DeadLetterId>,
    /// Creation: the operation id, typed.
    #[serde(default)]
    pub confirm: Option<String>,
    /// `observe`: poll with backoff up to the configured bound.
    #[serde(default)]
    pub follow: bool,
}

/// The answer to a confirmed plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Ordered {
    pub recovery_id: RecoveryId,
    pub state: RecoveryState,
    /// The queue job's id; `null` while awaiting approval.
    pub job_id: Option<QueueJobId>,
}

/// A decision with the revision that the person saw and their reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DecisionOrder {
    pub revision: i64,
    /// Required, at most [`MAX_REASON`] characters.
    pub reason: String,
    #[serde(flatten)]
    pub decision: Decision,
}
