//! The queues as readers see them: counts, jobs that are stuck, and how the dead table grows.

use super::view::Circuit;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Soniq's six keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Totals {
    pub queued: i64,
    pub processing: i64,
    pub done: i64,
    pub cancelled: i64,
    pub dead_letter: i64,
    pub total: i64,
}

/// The six keys of one queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct QueueStats {
    pub queue: String,
    #[serde(flatten)]
    pub totals: Totals,
}

/// All queues, in one consistent snapshot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct QueuesView {
    pub totals: Totals,
    pub queues: Vec<QueueStats>,
    /// Jobs that nobody carries on. Shown, never touched.
    pub stuck: StuckView,
    pub dead_letters: DeadTable,
    /// Providers that do not answer at present.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub circuits: Vec<Circuit>,
}

crate::slugs! {
    /// Why nobody carries a job on.
    pub enum StuckKind ("stuck") {
        /// Queued without a queue: a worker with a list of queues never picks it.
        NoQueue => "no_queue",
        /// Attempts or their limit are NULL: a worker fails on it without an end.
        NoAttempts => "no_attempts",
        /// Queued until a time that no clock reaches: text that is no time, compared as text.
        UnreadableTime => "unreadable_time",
        /// Processing under a lease of ours that is long over.
        LeaseOver => "lease_over",
        /// Processing, and its worker has stopped, is unknown or has been silent.
        WorkerGone => "worker_gone",
        /// Processing without a worker's name, and untouched.
        NoWorker => "no_worker",
        /// Processing by a living worker for much longer than a job may take.
        TooLong => "too_long",
        /// Due, and nobody has claimed it.
        NeverClaimed => "never_claimed",
    }
}

impl StuckKind {
    /// What it means, and what a person can do about it.
    pub const fn means(self) -> &'static str {
        match self {
            Self::NoQueue => {
                "Its queue is NULL: no worker with a list of queues ever picks it. Only a worker that takes every queue would."
            }
            Self::NoAttempts => {
                "Its attempts or their limit are NULL: a Soniq worker that claims it fails on it, and it stays in processing for ever."
            }
            Self::UnreadableTime => {
                "It is scheduled for a text that is no time. Times are compared as text here, and no clock ever reaches this one."
            }
            Self::LeaseOver => {
                "Its lease is long over: the worker of ours that had it died, and no other one of ours is running. The next one takes it up."
            }
            Self::WorkerGone => {
                "Its worker has stopped, is unknown or is silent. Soniq's clean-up re-queues it only when it sees that worker go; a worker that was marked as stopped before leaves it in processing for ever."
            }
            Self::NoWorker => {
                "It is processing without a worker's name, and nothing has touched it: whoever took it has died or cannot write its end. No clean-up ever re-queues such a row."
            }
            Self::TooLong => {
                "Its worker lives, and it has been processing for much longer than Soniq lets a job run: its end could probably not be written (a NUL in its error, null arguments)."
            }
            Self::NeverClaimed => {
                "It is due, and nobody has claimed it: no worker takes its queue, or the workers do not keep up."
            }
        }
    }

    /// A few words for a heading.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoQueue => "no queue",
            Self::NoAttempts => "no attempts",
            Self::UnreadableTime => "unreadable time",
            Self::LeaseOver => "lease over",
            Self::WorkerGone => "worker gone",
            Self::NoWorker => "no worker",
            Self::TooLong => "running too long",
            Self::NeverClaimed => "never claimed",
        }
    }
}

/// How many jobs are stuck for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StuckCount {
    pub stuck: StuckKind,
    pub jobs: i64,
}

/// A job that nobody carries on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StuckJob {
    /// As it stands in the table.
    pub id: String,
    pub job_name: String,
    /// `null` where the column is.
    pub queue: Option<String>,
    pub status: String,
    pub attempts: Option<i64>,
    pub max_attempts: Option<i64>,
    pub worker_id: Option<String>,
    /// Processing: last touched then. Queued: due since then. `null` where no time is readable.
    pub since: Option<DateTime<Utc>>,
    pub stuck: StuckKind,
    /// What that means, and what a person can do about it.
    pub means: String,
}

/// What is stuck.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StuckView {
    /// Only reasons that occur.
    pub counts: Vec<StuckCount>,
    /// The first of them, those longest stuck first within each reason.
    pub items: Vec<StuckJob>,
}

/// The dead table, which grows without bound by contract.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DeadTable {
    pub rows: i64,
    /// With its indexes.
    pub bytes: i64,
    /// The bytes are reckoned from a sample of rows.
    pub bytes_estimated: bool,
    pub oldest_at: Option<DateTime<Utc>>,
    pub died_last_day: i64,
    pub died_last_week: i64,
    pub purged_last_week: i64,
    /// Rows a day over the last week, purged ones taken off; over the table's age where that is less.
    pub growth_per_day: f64,
}
