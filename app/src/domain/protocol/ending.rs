//! How a recovery ends (DESIGN 4.10): its state and its words.

use crate::domain::attempt::{Receipt, ReceiptKind};
use crate::domain::guard::GuardResult;
use crate::domain::recovery::RecoveryState;

/// An end, and what was observed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ending {
    pub state: RecoveryState,
    /// One or two sentences: what was observed, not what was hoped.
    pub outcome: String,
    /// The guards that refused at the last moment, if they did.
    pub guards: Vec<GuardResult>,
}

impl Ending {
    pub fn new(state: RecoveryState, outcome: impl Into<String>) -> Self {
        Self {
            state,
            outcome: outcome.into(),
            guards: Vec::new(),
        }
    }
}

/// How a creation ends by what is known of its attempt. `attempted`: its attempt was written down, so that its request
/// may have left.
pub fn ending_of_attempt(receipt: Option<&Receipt>, attempted: bool) -> Ending {
    let Some(receipt) = receipt else {
        return if attempted {
            Ending::new(
                RecoveryState::OutcomeUnknown,
                "The request may have left, and no answer was kept. Nothing is sent again: a person must find out.",
            )
        } else {
            Ending::new(
                RecoveryState::Cancelled,
                "The work ended before anything was sent.",
            )
        };
    };
    match receipt.kind {
        ReceiptKind::Accepted => {
            let named = receipt
                .job_id
                .as_ref()
                .map_or_else(String::new, |job_id| format!(" as {job_id}"));
            Ending::new(
                RecoveryState::Succeeded,
                format!("The provider accepted it{named}: {}.", receipt.detail),
            )
        }
        ReceiptKind::Rejected => Ending::new(
            RecoveryState::Failed,
            format!("The provider rejected it: {}.", receipt.detail),
        ),
        ReceiptKind::NotSent => Ending::new(
            RecoveryState::Failed,
            format!("Nothing was sent: {}.", receipt.detail),
        ),
        ReceiptKind::ConfirmedByPerson => {
            Ending::new(RecoveryState::Failed, "A person confirmed that nothing was sent.")
        }
        ReceiptKind::Unknown => Ending::new(
            RecoveryState::OutcomeUnknown,
            format!(
                "Sent, and the outcome is unknown: {}. Nothing is sent again.",
                receipt.detail
            ),
        ),
    }
}
