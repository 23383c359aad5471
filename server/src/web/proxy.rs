//! An authenticating proxy before us: it names the person in a header. Believed only where it is configured, and only
//! from the addresses that are listed; the connection's own address counts, and nothing that a header says of it.

use crate::config::SignIn;
use crate::office::Office;
use crate::office::session::Visitor;
use crate::storage::operators;
use app::desk::{Answer, CameBy};
use app::domain::person::{is_plain_name, written};
use app::domain::role::{Caller, Role};
use axum::http::HeaderMap;
use std::net::IpAddr;

/// The one value of a header; two say two things, and none is believed.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok().map(str::trim)
}

/// Somebody whom a proxy names that is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    name: String,
    /// The role of their groups, where the proxy tells groups; `Some(None)` when no group means a role.
    role: Option<Option<Role>>,
}

/// Whom the proxy names. `None` when it is not believed or names nobody.
pub fn named(sign_in: &SignIn, headers: &HeaderMap, peer: IpAddr) -> Option<Named> {
    if sign_in.trusted_header.is_empty() || !sign_in.trusts(peer) {
        return None;
    }
    let name = only(headers, &sign_in.trusted_header)?;
    if !is_plain_name(name) {
        return None;
    }
    let role = (!sign_in.trusted_role_header.is_empty()).then(|| {
        only(headers, &sign_in.trusted_role_header).and_then(|groups| sign_in.role(groups.split(',')))
    });
    Some(Named {
        name: name.to_owned(),
        role,
    })
}

/// Who comes in so. `None` for somebody who may not: then a session of ours counts, as if there were no proxy.
///
/// # Errors
/// `unavailable`.
pub async fn visitor(office: &Office, named: Named) -> Answer<Option<Visitor>> {
    let known = operators::find(&office.database, &named.name).await?;
    if known.as_ref().is_some_and(|known| known.disabled_at.is_some()) {
        return Ok(None);
    }
    // Somebody whom no row knows, under a name that readers could take for one that a row has.
    if known.is_none()
        && let Some(other) = operators::alike(&office.database, &named.name).await?
    {
        let (name, other) = (written(&named.name), written(&other));
        tracing::warn!(
            name,
            other,
            "the proxy named somebody whose name looks like another's"
        );
        return Ok(None);
    }
    let role = match named.role {
        Some(role) => role,
        None => known.map(|known| known.role),
    };
    Ok(role.map(|role| Visitor {
        caller: Caller {
            name: named.name,
            role,
        },
        came_by: CameBy::Proxy,
    }))
}
