//! What a decision may ask a provider before it is recorded.

use crate::provider::{Reader, Readers, SearchError};
use app::desk::Candidates;
use app::domain::ids::JobId;
use app::domain::operation::Operation;
use app::domain::remote::Fetch;
use app::domain::transition::Observation;
use async_trait::async_trait;
use chrono::Utc;

/// Reads, never creates. Implemented over the reading clients.
#[async_trait]
pub trait Asks: Send + Sync {
    /// One read of a job. An answer that bears another id, or that echoes another operation's client reference, is
    /// `bad_payload`.
    async fn observe(&self, operation: &Operation, job_id: &JobId) -> Observation;

    /// The provider's search by our operation id; `searched: false` where there is none or it did not answer.
    async fn search(&self, operation: &Operation) -> Candidates;
}

#[async_trait]
impl Asks for Readers {
    async fn observe(&self, operation: &Operation, job_id: &JobId) -> Observation {
        let Some(reader) = pinned(self, operation) else {
            return unanswered(Fetch::Blocked);
        };
        let answer = reader.jobs.observe(job_id).await;
        let echoed = answer.client_reference.as_deref();
        if answer.observation.fetch == Fetch::Ok
            && echoed.is_some_and(|echoed| echoed != operation.id.as_str())
        {
            return Observation {
                observed_at: answer.observation.observed_at,
                ..unanswered(Fetch::BadPayload)
            };
        }
        answer.observation
    }

    async fn search(&self, operation: &Operation) -> Candidates {
        let none = |detail: &str| Candidates {
            searched: false,
            job_ids: Vec::new(),
            detail: detail.to_owned(),
        };
        let Some(reader) = pinned(self, operation) else {
            return none("The provider that the operation was made with is not configured.");
        };
        match reader.jobs.search(&operation.id).await {
            Ok(found) => Candidates {
                searched: true,
                detail: format!(
                    "The provider's search names {} jobs for this operation.",
                    found.len()
                ),
                job_ids: found,
            },
            Err(SearchError::None) => none("The provider has no search."),
            Err(SearchError::Fetch(fetch)) => {
                none(&format!("The provider's search was not answered: {fetch}."))
            }
        }
    }
}

/// The reader of the operation's provider, pinned: a changed configuration never redirects an old id.
fn pinned<'a>(readers: &'a Readers, operation: &Operation) -> Option<&'a Reader> {
    readers
        .get(&operation.provider)
        .filter(|reader| Some(&reader.fingerprint) == operation.fingerprint.as_ref())
}

/// A read that says nothing.
fn unanswered(fetch: Fetch) -> Observation {
    Observation {
        fetch,
        execution: None,
        reason: None,
        raw_status: None,
        outputs: None,
        outputs_expected: None,
        charge: None,
        observed_at: Utc::now(),
    }
}
