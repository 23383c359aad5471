//! Notes: what people write about an operation, in plain text.

use super::Answer;
use crate::domain::ids::OperationId;
use crate::domain::role::Role;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The longest note, in characters.
pub const MAX_NOTE: usize = 2000;

/// A note as readers see it: redacted before it was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct NoteView {
    pub at: DateTime<Utc>,
    pub by: String,
    pub role: Role,
    pub text: String,
}

/// What may be ordered about notes (operator).
#[async_trait]
pub trait Notes: Send + Sync {
    /// Adds a note of 1 to [`MAX_NOTE`] characters. It is no change of the record.
    async fn write_note(&self, operation: &OperationId, text: &str, key: &str) -> Answer<NoteView>;
}
