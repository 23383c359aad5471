//! What lists may be narrowed by. Every filter is in the URL; closed lists are typed, open ones are text.

use crate::domain::dead_letter::Disposition;
use crate::domain::label::Label;
use crate::domain::operation::{ErrorCategory, Phase};
use crate::domain::plan::Action;
use crate::domain::recovery::RecoveryState;
use chrono::{DateTime, Utc};

/// Dead letters: newest first by `moved_to_dead_letter_at`, then id. Times are inclusive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct DeadLetterFilter {
    pub queue: Option<String>,
    pub job_name: Option<String>,
    pub reason: Option<String>,
    pub label: Option<Label>,
    pub action: Option<Action>,
    pub phase: Option<Phase>,
    pub category: Option<ErrorCategory>,
    pub operation: Option<String>,
    pub owner: Option<String>,
    pub disposition: Option<Disposition>,
    /// Finds operation ids, message ids, job ids, and words of the safe error.
    pub q: Option<String>,
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
}

/// Operations: newest first by `updated_at`, then id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct OperationFilter {
    pub label: Option<Label>,
    pub action: Option<Action>,
    pub phase: Option<Phase>,
    pub owner: Option<String>,
    pub q: Option<String>,
}

/// Recoveries: active first, then newest first. `active` selects the three active states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RecoveryFilter {
    pub state: Option<RecoveryState>,
    pub operation: Option<String>,
}

/// Audit entries: newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct AuditFilter {
    pub operation: Option<String>,
    pub actor: Option<String>,
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
}

/// Which page of a list. The cursor is opaque and comes from the page before.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageRequest {
    pub cursor: Option<String>,
    /// 1 to 200.
    pub limit: u32,
}

/// Rows on a page when nobody says otherwise.
pub const DEFAULT_LIMIT: u32 = 50;
/// The most rows on a page.
pub const MAX_LIMIT: u32 = 200;

impl Default for PageRequest {
    fn default() -> Self {
        Self {
            cursor: None,
            limit: DEFAULT_LIMIT,
        }
    }
}
