//! From the log's face of an error to the operator's.

use crate::database::DbError;
use app::desk::{Code, DeskError};
use app::domain::role::{Caller, Role};

/// Refuses a caller whose role does not include `least`.
pub fn require(caller: &Caller, least: Role) -> Result<(), DeskError> {
    if caller.may(least) {
        Ok(())
    } else {
        Err(DeskError::new(
            Code::RoleRequired,
            format!(
                "This needs the role {least}; {} has the role {}.",
                caller.name, caller.role
            ),
        ))
    }
}

/// Keeps the inner face in the log and answers the outer one.
pub fn log_failure(error: &DbError) -> DeskError {
    if error.is_transient() {
        tracing::warn!(error = %error, "database busy or unreachable");
    } else {
        tracing::error!(error = %error, "database failure");
    }
    DeskError::new(
        Code::Unavailable,
        "The database did not answer. Nothing was changed; try again.",
    )
}

impl From<DbError> for DeskError {
    fn from(error: DbError) -> Self {
        log_failure(&error)
    }
}
