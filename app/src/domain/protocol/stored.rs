//! A recovery with what only storage, worker and reconciler need.

use crate::domain::recovery::{Recovery, RecoveryState};
use crate::domain::role::{Caller, Role};
use chrono::{DateTime, Utc};

/// A recovery with its fence, its lease and what it holds back. All moments are the database's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stored {
    pub recovery: Recovery,
    pub requested_role: Role,
    /// The newest fencing token; only its holder may write.
    pub fence: i64,
    pub lease_until: Option<DateTime<Utc>>,
    /// The application's workers carry it out.
    pub handed_back: bool,
    pub reservation_open: bool,
    /// Until then an approval is awaited, or a creation may be sent.
    pub valid_until: Option<DateTime<Utc>>,
    pub heard_at: DateTime<Utc>,
    /// When a worker first had it.
    pub started_at: Option<DateTime<Utc>>,
}

impl Stored {
    /// The person who confirmed it.
    pub fn requester(&self) -> Caller {
        Caller {
            name: self.recovery.requested_by.clone(),
            role: self.requested_role,
        }
    }

    /// A worker is at it, and its lease is alive.
    pub fn is_leased(&self, now: DateTime<Utc>) -> bool {
        self.recovery.state == RecoveryState::Running && self.lease_until.is_some_and(|until| until > now)
    }

    /// Whether who was given this token may still write: no higher one was given out, and it has not ended.
    pub fn is_held_with(&self, fence: i64) -> bool {
        self.fence == fence && self.recovery.state == RecoveryState::Running
    }

    /// Whether who was given this token may let the first byte of a creation leave, as far as the database knows. Its
    /// own monotonic clock is asked after that.
    pub fn may_send_with(&self, fence: i64, now: DateTime<Utc>) -> bool {
        self.is_held_with(fence) && self.is_leased(now)
    }

    /// The approval, or the confirmation of a creation, is too old.
    pub fn is_overdue(&self, now: DateTime<Utc>) -> bool {
        self.valid_until.is_some_and(|until| until < now)
    }
}
