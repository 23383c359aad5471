//! What a decision may ask a provider before it is recorded.

use app::desk::Candidates;
use app::domain::ids::JobId;
use app::domain::operation::Operation;
use app::domain::transition::Observation;
use async_trait::async_trait;

/// Reads, never creates. Implemented over the reading clients.
#[async_trait]
pub trait Asks: Send + Sync {
    /// One read of a job. An answer that bears another id, or that echoes another operation's client reference, is
    /// `bad_payload`.
    async fn observe(&self, operation: &Operation, job_id: &JobId) -> Observation;

    /// The provider's search by our operation id; `searched: false` where there is none or it did not answer.
    async fn search(&self, operation: &Operation) -> Candidates;
}
