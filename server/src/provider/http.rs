//! One GET over one connection of our own, and bodies that are read only so far.

use super::gate::Gate;
use super::net::{ConnectError, Connector, Line, Policy};
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, HOST, HeaderMap, HeaderValue, LOCATION, USER_AGENT};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::{Position, Url};

/// How we name ourselves.
const AGENT: &str = concat!("dead-letter-office/", env!("CARGO_PKG_VERSION"));
/// The most redirects of one read.
const MAX_REDIRECTS: usize = 5;

/// Why a GET has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GetError {
    Connect(ConnectError),
    Timeout,
    /// The connection ended, or what came was no HTTP.
    Broken,
    /// A redirect to where we do not go, or too many of them.
    Redirect,
}

/// How the reading of a body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    /// Longer than we read.
    TooLong,
    /// The connection was closed in good order before the length that was named.
    Short,
    /// The connection broke.
    Broken,
    Timeout,
}

/// An answer whose body is still to be read. The connection ends with it.
pub(super) struct Answered {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    body: Incoming,
    _line: Line,
}

/// What one client asks with.
#[derive(Debug, Clone)]
pub(super) struct Getter {
    pub(super) connector: Connector,
    pub(super) policy: Policy,
    /// Redirects may lead to any host that the policy allows, or only to the same scheme, host and port.
    pub(super) elsewhere: bool,
}

impl Getter {
    /// GETs a URL and follows redirects, every hop checked. `headers` are sent at each hop.
    pub(super) async fn get(
        &self,
        url: &Url,
        headers: &HeaderMap,
        deadline: Instant,
    ) -> Result<Answered, GetError> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let answered = self.once(&url, headers, deadline).await?;
            if !matches!(answered.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(answered);
            }
            let Some(next) = location(&url, &answered.headers) else {
                return Ok(answered);
            };
            let downgrade = url.scheme() == "https" && next.scheme() != "https";
            let allowed = if self.elsewhere {
                self.policy.allows(&next)
            } else {
                next.origin() == url.origin()
            };
            if downgrade || !allowed {
                return Err(GetError::Redirect);
            }
            url = next;
        }
        Err(GetError::Redirect)
    }

    async fn once(&self, url: &Url, headers: &HeaderMap, deadline: Instant) -> Result<Answered, GetError> {
        let mut line = timeout_at(deadline, self.connector.open(url, &self.policy, Gate::open()))
            .await
            .map_err(|_| GetError::Timeout)?
            .map_err(GetError::Connect)?;
        let request =
            request(Method::GET, url, headers, Bytes::new()).ok_or(GetError::Connect(ConnectError::Url))?;
        let response = timeout_at(deadline, line.sender().send_request(request))
            .await
            .map_err(|_| GetError::Timeout)?
            .map_err(|_| GetError::Broken)?;
        Ok(Answered::new(response, line))
    }
}

fn location(url: &Url, headers: &HeaderMap) -> Option<Url> {
    url.join(headers.get(LOCATION)?.to_str().ok()?).ok()
}

/// A request in origin form, with the headers that every one carries.
pub(super) fn request(
    method: Method,
    url: &Url,
    headers: &HeaderMap,
    body: Bytes,
) -> Option<Request<Full<Bytes>>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = url[Position::BeforePath..Position::AfterQuery].parse().ok()?;
    request.headers_mut().clone_from(headers);
    request
        .headers_mut()
        .insert(HOST, url[Position::BeforeHost..Position::AfterPort].parse().ok()?);
    request
        .headers_mut()
        .insert(USER_AGENT, HeaderValue::from_static(AGENT));
    request
        .headers_mut()
        .insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Some(request)
}

impl Answered {
    pub(super) fn new(response: Response<Incoming>, line: Line) -> Self {
        let (head, body) = response.into_parts();
        Self {
            status: head.status,
            headers: head.headers,
            body,
            _line: line,
        }
    }

    /// The next piece of the body, waited for at most until `deadline`.
    pub(super) async fn piece(&mut self, deadline: Instant) -> Result<Option<Bytes>, End> {
        loop {
            match timeout_at(deadline, self.body.frame()).await {
                Err(_) => return Err(End::Timeout),
                Ok(None) => return Ok(None),
                Ok(Some(Err(error))) => {
                    return Err(if ended_early(&error) {
                        End::Short
                    } else {
                        End::Broken
                    });
                }
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    /// The body, at most `max` bytes of it.
    pub(super) async fn body(&mut self, max: usize, deadline: Instant) -> (Vec<u8>, End) {
        let mut body = Vec::new();
        loop {
            match self.piece(deadline).await {
                Err(end) => return (body, end),
                Ok(None) => return (body, End::Whole),
                Ok(Some(data)) if body.len() + data.len() > max => return (body, End::TooLong),
                Ok(Some(data)) => body.extend_from_slice(&data),
            }
        }
    }

    /// `Retry-After`, as seconds or as a date (measured from `now`), within an hour.
    pub(super) fn retry_after(&self, now: chrono::DateTime<chrono::Utc>) -> Option<Duration> {
        const MOST: u64 = 3600;
        let text = self.headers.get(http::header::RETRY_AFTER)?.to_str().ok()?.trim();
        let seconds = match text.parse::<u64>() {
            Ok(seconds) => seconds,
            Err(_) => {
                let until = chrono::DateTime::parse_from_rfc2822(text).ok()?;
                u64::try_from((until.to_utc() - now).num_seconds()).unwrap_or(0)
            }
        };
        Some(Duration::from_secs(seconds.min(MOST)))
    }
}

/// The other side closed in good order, but before the end: a short body, not a broken line.
fn ended_early(error: &hyper::Error) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(here) = source {
        if let Some(io) = here.downcast_ref::<std::io::Error>() {
            return io.kind() == std::io::ErrorKind::UnexpectedEof;
        }
        source = here.source();
    }
    error.is_incomplete_message()
}
