//! Claims: who is looking at an operation. They keep nobody from acting; they say who to ask.

use super::Answer;
use crate::domain::ids::OperationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A claim ends by itself after so many minutes.
pub const CLAIM_MINUTES: i64 = 30;

/// Who is looking at an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ClaimView {
    pub by: String,
    pub since: DateTime<Utc>,
    /// When it ends by itself.
    pub until: DateTime<Utc>,
}

/// What may be ordered about claims (operator).
#[async_trait]
pub trait Claims: Send + Sync {
    /// Says that the caller is looking at it; in the place of another person, where one was.
    async fn claim(&self, operation: &OperationId, key: &str) -> Answer<ClaimView>;
    /// Ends the claim; `false` when there was none.
    async fn release(&self, operation: &OperationId, key: &str) -> Answer<bool>;
}
