//! A reason is asked for with every mutation, kept in the audit, and bounded.

use app::desk::order::MAX_REASON;
use app::desk::{Answer, Code, DeskError};

/// 1 to [`MAX_REASON`] characters that say something.
pub fn check_reason(reason: &str) -> Answer<()> {
    let length = reason.chars().count();
    if reason.trim().is_empty() {
        Err(DeskError::new(Code::InvalidRequest, "A reason is required."))
    } else if length > MAX_REASON {
        Err(DeskError::new(
            Code::InvalidRequest,
            format!("The reason has {length} characters; at most {MAX_REASON} are kept."),
        ))
    } else {
        Ok(())
    }
}
