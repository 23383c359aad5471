//! The reconciler's judgement (DESIGN 4.10): no recovery stays open.

use super::{Ending, JobState, Stored, ending_of_attempt};
use crate::domain::attempt::Receipt;
use crate::domain::operation::{Operation, Phase};
use crate::domain::plan::Action;
use crate::domain::recovery::RecoveryState;
use chrono::{DateTime, Duration, Utc};

/// Why nobody will end a recovery any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abandoned {
    NotApproved,
    Moved,
    JobMissing,
    JobCancelled,
    JobDied,
    NotReported,
    Reported,
    Unfinished,
    NoResult,
    Silent,
}

/// Why the reconciler ends this recovery; `None` while somebody will still end it.
///
/// `record` is the operation's now, `bound` how long a recovery may be silent (`observe_bound_seconds`).
pub fn abandoned(
    stored: &Stored,
    record: &Operation,
    job: JobState,
    now: DateTime<Utc>,
    bound: Duration,
) -> Option<Abandoned> {
    if !stored.recovery.state.is_active() {
        return None;
    }
    if stored.recovery.state == RecoveryState::AwaitingApproval {
        let moved = record.revision != stored.recovery.revision_before;
        return match (stored.is_overdue(now), moved) {
            (true, _) => Some(Abandoned::NotApproved),
            (false, true) => Some(Abandoned::Moved),
            (false, false) => None,
        };
    }
    let silent = now.signed_duration_since(stored.heard_at) > bound;
    // Nobody but a report sets a handed-back recovery running. Soniq removes a done job's row at once or later, as
    // the application has it.
    let reported = stored.handed_back && stored.recovery.state == RecoveryState::Running;
    match job {
        JobState::Done | JobState::Missing if reported => {
            let unfinished = stored.recovery.action == Action::Deliver && record.phase != Phase::Delivered;
            Some(if unfinished {
                Abandoned::Unfinished
            } else {
                Abandoned::Reported
            })
        }
        JobState::Missing => Some(Abandoned::JobMissing),
        JobState::Cancelled => Some(Abandoned::JobCancelled),
        JobState::Dead => Some(Abandoned::JobDied),
        JobState::Done if stored.handed_back => Some(Abandoned::NotReported),
        JobState::Done => Some(Abandoned::NoResult),
        JobState::Queued | JobState::Processing => silent.then_some(Abandoned::Silent),
    }
}

impl Abandoned {
    const fn words(self) -> &'static str {
        match self {
            Self::NotApproved => "It was not approved in time.",
            Self::Moved => "The record moved on while it waited for approval.",
            Self::JobMissing => "Its queue job is gone.",
            Self::JobCancelled => "Its queue job was cancelled.",
            Self::JobDied => "Its queue job spent its retries and died",
            Self::NotReported => "Its job is done, and nobody reported what it did.",
            Self::Reported => "Its job is done, and the application reported what it saw.",
            Self::Unfinished => {
                "Its job is done; the application reported outputs, and some are still missing."
            }
            Self::NoResult => "Its queue job is done without a result.",
            Self::Silent => "It has been silent for too long.",
        }
    }

    /// The state of a recovery that creates nothing; `began`: a worker had it.
    const fn state(self, began: bool) -> RecoveryState {
        match self {
            Self::NotApproved | Self::Moved => RecoveryState::Refused,
            Self::Reported => RecoveryState::Succeeded,
            Self::JobDied | Self::NotReported | Self::Unfinished | Self::NoResult => RecoveryState::Failed,
            Self::JobMissing | Self::JobCancelled | Self::Silent if began => RecoveryState::Failed,
            Self::JobMissing | Self::JobCancelled | Self::Silent => RecoveryState::Cancelled,
        }
    }

    /// How it ends. A creation ends by its attempt: as unknown only if an attempt without a telling receipt exists,
    /// else as cancelled (or refused, while it waited), with nothing sent.
    ///
    /// `attempt`: the creation's attempt with its receipt, if one was begun. `last_error`: what the dead job said last.
    pub fn ending(self, stored: &Stored, attempt: Option<Option<&Receipt>>, last_error: &str) -> Ending {
        let mut words = self.words().to_owned();
        if self == Self::JobDied {
            words.push_str(last_error);
        }
        if stored.recovery.action != Action::Dispatch {
            return Ending::new(self.state(stored.recovery.state == RecoveryState::Running), words);
        }
        match attempt {
            Some(receipt) => ending_of_attempt(receipt, true),
            None => {
                let state = match self {
                    Self::NotApproved | Self::Moved => RecoveryState::Refused,
                    Self::JobMissing
                    | Self::JobCancelled
                    | Self::JobDied
                    | Self::NotReported
                    | Self::Reported
                    | Self::Unfinished
                    | Self::NoResult
                    | Self::Silent => RecoveryState::Cancelled,
                };
                Ending::new(state, format!("{words} Nothing was sent."))
            }
        }
    }
}
