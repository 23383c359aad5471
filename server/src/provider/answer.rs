//! What one read of a job said, in our words.

use app::domain::ids::JobId;
use app::domain::remote::Fetch;
pub use app::domain::transition::observation::Observation;
use chrono::{DateTime, Utc};
use std::fmt;
use std::time::Duration;
use url::Url;

/// Where one output can be fetched now. Never stored, never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct OutputLink {
    pub index: u32,
    pub url: Url,
    pub content_type: Option<String>,
    /// What the provider says the bytes hash to, in lower case, where its profile names such a field.
    pub sha256: Option<String>,
}

impl fmt::Debug for OutputLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL is a key to somebody's picture.
        f.debug_struct("OutputLink")
            .field("index", &self.index)
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

/// One answered (or failed) read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub observation: Observation,
    /// One for each listed output that names a usable URL.
    pub links: Vec<OutputLink>,
    /// The client reference that the provider echoes, where the profile puts one into creations.
    pub client_reference: Option<String>,
    /// How long the provider asks us to wait.
    pub retry_after: Option<Duration>,
}

impl Answer {
    /// A read without a good answer.
    pub(super) fn failed(fetch: Fetch, observed_at: DateTime<Utc>) -> Self {
        Self {
            observation: Observation {
                fetch,
                execution: None,
                reason: None,
                raw_status: None,
                outputs: None,
                outputs_expected: None,
                charge: None,
                observed_at,
            },
            links: Vec::new(),
            client_reference: None,
            retry_after: None,
        }
    }
}

/// A search that has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The provider has no search.
    #[error("the provider has no search")]
    None,
    /// The read failed so.
    #[error("the search was not answered ({0})")]
    Fetch(Fetch),
}

/// What a search found: evidence for a person, never attached by us.
pub type Candidates = Vec<JobId>;
