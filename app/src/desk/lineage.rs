//! Where a dead letter's replays led, and where it came from itself: the contract stores none of it.

use crate::domain::ids::{DeadLetterId, QueueJobId, RecoveryId};
use crate::domain::recovery::RecoveryState;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// Where the job of a replay stands, or how it ended.
    pub enum ReplayEnd ("end") {
        Queued => "queued",
        Processing => "processing",
        Done => "done",
        Cancelled => "cancelled",
        /// It died again: a dead letter under its own id.
        DeadLetter => "dead_letter",
        /// Its row is gone, and nobody saw how: a done job may be deleted at once.
        Gone => "gone",
    }
}

/// One recorded replay of a dead letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReplayView {
    /// The queue job that it made.
    pub job_id: QueueJobId,
    pub replayed_by: String,
    pub reason: String,
    pub replayed_at: DateTime<Utc>,
    /// The recovery that it was made for, and where that stands; `null` for a message that was replayed as it is.
    pub recovery_id: Option<RecoveryId>,
    pub recovery_state: Option<RecoveryState>,
    pub end: ReplayEnd,
    /// `null` while it has not ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// With `dead_letter`: the new dead letter.
    pub dead_letter_id: Option<DeadLetterId>,
    /// That one has been purged since.
    pub dead_letter_purged: bool,
}

/// The replay that a dead letter came of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CameFrom {
    pub dead_letter_id: DeadLetterId,
    /// That one has been purged since.
    pub purged: bool,
    pub replayed_by: String,
    pub reason: String,
    pub replayed_at: DateTime<Utc>,
    pub recovery_id: Option<RecoveryId>,
}

/// Both directions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Lineage {
    pub came_from: Option<CameFrom>,
    /// Newest first.
    pub replays: Vec<ReplayView>,
    /// Replays that the dead table counts and we did not make.
    pub replayed_outside: i64,
    /// Replays of ours that the dead table does not count: somebody lowered the count.
    pub not_counted: i64,
}
