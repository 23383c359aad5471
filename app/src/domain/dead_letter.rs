//! A message that a consumer gave up on, and what it knew.

use super::ids::{DeadLetterId, JobId, OperationId};
use super::operation::ErrorCategory;
use super::plan::Action;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// What a person did with the message.
    pub enum Disposition ("disposition") {
        Open => "open",
        Acknowledged => "acknowledged",
    }
}

/// What a message knew when it died: taken from its args by the configured JSON pointers. Never the record's truth.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MessageFacts {
    pub operation_id: Option<OperationId>,
    pub job_id: Option<JobId>,
    pub action: Option<Action>,
    pub error_category: Option<ErrorCategory>,
}

/// One dead letter as evidence about an operation. Purged ones stay as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Message {
    pub id: DeadLetterId,
    pub facts: MessageFacts,
    pub attempts: i64,
    pub died_at: DateTime<Utc>,
    /// Soniq's own count, whoever replayed.
    pub resurrections: i64,
    /// Replays that we recorded ourselves.
    pub own_replays: i64,
    pub last_resurrection_at: Option<DateTime<Utc>>,
    pub purged: bool,
    pub disposition: Disposition,
}
