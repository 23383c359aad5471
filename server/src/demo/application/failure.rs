//! Why a message was not carried out.

use super::office::OfficeError;
use crate::database::DbError;
use app::domain::operation::ErrorCategory;

/// What the queue is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub category: ErrorCategory,
    /// As a consumer writes it: with URLs and keys. Readers see it redacted.
    pub text: String,
    /// Another attempt would fail the same way.
    pub permanent: bool,
}

impl Failure {
    pub fn retry(category: ErrorCategory, text: impl Into<String>) -> Self {
        Self {
            category,
            text: text.into(),
            permanent: false,
        }
    }

    pub fn permanent(category: ErrorCategory, text: impl Into<String>) -> Self {
        Self {
            category,
            text: text.into(),
            permanent: true,
        }
    }
}

impl From<OfficeError> for Failure {
    fn from(error: OfficeError) -> Self {
        Self::retry(
            ErrorCategory::Connection,
            format!("OfficeError: connection to the office: {error}"),
        )
    }
}

impl From<DbError> for Failure {
    fn from(error: DbError) -> Self {
        Self::retry(ErrorCategory::Database, format!("DatabaseError: {error}"))
    }
}
