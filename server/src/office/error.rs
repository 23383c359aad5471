//! What a caller's role does not allow.

use app::desk::{Code, DeskError};
use app::domain::permission::Permission;
use app::domain::role::Caller;

/// Refuses a caller who does not have this permission.
pub fn require(caller: &Caller, permission: Permission) -> Result<(), DeskError> {
    if caller.has(permission) {
        Ok(())
    } else {
        Err(DeskError::new(
            Code::RoleRequired,
            format!(
                "This needs the role {}; {} has the role {}.",
                permission.least(),
                caller.name,
                caller.role
            ),
        ))
    }
}
