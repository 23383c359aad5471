//! Where a recovery's queue job stands.

/// Where a queue job stands, wherever it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    Queued,
    Processing,
    Done,
    Cancelled,
    /// It stands in `soniq_dead_letter_jobs`.
    Dead,
    /// In neither table.
    Missing,
}
