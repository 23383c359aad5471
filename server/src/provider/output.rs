//! The client that fetches outputs. It cannot POST, and it never shows our key to anybody.

use super::http::{Answered, End, GetError, Getter};
use super::net::{ConnectError, Connector, Policy};
use crate::config::ProviderConfig;
use app::domain::operation::ErrorCategory;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// Bytes a second that an output comes at, at least, once [`GRACE`] times the provider's timeout are over.
const SLOWEST: u64 = 64 * 1024;
const GRACE: u32 = 3;

/// Why an output was not fetched: the category, and words without a URL in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct OutputError {
    pub category: ErrorCategory,
    pub detail: &'static str,
}

impl OutputError {
    pub(crate) const fn new(category: ErrorCategory, detail: &'static str) -> Self {
        Self { category, detail }
    }
}

/// Fetches outputs from `base_url`'s own host and the hosts that are listed. Each redirect hop is checked, and
/// the address that is connected to.
#[derive(Debug, Clone)]
pub struct OutputClient {
    getter: Getter,
    idle: Duration,
}

/// The bytes of one output, as they come.
pub struct OutputBody {
    answered: Answered,
    idle: Duration,
    began: Instant,
    length: Option<u64>,
    got: u64,
    max_bytes: u64,
}

impl OutputClient {
    pub(super) fn new(connector: Connector, provider: &ProviderConfig) -> Self {
        let policy = Url::parse(&provider.base_url).map_or_else(
            |_| Policy::nowhere(),
            |base| Policy::listing(&base, &provider.allow_hosts),
        );
        Self {
            getter: Getter {
                connector,
                policy,
                elsewhere: true,
            },
            idle: Duration::from_secs(provider.timeout_seconds),
        }
    }

    /// GETs an output; the body is still to be read. `max_bytes` is the longest that is taken.
    ///
    /// # Errors
    /// See [`OutputError`]; 401, 403 and 410 are `output_expired`.
    pub async fn fetch(&self, url: &Url, max_bytes: u64) -> Result<OutputBody, OutputError> {
        let answered = self
            .getter
            .get(url, &HeaderMap::new(), Instant::now() + self.idle)
            .await
            .map_err(error_of)?;
        let error = match answered.status.as_u16() {
            200 => None,
            401 | 403 | 410 => Some((
                ErrorCategory::OutputExpired,
                "the output's URL is not valid any more",
            )),
            404 => Some((ErrorCategory::NotFound, "the output is not there")),
            408 | 504 => Some((ErrorCategory::Timeout, "the output host was too slow")),
            429 => Some((
                ErrorCategory::RateLimited,
                "the output host asked us to slow down",
            )),
            400..=499 => Some((ErrorCategory::Http4xx, "the output host refused the request")),
            500.. => Some((ErrorCategory::Http5xx, "the output host failed")),
            _ => Some((
                ErrorCategory::BadPayload,
                "the output host gave an answer that is no output",
            )),
        };
        if let Some((category, detail)) = error {
            return Err(OutputError::new(category, detail));
        }
        // We asked for it as it is. A small packed body may be an endless one, and is never unpacked here.
        let is_plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
        if !answered.headers.get_all(CONTENT_ENCODING).iter().all(is_plain) {
            return Err(OutputError::new(
                ErrorCategory::OutputMismatch,
                "the output came packed, and was asked for as it is",
            ));
        }
        let length = answered
            .headers
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.trim().parse::<u64>().ok());
        if length.is_some_and(|length| length > max_bytes) {
            return Err(too_large());
        }
        Ok(OutputBody {
            answered,
            idle: self.idle,
            began: Instant::now(),
            length,
            got: 0,
            max_bytes,
        })
    }
}

impl OutputBody {
    /// What the host says the bytes are.
    pub fn content_type(&self) -> Option<&str> {
        self.answered
            .headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
    }

    /// Until when the next bytes are waited for: not long after the last ones, and no longer than a whole of this
    /// length may take. One byte a second would hold a worker for years.
    fn patience(&self) -> Instant {
        let whole = self.idle * GRACE + Duration::from_secs(self.got / SLOWEST);
        (Instant::now() + self.idle).min(self.began + whole)
    }

    /// The next bytes; `None` at the end, when they are as many as the host said.
    ///
    /// # Errors
    /// The connection broke or fell silent, too many bytes, too few bytes.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, OutputError> {
        let piece = self
            .answered
            .piece(self.patience())
            .await
            .map_err(|end| match end {
                End::Short | End::Whole => too_short(),
                End::TooLong => too_large(),
                End::Timeout => OutputError::new(ErrorCategory::Timeout, "the output stopped coming"),
                End::Broken => OutputError::new(
                    ErrorCategory::Connection,
                    "the connection broke before the output's end",
                ),
            })?;
        match &piece {
            None if self.length.is_some_and(|length| length != self.got) => Err(too_short()),
            None => Ok(None),
            Some(bytes) => {
                self.got = self
                    .got
                    .saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
                if self.got > self.max_bytes {
                    Err(too_large())
                } else {
                    Ok(piece)
                }
            }
        }
    }
}

fn too_large() -> OutputError {
    OutputError::new(
        ErrorCategory::OutputTooLarge,
        "the output is longer than is taken",
    )
}

fn too_short() -> OutputError {
    OutputError::new(
        ErrorCategory::OutputMismatch,
        "the output is shorter than it says",
    )
}

fn error_of(error: GetError) -> OutputError {
    match error {
        GetError::Redirect => OutputError::new(
            ErrorCategory::OutputBlocked,
            "the output leads to a host that is not allowed",
        ),
        GetError::Connect(ConnectError::Blocked) => OutputError::new(
            ErrorCategory::OutputBlocked,
            "the output is at an address that is not allowed",
        ),
        GetError::Connect(ConnectError::Url) => {
            OutputError::new(ErrorCategory::OutputBlocked, "the output's URL cannot be used")
        }
        GetError::Connect(ConnectError::Lookup) => {
            OutputError::new(ErrorCategory::Connection, "the output host's name was not found")
        }
        GetError::Connect(ConnectError::Refused) | GetError::Broken => {
            OutputError::new(ErrorCategory::Connection, "the output host was not reached")
        }
        GetError::Connect(ConnectError::Timeout) | GetError::Timeout => {
            OutputError::new(ErrorCategory::Timeout, "the output host was too slow")
        }
        GetError::Connect(ConnectError::Tls) => OutputError::new(
            ErrorCategory::Tls,
            "the secure connection to the output host failed",
        ),
    }
}
