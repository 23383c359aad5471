//! Looking at one hidden field of a dead letter: where the policy allows it, with a reason, and audited.

use super::Answer;
use crate::domain::redact::reveal::Field;
use async_trait::async_trait;

/// A field that was revealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revealed {
    pub field: Field,
    pub text: String,
}

/// What may be asked about hidden fields (approver).
#[async_trait]
pub trait Reveals: Send + Sync {
    /// The hidden fields of a dead letter that the caller may look at; none where the policy or the role does not allow it.
    async fn revealable(&self, id: &str) -> Answer<Vec<Field>>;
    /// Says why, and answers a ticket for one look. The audit has it from then on.
    async fn reveal(&self, id: &str, field: &str, reason: &str) -> Answer<String>;
    /// The one look.
    async fn revealed(&self, id: &str, ticket: &str) -> Answer<Revealed>;
}
