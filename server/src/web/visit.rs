//! Who visits: the browser's address, and the person whom a proxy or the session speaks for.

use super::{Face, Reference, Served, proxy};
use crate::office::Office;
use crate::office::session::{self, Visitor};
use app::desk::Answer;
use app::domain::role::Caller;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tower_sessions::Session;

/// Who visits.
#[derive(Clone)]
pub struct Visit {
    pub(super) session: Session,
    pub(super) address: IpAddr,
    pub(super) visitor: Option<Visitor>,
}

impl Visit {
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// The browser's address.
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// Who is signed in.
    pub fn caller(&self) -> Option<Caller> {
        self.visitor.as_ref().map(|visitor| visitor.caller.clone())
    }
}

/// The browser's address. Behind a proxy (that is what `public_url` says) the proxy's last word about it counts, but
/// only from a neighbour: anybody else could write anything there.
fn address(request: &Request, behind_proxy: bool) -> IpAddr {
    let peer = peer(request);
    let neighbour = match peer {
        IpAddr::V4(peer) => peer.is_loopback() || peer.is_private(),
        IpAddr::V6(peer) => peer.is_loopback() || peer.is_unique_local(),
    };
    if !(behind_proxy && neighbour) {
        return peer;
    }
    let said = request.headers().get_all("x-forwarded-for").iter().next_back();
    said.and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse().ok())
        .unwrap_or(peer)
}

/// The connection's other end.
fn peer(request: &Request) -> IpAddr {
    request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |ConnectInfo(peer)| peer.ip())
}

/// Whom a proxy names that is believed, else whom the session speaks for.
async fn visitor(
    office: &Office,
    session: &Session,
    named: Option<proxy::Named>,
    used: bool,
) -> Answer<Option<Visitor>> {
    if let Some(named) = named
        && let Some(visitor) = proxy::visitor(office, named).await?
    {
        return Ok(Some(visitor));
    }
    session::visitor(session, office, used).await
}

/// Whether somebody follows a link or sends a form. What a page asks for by itself (events, itself after a change, a
/// picture) browsers name otherwise; a browser that says nothing is believed.
fn is_by_a_person(headers: &HeaderMap) -> bool {
    let wanted = headers.get("sec-fetch-dest").map(HeaderValue::as_bytes);
    wanted.is_none_or(|wanted| wanted == b"document")
}

/// Finds out who visits, and puts it into the request.
pub async fn identify(
    State(served): State<Served>,
    session: Session,
    mut request: Request,
    next: Next,
) -> Response {
    let named = proxy::named(&served.office.config.sign_in, request.headers(), peer(&request));
    let used = is_by_a_person(request.headers());
    let visitor = match visitor(&served.office, &session, named, used).await {
        Ok(visitor) => visitor,
        Err(error) => return Face::Page.refuse(error.into(), &Reference::of(&request)),
    };
    let address = address(&request, !served.office.config.server.public_url.is_empty());
    let role = visitor.as_ref().and_then(Visitor::role_of_session);
    if let Some(visitor) = &visitor {
        request.extensions_mut().insert(visitor.caller.clone());
    }
    request.extensions_mut().insert(Visit {
        session: session.clone(),
        address,
        visitor,
    });
    let response = next.run(request).await;
    if let Some(role) = role
        && !response.status().is_server_error()
    {
        session::renew(&session, role).await;
    }
    response
}

/// Who reads this page, when they are signed in.
pub fn reader(request: &Request) -> Option<Caller> {
    request.extensions().get::<Visit>()?.caller()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn asked(peer: &str, forwarded: &str) -> Request {
        let mut request = Request::builder()
            .header("x-forwarded-for", forwarded)
            .body(Body::empty())
            .expect("a request");
        let peer: SocketAddr = peer.parse().expect("an address");
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    }

    #[test]
    fn only_a_proxy_beside_us_is_believed() {
        let said = "203.0.113.9";
        assert_eq!(
            address(&asked("127.0.0.1:1", &format!("1.1.1.1, {said}")), true).to_string(),
            said
        );
        assert_eq!(
            address(&asked("127.0.0.1:1", said), false).to_string(),
            "127.0.0.1"
        );
        assert_eq!(
            address(&asked("198.51.100.7:1", said), true).to_string(),
            "198.51.100.7"
        );
        assert_eq!(
            address(&asked("10.0.0.2:1", "nonsense"), true).to_string(),
            "10.0.0.2"
        );
    }
}
