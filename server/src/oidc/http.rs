//! Requests to the issuer: no redirects, bounded in time and size, and never over a line that others can read.

use crate::config::is_encrypted_or_local;
use openidconnect::{HttpRequest, HttpResponse};
use reqwest::redirect::Policy;
use std::time::Duration;

/// The longest answer that is read, in bytes: a discovery document or a set of keys is a few thousand.
const MAX_BYTES: usize = 512 * 1024;

/// Why the issuer did not answer. It holds no address and nothing that was sent or received.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("the client could not be made")]
    Client,
    #[error("the address is neither https nor on this machine")]
    Unsafe,
    #[error("the answer is a redirect, which is not followed")]
    Redirect,
    #[error("the answer is longer than {MAX_BYTES} bytes")]
    TooLong,
    #[error("no answer in time")]
    Timeout,
    #[error("no connection, or it broke")]
    Connection,
}

fn broken(error: &reqwest::Error) -> HttpError {
    if error.is_timeout() {
        HttpError::Timeout
    } else {
        HttpError::Connection
    }
}

/// The client of one issuer.
#[derive(Debug, Clone)]
pub struct Http(reqwest::Client);

impl Http {
    /// # Errors
    /// When the system gives no TLS roots.
    pub fn new(timeout: Duration) -> Result<Self, HttpError> {
        reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .timeout(timeout)
            .connect_timeout(timeout.min(Duration::from_secs(5)))
            .build()
            .map(Self)
            .map_err(|_| HttpError::Client)
    }

    /// Sends it, and reads the answer whole.
    ///
    /// # Errors
    /// See [`HttpError`]. An answer of any status but a redirect is one.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let url = url::Url::parse(&request.uri().to_string()).map_err(|_| HttpError::Unsafe)?;
        if !is_encrypted_or_local(&url) {
            return Err(HttpError::Unsafe);
        }
        let (parts, body) = request.into_parts();
        let sent = self
            .0
            .request(parts.method, url)
            .headers(parts.headers)
            .body(body)
            .send()
            .await;
        let mut answer = sent.map_err(|error| broken(&error))?;
        if answer.status().is_redirection() {
            return Err(HttpError::Redirect);
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| broken(&error))? {
            if bytes.len() + chunk.len() > MAX_BYTES {
                return Err(HttpError::TooLong);
            }
            bytes.extend_from_slice(&chunk);
        }
        let mut response = HttpResponse::new(bytes);
        *response.status_mut() = answer.status();
        *response.headers_mut() = std::mem::take(answer.headers_mut());
        Ok(response)
    }
}
