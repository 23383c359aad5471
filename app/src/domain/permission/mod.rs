//! What one may be allowed to do, and the least role that may: the one table of DESIGN 7, "Roles". The office asks it
//! on every call, the router on every route, and `/permissions` shows it.

mod routes;

pub use routes::{Access, ROUTES, Route, route};

use super::role::{Caller, Role};

crate::slugs! {
    /// Something that not everybody may do.
    pub enum Permission ("permission") {
        Read => "read",
        OwnAccount => "own_account",
        Prefer => "prefer",
        ShareView => "share_view",
        Note => "note",
        Claim => "claim",
        SearchProvider => "search_provider",
        Recover => "recover",
        Cancel => "cancel",
        Decide => "decide",
        Acknowledge => "acknowledge",
        Link => "link",
        Replay => "replay",
        VerifyAudit => "verify_audit",
        Dispatch => "dispatch",
        Approve => "approve",
        DecideCreation => "decide_creation",
        Purge => "purge",
        Reveal => "reveal",
        Manage => "manage",
        Report => "report",
    }
}

impl Permission {
    /// The least role that has it.
    pub const fn least(self) -> Role {
        match self {
            Self::Read | Self::OwnAccount | Self::Prefer => Role::Viewer,
            Self::SearchProvider
            | Self::Note
            | Self::Claim
            | Self::Recover
            | Self::Cancel
            | Self::Decide
            | Self::Acknowledge
            | Self::Link
            | Self::Replay
            | Self::VerifyAudit => Role::Operator,
            Self::Dispatch
            | Self::Approve
            | Self::DecideCreation
            | Self::Purge
            | Self::Reveal
            | Self::ShareView => Role::Approver,
            Self::Manage => Role::Admin,
            Self::Report => Role::Reporter,
        }
    }

    /// What it allows, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Read => "Read every list, operation, message, plan and audit entry, redacted",
            Self::OwnAccount => "Keep your own sign-in: change the password, sign out here or everywhere",
            Self::Prefer => "Keep your own preferences and views",
            Self::ShareView => "Share a view with everybody",
            Self::Note => "Write a note on an operation",
            Self::Claim => "Claim an operation, and release it",
            Self::SearchProvider => "Ask the provider's search for candidates",
            Self::Recover => "Carry out a plan that reads, copies or looks at accounting",
            Self::Cancel => "Cancel a recovery for which nothing was done yet",
            Self::Decide => "Record a decision",
            Self::Acknowledge => "Acknowledge a message",
            Self::Link => "Link a message to an operation",
            Self::Replay => "Replay a message without a record as it is",
            Self::VerifyAudit => "Check the audit's chain",
            Self::Dispatch => "Order a new generation",
            Self::Approve => "Approve a new generation that somebody else ordered",
            Self::DecideCreation => {
                "Decide that nothing was sent, that nobody else sends, or that a new operation is prepared"
            }
            Self::Purge => "Purge a message, finally",
            Self::Reveal => "Look at one hidden field of a message, once",
            Self::Manage => "Manage people and tokens, pause creation at a provider",
            Self::Report => "Report operations, owners, specifications, and how handed-back actions ended",
        }
    }

    /// What it costs or changes outside, in words; empty when nothing.
    pub const fn consequence(self) -> &'static str {
        match self {
            Self::Read | Self::OwnAccount | Self::Prefer | Self::ShareView | Self::VerifyAudit => "",
            Self::SearchProvider => "Asks the provider; creates nothing.",
            Self::Recover => "Reads or copies what exists; creates nothing.",
            Self::Cancel | Self::Decide | Self::Acknowledge | Self::Link | Self::Note | Self::Claim => {
                "Writes the record only."
            }
            Self::Replay => "The application's workers run the message again.",
            Self::Dispatch | Self::Approve => "Costs money.",
            Self::DecideCreation => "Opens the way to a new generation.",
            Self::Purge => "Cannot be taken back.",
            Self::Reveal => "Shows what a customer wrote; keys stay hidden. Only where the policy allows it.",
            Self::Manage => "People and tokens on the command line only.",
            Self::Report => "For programs: nobody raises their own budget.",
        }
    }
}

impl Caller {
    /// Whether this caller has a permission.
    pub const fn has(&self, permission: Permission) -> bool {
        self.may(permission.least())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permission_is_shown_and_somebody_has_it() {
        for permission in Permission::ALL {
            assert!(!permission.words().is_empty(), "{permission}");
            assert!(Role::Admin.includes(permission.least()), "{permission}");
            assert!(
                ROUTES
                    .iter()
                    .any(|route| route.access.permissions().contains(permission)),
                "{permission} is of no use"
            );
        }
    }

    #[test]
    fn money_needs_an_approver_and_budgets_a_reporter() {
        for (role, money, budget) in [
            (Role::Viewer, false, false),
            (Role::Operator, false, false),
            (Role::Approver, true, false),
            (Role::Reporter, false, true),
            (Role::Admin, true, true),
        ] {
            let caller = Caller {
                name: "x".to_owned(),
                role,
            };
            for permission in [
                Permission::Dispatch,
                Permission::Approve,
                Permission::DecideCreation,
                Permission::Purge,
            ] {
                assert_eq!(caller.has(permission), money, "{role} {permission}");
            }
            assert_eq!(caller.has(Permission::Report), budget, "{role}");
            assert_eq!(caller.has(Permission::Manage), role == Role::Admin, "{role}");
            assert!(caller.has(Permission::Read), "{role}");
        }
    }
}
