//! The second person (DESIGN 4.2): requester and approver differ, and the approval is bound to the revision.

use super::{Ending, Stored};
use crate::domain::plan::Action;
use crate::domain::recovery::RecoveryState;
use chrono::{DateTime, Utc};

/// What an approval finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// It does not wait for anybody.
    NotAwaited,
    /// Who asks is who requested it.
    SamePerson,
    /// The wait is over: it ends now, whoever asks.
    Over(Ending),
    /// The plan still stands: its guards decide.
    Stands,
}

/// Whether this person may approve it now. `revision` and `action` are the record's and its plan's.
pub fn approval(
    stored: &Stored,
    approver: &str,
    revision: i64,
    action: Action,
    now: DateTime<Utc>,
) -> Approval {
    let recovery = &stored.recovery;
    if recovery.state != RecoveryState::AwaitingApproval {
        return Approval::NotAwaited;
    }
    if recovery.requested_by == approver {
        return Approval::SamePerson;
    }
    let why = if stored.is_overdue(now) {
        "It was not approved in time."
    } else if revision != recovery.revision_before || action != recovery.action {
        "The record moved on while it waited."
    } else {
        return Approval::Stands;
    };
    Approval::Over(Ending::new(
        RecoveryState::Refused,
        format!("{why} Nothing was sent."),
    ))
}
