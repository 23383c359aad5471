//! How the application reports to the office: the JSON API over HTTP, with a reporter's token.

use app::domain::ids::OperationId;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A report is sent again so often: the record may have moved on, or the office may be busy.
const TRIES: u32 = 8;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(150);
const TIMEOUT: Duration = Duration::from_secs(10);

/// Why a call was not answered well. The office's own words are safe to repeat.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OfficeError {
    #[error("the office did not answer")]
    Unreachable,
    #[error("the office answered {status} {code}: {detail}")]
    Refused {
        status: u16,
        code: String,
        detail: String,
    },
}

impl OfficeError {
    fn is(&self, wanted: u16) -> bool {
        matches!(self, Self::Refused { status, .. } if *status == wanted)
    }

    /// Worth another try: nobody answered, or the office asked for patience.
    fn passes(&self) -> bool {
        match self {
            Self::Unreachable => true,
            Self::Refused { status, .. } => matches!(status, 429 | 503),
        }
    }
}

/// One caller of the API.
pub struct OfficeClient {
    http: reqwest::Client,
    base: String,
    token: String,
    /// The newest revision of each operation that an answer told.
    revisions: Mutex<HashMap<OperationId, i64>>,
}

impl OfficeClient {
    /// `base` is `http://host:port`.
    ///
    /// # Errors
    /// The HTTP client cannot be built.
    pub fn new(base: &str, token: String) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build()?;
        Ok(Self {
            http,
            base: base.to_owned(),
            token,
            revisions: Mutex::default(),
        })
    }

    /// Reports a new operation.
    ///
    /// # Errors
    /// The office refused it, or did not answer.
    pub async fn put_operation(&self, id: &OperationId, body: &Value) -> Result<(), OfficeError> {
        let headers = [("If-None-Match", "*".to_owned())];
        self.patiently(Method::PUT, &operation_path(id), &headers, Some(body))
            .await?;
        self.keep(id, 1);
        Ok(())
    }

    /// Reports what is new of an operation, whatever else happened to it meanwhile.
    ///
    /// # Errors
    /// As [`Self::put_operation`].
    pub async fn patch_operation(&self, id: &OperationId, body: &Value) -> Result<(), OfficeError> {
        for _ in 0..TRIES {
            let revision = match self.known(id) {
                Some(revision) => revision,
                None => self.revision(id).await?,
            };
            let headers = [("If-Match", format!("\"{revision}\""))];
            match self
                .patiently(Method::PATCH, &operation_path(id), &headers, Some(body))
                .await
            {
                Ok(_) => {
                    self.forget(id);
                    return Ok(());
                }
                Err(error) if error.is(412) => self.forget(id),
                Err(error) => return Err(error),
            }
        }
        Err(OfficeError::Unreachable)
    }

    /// An operation as the office sees it.
    ///
    /// # Errors
    /// As [`Self::put_operation`]; 404 when it holds none of this id.
    pub async fn operation(&self, id: &OperationId) -> Result<Value, OfficeError> {
        self.get(&operation_path(id)).await
    }

    /// Any reading call.
    ///
    /// # Errors
    /// As [`Self::put_operation`].
    pub async fn get(&self, path: &str) -> Result<Value, OfficeError> {
        self.patiently(Method::GET, path, &[], None).await
    }

    /// Reports a fact by `PUT`.
    ///
    /// # Errors
    /// As [`Self::put_operation`].
    pub async fn put(&self, path: &str, body: &Value) -> Result<(), OfficeError> {
        self.patiently(Method::PUT, path, &[], Some(body)).await.map(drop)
    }

    /// A mutation with an idempotency key of its own.
    ///
    /// # Errors
    /// As [`Self::put_operation`].
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, OfficeError> {
        let headers = [("Idempotency-Key", uuid::Uuid::new_v4().to_string())];
        self.patiently(Method::POST, path, &headers, Some(body)).await
    }

    async fn revision(&self, id: &OperationId) -> Result<i64, OfficeError> {
        let operation = self.operation(id).await?;
        Ok(operation
            .get("revision")
            .and_then(Value::as_i64)
            .unwrap_or_default())
    }

    fn known(&self, id: &OperationId) -> Option<i64> {
        self.revisions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .copied()
    }

    fn keep(&self, id: &OperationId, revision: i64) {
        self.revisions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.clone(), revision);
    }

    fn forget(&self, id: &OperationId) {
        self.revisions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(id);
    }

    async fn patiently(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, String)],
        body: Option<&Value>,
    ) -> Result<Value, OfficeError> {
        let mut tries = 1;
        loop {
            match self.once(method.clone(), path, headers, body).await {
                Err(error) if error.passes() && tries < TRIES => {
                    tries += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                answer => return answer,
            }
        }
    }

    async fn once(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, String)],
        body: Option<&Value>,
    ) -> Result<Value, OfficeError> {
        let mut request = self
            .http
            .request(method, format!("{}/api/v1{path}", self.base))
            .bearer_auth(&self.token);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.map_err(|_| OfficeError::Unreachable)?;
        answer(response).await
    }
}

async fn answer(response: Response) -> Result<Value, OfficeError> {
    let status = response.status();
    let text = response.text().await.map_err(|_| OfficeError::Unreachable)?;
    let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    if status.is_success() || status == StatusCode::NOT_MODIFIED {
        return Ok(body);
    }
    let text = |name: &str| {
        body.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Err(OfficeError::Refused {
        status: status.as_u16(),
        code: text("code"),
        detail: text("detail"),
    })
}

/// `/operations/{id}`, percent-encoded.
pub fn operation_path(id: &OperationId) -> String {
    format!(
        "/operations/{}",
        utf8_percent_encode(id.as_str(), NON_ALPHANUMERIC)
    )
}

/// What the office is told of an error.
pub fn error_of(category: app::domain::operation::ErrorCategory, detail: &str) -> Value {
    json!({ "category": category, "detail": detail })
}
