//! Every route with its rule. A route that is not here is refused by the server.

use super::Permission;
use super::Permission::{
    Acknowledge, Approve, Cancel, Claim, Decide, DecideCreation, Dispatch, Link, Manage, Note, OwnAccount,
    Prefer, Purge, Read, Recover, Replay, Report, Reveal, SearchProvider, ShareView, VerifyAudit,
};

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody, signed out too.
    Anyone,
    /// Whoever has this permission.
    With(Permission),
    /// Whoever has the first permission; some contents need another one of these.
    ByContent(&'static [Permission]),
}

impl Access {
    /// The permissions that play a part.
    pub const fn permissions(&self) -> &[Permission] {
        match self {
            Self::Anyone => &[],
            Self::With(one) => std::slice::from_ref(one),
            Self::ByContent(all) => all,
        }
    }

    /// What is needed at least; `None` for what is open to anybody.
    pub fn least(&self) -> Option<Permission> {
        self.permissions().first().copied()
    }
}

/// One method of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    pub method: &'static str,
    /// With `{id}` for what stands there.
    pub path: &'static str,
    pub access: Access,
    /// A page that is rendered.
    pub is_page: bool,
}

const fn rule(method: &'static str, path: &'static str, access: Access) -> Route {
    Route {
        method,
        path,
        access,
        is_page: false,
    }
}

const fn anyone(method: &'static str, path: &'static str) -> Route {
    rule(method, path, Access::Anyone)
}

const fn open_page(path: &'static str) -> Route {
    Route {
        is_page: true,
        ..anyone("GET", path)
    }
}

const fn page(path: &'static str) -> Route {
    Route {
        is_page: true,
        ..with("GET", path, Read)
    }
}

const fn page_with(path: &'static str, permission: Permission) -> Route {
    Route {
        is_page: true,
        ..with("GET", path, permission)
    }
}

const fn with(method: &'static str, path: &'static str, permission: Permission) -> Route {
    rule(method, path, Access::With(permission))
}

const fn by_content(method: &'static str, path: &'static str, all: &'static [Permission]) -> Route {
    rule(method, path, Access::ByContent(all))
}

/// Every route of the program: pages, forms, API, files, health.
pub const ROUTES: &[Route] = &[
    // Open.
    anyone("GET", "/"),
    open_page("/login"),
    open_page("/setup"),
    anyone("GET", "/login/oidc"),
    anyone("GET", "/login/oidc/callback"),
    anyone("POST", "/forms/sign-in"),
    anyone("POST", "/forms/set-up"),
    anyone("GET", "/assets/{file}"),
    anyone("GET", "/healthz"),
    anyone("GET", "/readyz"),
    anyone("GET", "/metrics"),
    anyone("GET", "/api/v1/openapi.json"),
    // Pages.
    page("/dead-letters"),
    page("/dead-letters/{id}"),
    page("/dead-letters/{id}/purge"),
    page_with("/dead-letters/{id}/revealed", Reveal),
    page("/operations"),
    page("/operations/{id}"),
    page("/operations/{id}/review"),
    page("/recoveries"),
    page("/recoveries/{id}"),
    page("/queues"),
    page("/audit"),
    page("/recoveries/{id}/approve"),
    page("/providers"),
    page("/preferences"),
    page("/permissions"),
    with("GET", "/operations/{id}/outputs/{index}", Read),
    with("GET", "/events", Read),
    // Forms.
    with("POST", "/forms/sign-out", OwnAccount),
    with("POST", "/forms/sign-out-everywhere", OwnAccount),
    with("POST", "/forms/password", OwnAccount),
    by_content("POST", "/forms/recoveries/confirm", &[Recover, Dispatch]),
    with("POST", "/forms/recoveries/cancel", Cancel),
    with("POST", "/forms/recoveries/approve", Approve),
    by_content("POST", "/forms/decisions/record", &[Decide, DecideCreation]),
    with("POST", "/forms/dead-letters/acknowledge", Acknowledge),
    with("POST", "/forms/dead-letters/link", Link),
    with("POST", "/forms/dead-letters/replay", Replay),
    with("POST", "/forms/dead-letters/purge", Purge),
    with("POST", "/forms/dead-letters/reveal", Reveal),
    with("POST", "/forms/audit/verify", VerifyAudit),
    with("POST", "/forms/operations/note", Note),
    with("POST", "/forms/operations/claim", Claim),
    with("POST", "/forms/operations/release", Claim),
    with("POST", "/forms/preferences/save", Prefer),
    by_content("POST", "/forms/views/save", &[Prefer, ShareView]),
    with("POST", "/forms/views/delete", Prefer),
    with("POST", "/forms/providers/pause", Manage),
    with("POST", "/forms/providers/resume", Manage),
    // API.
    with("GET", "/api/v1/operations", Read),
    with("GET", "/api/v1/operations/{id}", Read),
    with("PUT", "/api/v1/operations/{id}", Report),
    with("PATCH", "/api/v1/operations/{id}", Report),
    with("GET", "/api/v1/operations/{id}/plan", Read),
    with("GET", "/api/v1/operations/{id}/candidates", SearchProvider),
    by_content("POST", "/api/v1/operations/{id}/recoveries", &[Recover, Dispatch]),
    by_content(
        "POST",
        "/api/v1/operations/{id}/decisions",
        &[Decide, DecideCreation],
    ),
    with("POST", "/api/v1/operations/{id}/notes", Note),
    with("POST", "/api/v1/operations/{id}/claim", Claim),
    with("POST", "/api/v1/operations/{id}/release", Claim),
    with("GET", "/api/v1/recoveries", Read),
    with("GET", "/api/v1/recoveries/{id}", Read),
    with("POST", "/api/v1/recoveries/{id}/cancel", Cancel),
    with("POST", "/api/v1/recoveries/{id}/approve", Approve),
    with("POST", "/api/v1/recoveries/{id}/report", Report),
    with("GET", "/api/v1/dead-letters", Read),
    with("GET", "/api/v1/dead-letters/{id}", Read),
    with("POST", "/api/v1/dead-letters/{id}/replay", Replay),
    with("POST", "/api/v1/dead-letters/{id}/purge", Purge),
    with("POST", "/api/v1/dead-letters/{id}/link", Link),
    with("POST", "/api/v1/dead-letters/{id}/acknowledge", Acknowledge),
    with("GET", "/api/v1/queues", Read),
    with("GET", "/api/v1/audit", Read),
    with("PUT", "/api/v1/owners/{id}", Report),
    with("PUT", "/api/v1/specifications/{id}", Report),
];

/// The rule of a route; `HEAD` is a `GET` whose body is not sent.
pub fn route(method: &str, path: &str) -> Option<&'static Route> {
    let method = if method == "HEAD" { "GET" } else { method };
    ROUTES
        .iter()
        .find(|route| route.method == method && route.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_route_has_two_rules_and_every_mutation_has_one() {
        for (at, one) in ROUTES.iter().enumerate() {
            let again = ROUTES[at + 1..]
                .iter()
                .any(|other| (other.method, other.path) == (one.method, one.path));
            assert!(!again, "{} {}", one.method, one.path);
            let open = ["/forms/sign-in", "/forms/set-up"].contains(&one.path);
            assert!(
                one.method == "GET" || open || one.access.least().is_some(),
                "{} {} changes something and is open",
                one.method,
                one.path
            );
        }
        assert_eq!(route("HEAD", "/queues"), route("GET", "/queues"));
        assert_eq!(route("DELETE", "/queues"), None);
    }
}
