//! The client that creates. It sends once: no retries at any layer, no redirects, no pooled connections, no
//! proxy, and a timeout.

use super::gate::Gate;
use super::http::{Answered, End, request};
use super::net::{ConnectError, Connector, Policy};
use super::reader::{MAX_ANSWER, authorization};
use super::receipt::{classify, not_sent, unknown};
use super::{SEGMENT, join};
use crate::config::ProviderConfig;
use app::domain::attempt::Receipt;
use app::domain::ids::OperationId;
use app::domain::operation::ErrorCategory;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request};
use http_body_util::Full;
use percent_encoding::utf8_percent_encode;
use secrecy::SecretString;
use serde_json::{Map, Value};
use std::future::{Future, ready};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Sends creation requests to one provider.
#[derive(Debug, Clone)]
pub struct CreateClient {
    connector: Connector,
    policy: Policy,
    base: Option<Url>,
    key: Option<SecretString>,
    provider: ProviderConfig,
}

impl CreateClient {
    pub(super) fn new(connector: Connector, provider: &ProviderConfig, key: Option<SecretString>) -> Self {
        let base = Url::parse(&provider.base_url).ok();
        let policy = base.as_ref().map_or_else(Policy::nowhere, Policy::only);
        Self {
            connector,
            policy,
            base,
            key,
            provider: provider.clone(),
        }
    }

    /// Sends one creation: the stored specification body, with our operation id where the profile puts the
    /// client reference. Connects first; `may_send` is asked on the way of the first byte of the request, and
    /// when it says no, nothing is sent. It must answer at once (compare a monotonic clock).
    ///
    /// The receipt is `not_sent` only when it is proven that no byte of the request left and none will.
    pub async fn create(
        &self,
        operation_id: &OperationId,
        body: &Value,
        may_send: impl FnOnce() -> bool + Send + 'static,
    ) -> Receipt {
        self.create_while(
            operation_id,
            body,
            ready(true),
            may_send,
            &CancellationToken::new(),
        )
        .await
    }

    /// As [`CreateClient::create`]; once the connection stands, `still_holds` is awaited as well, and when it says no,
    /// nothing is sent. It may take its time (ask the database): `may_send` is asked after it. When `cut` is cancelled
    /// the answer is waited for no longer, and the receipt says what is proven at that moment.
    pub async fn create_while(
        &self,
        operation_id: &OperationId,
        body: &Value,
        still_holds: impl Future<Output = bool> + Send,
        may_send: impl FnOnce() -> bool + Send + 'static,
        cut: &CancellationToken,
    ) -> Receipt {
        let deadline = Instant::now() + Duration::from_secs(self.provider.timeout_seconds);
        let (url, request) = match self.request(operation_id, body) {
            Ok(prepared) => prepared,
            Err(why) => return not_sent(ErrorCategory::Configuration, why),
        };
        let gate = Gate::new(may_send);
        let open = timeout_at(deadline, self.connector.open(&url, &self.policy, gate.clone()));
        let mut line = match cut.run_until_cancelled(open).await {
            Some(Ok(Ok(line))) => line,
            Some(Ok(Err(error))) => return not_sent(category_of(error), error.to_string()),
            Some(Err(_)) => return not_sent(ErrorCategory::Timeout, "the connection timed out"),
            None => {
                return not_sent(
                    ErrorCategory::Other,
                    "our program was ended before the first byte",
                );
            }
        };
        match cut.run_until_cancelled(timeout_at(deadline, still_holds)).await {
            Some(Ok(true)) => {}
            Some(Ok(false)) => {
                return not_sent(ErrorCategory::Other, "the permit was lost before the first byte");
            }
            Some(Err(_)) => return not_sent(ErrorCategory::Timeout, "the permit was not confirmed in time"),
            None => {
                return not_sent(
                    ErrorCategory::Other,
                    "our program was ended before the first byte",
                );
            }
        }
        let sent = timeout_at(deadline, line.sender().send_request(request));
        let sent = match cut.run_until_cancelled(sent).await {
            Some(sent) => sent,
            None if gate.seal() => {
                return not_sent(
                    ErrorCategory::Other,
                    "our program was ended before the first byte",
                );
            }
            None => {
                return unknown(
                    None,
                    ErrorCategory::Other,
                    "our program was ended before an answer came",
                );
            }
        };
        let response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(_)) | Err(_) if gate.seal() => {
                return not_sent(
                    ErrorCategory::Connection,
                    "the lease or the connection ended before the first byte",
                );
            }
            Ok(Err(_)) => {
                return unknown(
                    None,
                    ErrorCategory::Connection,
                    "the connection broke before an answer",
                );
            }
            Err(_) => return unknown(None, ErrorCategory::Timeout, "no answer in time"),
        };
        let mut answered = Answered::new(response, line);
        let read = answered.body(MAX_ANSWER, deadline);
        // A head without its body may still name the job.
        let (body, end) = cut
            .run_until_cancelled(read)
            .await
            .unwrap_or((Vec::new(), End::Broken));
        classify(
            answered.status.as_u16(),
            &answered.headers,
            &body,
            end == End::Whole,
            &self.provider,
        )
    }

    fn request(
        &self,
        operation_id: &OperationId,
        body: &Value,
    ) -> Result<(Url, Request<Full<Bytes>>), &'static str> {
        let create = &self.provider.create;
        let base = self.base.as_ref().ok_or("the provider has no base URL")?;
        if create.path.is_empty() {
            return Err("the provider has no creation path");
        }
        let url = join(base, &create.path).ok_or("the creation path cannot be used")?;
        let method =
            Method::from_bytes(create.method.as_bytes()).map_err(|_| "the creation method cannot be used")?;
        let Value::Object(fields) = body else {
            return Err("the specification has no body that can be sent");
        };
        let mut fields = fields.clone();
        if !create.client_reference.is_empty() {
            let steps: Vec<String> = create
                .client_reference
                .split('/')
                .skip(1)
                .map(|step| step.replace("~1", "/").replace("~0", "~"))
                .collect();
            put(&mut fields, &steps, operation_id.as_str())
                .ok_or("the client reference has no place in the body")?;
        }
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(value) = authorization(self.key.as_ref()) {
            headers.insert(AUTHORIZATION, value);
        }
        if !create.idempotency_header.is_empty() {
            // One key per operation, so that a provider that keeps its promise makes one job of two requests.
            let key = utf8_percent_encode(operation_id.as_str(), SEGMENT).to_string();
            let name = HeaderName::try_from(create.idempotency_header.as_str())
                .map_err(|_| "the idempotency header cannot be used")?;
            headers.insert(
                name,
                HeaderValue::try_from(key).map_err(|_| "the idempotency key cannot be used")?,
            );
        }
        let bytes = serde_json::to_vec(&fields).map_err(|_| "the specification body cannot be written")?;
        let request =
            request(method, &url, &headers, Bytes::from(bytes)).ok_or("the creation path cannot be used")?;
        Ok((url, request))
    }
}

/// Puts text at a path of object keys, making the objects on the way. `None` when something else is in the way.
fn put(fields: &mut Map<String, Value>, steps: &[String], text: &str) -> Option<()> {
    let (first, rest) = steps.split_first()?;
    if rest.is_empty() {
        fields.insert(first.clone(), Value::String(text.to_owned()));
        return Some(());
    }
    let next = fields
        .entry(first.clone())
        .or_insert_with(|| Value::Object(Map::new()));
    put(next.as_object_mut()?, rest, text)
}

fn category_of(error: ConnectError) -> ErrorCategory {
    match error {
        ConnectError::Blocked | ConnectError::Url => ErrorCategory::Configuration,
        ConnectError::Lookup | ConnectError::Refused => ErrorCategory::Connection,
        ConnectError::Timeout => ErrorCategory::Timeout,
        ConnectError::Tls => ErrorCategory::Tls,
    }
}
