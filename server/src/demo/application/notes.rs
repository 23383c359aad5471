//! What the application remembers between attempts of its messages, which cannot change their args.

use app::domain::ids::JobId;
use app::domain::operation::ErrorCategory;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// It was said that the request is being sent.
    pub submitting: bool,
    /// How an earlier request ended without a known outcome, in a word and as it was logged.
    pub uncertain: Option<(ErrorCategory, String)>,
    /// Accepted under this id.
    pub job_id: Option<JobId>,
    /// The render's state that was reported last.
    pub reported: Option<String>,
    /// Good reads that said `succeeded` without outputs.
    pub empty_reads: u32,
    /// Outputs whose copies were reported.
    pub copied: BTreeSet<u32>,
}
