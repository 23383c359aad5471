//! Whether who confirmed a creation may still create when it is sent.

use super::{Ending, Stored};
use crate::domain::permission::Permission;
use crate::domain::plan::Action;
use crate::domain::recovery::RecoveryState;
use crate::domain::role::Role;

/// What is known now of somebody who acted before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Present {
    /// They still come in, with this role.
    May(Role),
    /// Disabled, or revoked.
    Dismissed,
    /// Nobody of that name was ever recorded: what was recorded with the recovery stands.
    Unknown,
}

/// A creation is sent only while everybody who agreed to it may still create. What creates nothing is not held back.
pub fn still_permitted(stored: &Stored, present: impl Fn(&str) -> Present) -> Result<(), Ending> {
    let recovery = &stored.recovery;
    if recovery.action != Action::Dispatch {
        return Ok(());
    }
    let agreed = std::iter::once(&recovery.requested_by).chain(&recovery.approved_by);
    for name in agreed {
        let why = match present(name) {
            Present::May(role) if role.includes(Permission::Dispatch.least()) => continue,
            Present::Unknown => continue,
            Present::May(role) => format!(
                "has the role {role} now, and a creation needs {}",
                Permission::Dispatch.least()
            ),
            Present::Dismissed => "may not come in any more".to_owned(),
        };
        return Err(Ending::new(
            RecoveryState::Refused,
            format!("{name}, who agreed to it, {why}: nothing was sent. Somebody else can review it."),
        ));
    }
    Ok(())
}
