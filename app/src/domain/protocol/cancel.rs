//! Cancelling: possible while nothing was begun, and while a render is only followed.

use crate::domain::recovery::RecoveryState;

/// Whether a recovery in this state can be cancelled; else why not, in one sentence. `follow`: it reads again and again,
/// and can stop between two reads.
pub fn may_cancel(state: RecoveryState, follow: bool) -> Result<(), String> {
    match state {
        RecoveryState::AwaitingApproval | RecoveryState::Requested => Ok(()),
        RecoveryState::Running if follow => Ok(()),
        RecoveryState::Running => Err("It is running: what it began cannot be taken back.".to_owned()),
        RecoveryState::Succeeded
        | RecoveryState::AlreadyDone
        | RecoveryState::StillRunning
        | RecoveryState::Refused
        | RecoveryState::Failed
        | RecoveryState::Cancelled
        | RecoveryState::OutcomeUnknown => Err(format!("It has ended already: {state}.")),
    }
}
