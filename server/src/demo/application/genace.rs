//! How the application submits to the provider: one POST on a connection of its own, never sent twice by a library.

use super::super::cast::Case;
use app::domain::operation::ErrorCategory;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;

/// How long an answer may take. Short: the demo has a minute.
const TIMEOUT: Duration = Duration::from_millis(1200);

/// The provider's region that the application talks to.
pub struct Genace {
    http: reqwest::Client,
    address: SocketAddr,
    key: String,
}

/// What became of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submission {
    /// Nobody listens there: no byte of the request was sent.
    NotSent { detail: String },
    /// Accepted, with the job's id where the answer has one at the place that the application looks at.
    Accepted { job_id: Option<String> },
    /// A refusal.
    Rejected {
        status: u16,
        code: String,
        charged: Option<Decimal>,
        detail: String,
    },
    /// Anything else: it may have been accepted.
    Unknown { category: ErrorCategory, detail: String },
}

impl Genace {
    /// # Errors
    /// The HTTP client cannot be built.
    pub fn new(address: SocketAddr, key: &str) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder()
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            .http1_only()
            .no_proxy()
            .timeout(TIMEOUT)
            .build()?;
        Ok(Self {
            http,
            address,
            key: key.to_owned(),
        })
    }

    /// Whether anybody listens there. Asked before the application says that it submits.
    ///
    /// # Errors
    /// Nobody does.
    pub async fn reach(&self) -> Result<(), String> {
        let connecting = TcpStream::connect(self.address);
        match tokio::time::timeout(TIMEOUT, connecting).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(format!("ConnectionRefused: connect to {}: {error}", self.address)),
            Err(_) => Err(format!("ConnectTimeout: connect to {} timed out", self.address)),
        }
    }

    /// Sends one creation request.
    pub async fn submit(&self, case: &Case) -> Submission {
        let url = format!("http://{}/v1/generations", self.address);
        let body = json!({
            "model": case.specification.model,
            "prompt": case.prompt,
            "seed": case.seed,
            "duration_seconds": case.specification.seconds,
            "client_reference": case.id,
        });
        let sent = self
            .http
            .post(&url)
            .bearer_auth(&self.key)
            .json(&body)
            .send()
            .await;
        let response = match sent {
            Ok(response) => response,
            Err(error) if error.is_connect() => {
                return Submission::NotSent {
                    detail: format!("ConnectionRefused: POST {url}: connection refused"),
                };
            }
            Err(error) if error.is_timeout() => {
                return Submission::Unknown {
                    category: ErrorCategory::Timeout,
                    detail: format!(
                        "ReadTimeout: POST {url} timed out after {} ms",
                        TIMEOUT.as_millis()
                    ),
                };
            }
            Err(_) => {
                return Submission::Unknown {
                    category: ErrorCategory::Connection,
                    detail: format!(
                        "ConnectionReset: POST {url}: connection reset by peer before the answer"
                    ),
                };
            }
        };
        let status = response.status().as_u16();
        let text = response.text().await.unwrap_or_default();
        self.classify(&url, status, &text)
    }

    fn classify(&self, url: &str, status: u16, text: &str) -> Submission {
        let body: Option<Value> = serde_json::from_str(text).ok().filter(Value::is_object);
        let code = || {
            let code = body
                .as_ref()
                .and_then(|body| body.pointer("/error/code"))
                .and_then(Value::as_str);
            code.unwrap_or("unknown").to_owned()
        };
        match (status, &body) {
            (200..=299, Some(body)) => {
                let job_id = body.pointer("/job/id").and_then(Value::as_str).map(str::to_owned);
                Submission::Accepted { job_id }
            }
            (200..=299, None) => Submission::Unknown {
                category: ErrorCategory::BadPayload,
                detail: format!("JSONDecodeError: POST {url} returned truncated JSON: {text:?}"),
            },
            (400..=499, Some(body)) => Submission::Rejected {
                status,
                charged: body
                    .pointer("/credits/charged")
                    .and_then(Value::as_i64)
                    .map(Decimal::from),
                detail: format!(
                    "GenaceRejected: POST {url} was rejected with {status} {} (Authorization: Bearer {})",
                    code(),
                    self.key
                ),
                code: code(),
            },
            // The application looks at the status alone: a job id in the body of an error escapes it.
            (_, Some(_)) => Submission::Unknown {
                category: ErrorCategory::Http5xx,
                detail: format!(
                    "GenaceUnavailable: POST {url} -> {status} {} (Authorization: Bearer {})",
                    code(),
                    self.key
                ),
            },
            (_, None) => Submission::Unknown {
                category: ErrorCategory::Http5xx,
                detail: format!("GenaceUnavailable: POST {url} -> {status} with HTML instead of JSON"),
            },
        }
    }
}
