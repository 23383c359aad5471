//! The client that reads. It cannot POST: GET is the only method that it knows.

use super::answer::{Answer, Candidates, SearchError};
use super::http::{End, GetError, Getter};
use super::json::{Doc, text_of};
use super::net::{ConnectError, Connector, Policy};
use super::{SEGMENT, observe};
use crate::config::ProviderConfig;
use app::domain::ids::{JobId, OperationId};
use app::domain::remote::Fetch;
use chrono::Utc;
use http::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use percent_encoding::utf8_percent_encode;
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// The longest answer that is read, in bytes.
pub(super) const MAX_ANSWER: usize = 1024 * 1024;
/// The most candidates of one search.
const MAX_CANDIDATES: usize = 100;

/// Reads jobs of one provider. Whoever holds this and no [`CreateClient`](super::creator::CreateClient) can
/// submit nothing:
///
/// ```compile_fail,E0599
/// async fn submit(client: &server::provider::reader::ReadClient) {
///     client.post("/v1/generations").await;
/// }
/// ```
///
/// ```compile_fail,E0624
/// async fn submit(client: &server::provider::reader::ReadClient, url: &url::Url) {
///     client.get(url).await;
/// }
/// ```
#[derive(Debug, Clone)]
pub struct ReadClient {
    getter: Getter,
    base: Option<Url>,
    key: Option<SecretString>,
    provider: ProviderConfig,
}

impl ReadClient {
    pub(super) fn new(connector: Connector, provider: &ProviderConfig, key: Option<SecretString>) -> Self {
        let base = Url::parse(&provider.base_url).ok();
        let policy = base.as_ref().map_or_else(Policy::nowhere, Policy::only);
        Self {
            getter: Getter {
                connector,
                policy,
                elsewhere: false,
            },
            base,
            key,
            provider: provider.clone(),
        }
    }

    /// One GET of one job. It never fails: what went wrong is the answer's `fetch`.
    pub async fn observe(&self, job_id: &JobId) -> Answer {
        let Some(url) = self.job_url(job_id) else {
            return Answer::failed(Fetch::Blocked, Utc::now());
        };
        let (fetch, body, retry_after) = self.get(&url).await;
        let mut answer = match fetch {
            Fetch::Ok => observe::read(&body, job_id, &url, &self.provider, Utc::now()),
            Fetch::NotFound
            | Fetch::Forbidden
            | Fetch::Unauthorized
            | Fetch::RateLimited
            | Fetch::ServerError
            | Fetch::BadPayload
            | Fetch::Network
            | Fetch::Blocked => Answer::failed(fetch, Utc::now()),
        };
        answer.retry_after = retry_after;
        answer
    }

    /// Asks the provider's own search for jobs with our client reference. Evidence for a person.
    ///
    /// # Errors
    /// The provider has no search, or the search was not answered.
    pub async fn search(&self, operation_id: &OperationId) -> Result<Candidates, SearchError> {
        let search = self.provider.search().ok_or(SearchError::None)?;
        let reference = utf8_percent_encode(operation_id.as_str(), SEGMENT).to_string();
        let url = self
            .url(&search.path.replace("{operation_id}", &reference))
            .ok_or(SearchError::Fetch(Fetch::Blocked))?;
        let (fetch, body, _) = self.get(&url).await;
        if fetch != Fetch::Ok {
            return Err(SearchError::Fetch(fetch));
        }
        let text = text_of(&body);
        let items = Doc::parse(&text)
            .and_then(|doc| doc.at(&search.items))
            .and_then(Doc::items)
            .ok_or(SearchError::Fetch(Fetch::BadPayload))?;
        let mut found = Candidates::new();
        for item in items {
            let id = item
                .at(&search.item_id)
                .and_then(Doc::id)
                .and_then(|id| JobId::parse(&id));
            if let Some(id) = id
                && !found.contains(&id)
                && found.len() < MAX_CANDIDATES
            {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// `None` where nothing is configured, and for the two ids that would be steps in a path.
    fn job_url(&self, job_id: &JobId) -> Option<Url> {
        if self.provider.observe.path.is_empty() || matches!(job_id.as_str(), "" | "." | "..") {
            return None;
        }
        let id = utf8_percent_encode(job_id.as_str(), SEGMENT).to_string();
        self.url(&self.provider.observe.path.replace("{job_id}", &id))
    }

    fn url(&self, path: &str) -> Option<Url> {
        super::join(self.base.as_ref()?, path)
    }

    async fn get(&self, url: &Url) -> (Fetch, Vec<u8>, Option<Duration>) {
        let deadline = Instant::now() + Duration::from_secs(self.provider.timeout_seconds);
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(value) = authorization(self.key.as_ref()) {
            headers.insert(AUTHORIZATION, value);
        }
        let mut answered = match self.getter.get(url, &headers, deadline).await {
            Ok(answered) => answered,
            Err(error) => return (fetch_of(error), Vec::new(), None),
        };
        let fetch = match answered.status.as_u16() {
            200..=299 => Fetch::Ok,
            401 => Fetch::Unauthorized,
            403 => Fetch::Forbidden,
            404 | 410 => Fetch::NotFound,
            429 => Fetch::RateLimited,
            500.. => Fetch::ServerError,
            _ => Fetch::BadPayload,
        };
        let retry_after = answered.retry_after(Utc::now());
        if fetch != Fetch::Ok {
            return (fetch, Vec::new(), retry_after);
        }
        match answered.body(MAX_ANSWER, deadline).await {
            (body, End::Whole) => (fetch, body, retry_after),
            (_, End::TooLong) => (Fetch::BadPayload, Vec::new(), retry_after),
            (_, End::Short | End::Broken | End::Timeout) => (Fetch::Network, Vec::new(), retry_after),
        }
    }
}

/// The `Authorization` header of a key, marked so that no log shows it.
pub(super) fn authorization(key: Option<&SecretString>) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key?.expose_secret())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn fetch_of(error: GetError) -> Fetch {
    match error {
        GetError::Redirect | GetError::Connect(ConnectError::Blocked | ConnectError::Url) => Fetch::Blocked,
        GetError::Timeout
        | GetError::Broken
        | GetError::Connect(
            ConnectError::Lookup | ConnectError::Refused | ConnectError::Timeout | ConnectError::Tls,
        ) => Fetch::Network,
    }
}
