//! How the caller stands here, and how the audit's chain does.

use chrono::{DateTime, Utc};

/// How somebody came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CameBy {
    /// A session of ours: it began then and ends then at the latest.
    Session {
        since: DateTime<Utc>,
        until: DateTime<Utc>,
    },
    /// A proxy that signs people in says who they are, on each request.
    Proxy,
}

/// What `/permissions` tells beside the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub came_by: CameBy,
    /// Whether a password of theirs is kept here. Whoever comes in by single sign-on or by a proxy has none.
    pub has_password: bool,
    /// Minutes without use after which a session is over.
    pub idle_minutes: i64,
    /// Whether messages without a record may be replayed here.
    pub replay_without_record: bool,
    /// Whether a hidden field may be looked at here.
    pub reveal: bool,
    /// People that a creation needs.
    pub people_for_a_creation: u8,
}

/// The last check of the audit's chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainCheck {
    pub at: DateTime<Utc>,
    /// The entries that were checked.
    pub entries: i64,
    /// The first entry that is missing, changed or unreadable.
    pub broken_at: Option<i64>,
}
