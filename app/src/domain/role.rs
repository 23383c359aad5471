//! Who may do what (DESIGN 7, "Roles"). The server decides on every request; the UI only explains.

crate::slugs! {
    /// `viewer` ⊂ `operator` ⊂ `approver` ⊂ `admin`; `reporter` is for machines and is included in `admin` only.
    pub enum Role ("role") {
        Viewer => "viewer",
        Operator => "operator",
        Approver => "approver",
        Admin => "admin",
        Reporter => "reporter",
    }
}

impl Role {
    /// Whether a caller with this role may do what asks for `least`.
    pub const fn includes(self, least: Role) -> bool {
        match (self, least) {
            (Role::Admin, _) | (_, Role::Viewer) => true,
            (Role::Approver, Role::Operator | Role::Approver)
            | (Role::Operator, Role::Operator)
            | (Role::Reporter, Role::Reporter) => true,
            (
                Role::Viewer | Role::Operator | Role::Approver | Role::Reporter,
                Role::Operator | Role::Approver | Role::Admin | Role::Reporter,
            ) => false,
        }
    }
}

/// Who acts: a person or a token, already identified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: String,
    pub role: Role,
}

impl Caller {
    /// The name of the system user, which the command line and the worker act as by default.
    pub const SYSTEM: &'static str = "system";

    /// Who acts in the audit when somebody did not come in.
    pub const NOBODY: &'static str = "signed out";

    /// Whether this caller may do what asks for `least`.
    pub const fn may(&self, least: Role) -> bool {
        self.role.includes(least)
    }
}
