//! What lists may be narrowed by. Every filter is in the URL; closed lists are typed, open ones are text.

use crate::domain::dead_letter::Disposition;
use crate::domain::label::Label;
use crate::domain::operation::{ErrorCategory, Phase};
use crate::domain::plan::Action;
use crate::domain::recovery::RecoveryState;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};

/// The error category that is wanted: a certain one, or the messages that state none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WantedCategory {
    Is(ErrorCategory),
    NotStated,
}

/// Dead letters: newest first by `moved_to_dead_letter_at`, then id. Times are inclusive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct DeadLetterFilter {
    pub queue: Option<String>,
    pub job_name: Option<String>,
    pub reason: Option<String>,
    pub label: Option<Label>,
    pub action: Option<Action>,
    pub phase: Option<Phase>,
    pub category: Option<WantedCategory>,
    pub operation: Option<String>,
    pub owner: Option<String>,
    pub disposition: Option<Disposition>,
    /// Finds operation ids, message ids, job ids, and words of the safe error.
    pub q: Option<String>,
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
    /// The same list from its other end. Counts do not depend on it.
    pub oldest_first: bool,
}

impl DeadLetterFilter {
    /// The filter that the rail counts under: without its own label and queue, in no order.
    pub fn base(&self) -> Self {
        Self {
            label: None,
            queue: None,
            oldest_first: false,
            ..self.clone()
        }
    }

    /// Narrows the range by an age, as of `now`. An age that the range contradicts leaves it reversed.
    pub fn aged(self, age: Age, now: DateTime<Utc>) -> Self {
        let (since, until) = age.range(now);
        Self {
            from: self.from.max(since),
            to: match (self.to, until) {
                (Some(to), Some(until)) => Some(to.min(until)),
                (to, until) => to.or(until),
            },
            ..self
        }
    }
}

crate::slugs! {
    /// How long ago a message died.
    pub enum Age ("age") {
        Hour => "1h",
        Day => "24h",
        Week => "7d",
        Month => "30d",
        OverDay => "over-24h",
        OverWeek => "over-7d",
        OverMonth => "over-30d",
    }
}

impl Age {
    /// The words of the choice.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Hour => "in the last hour",
            Self::Day => "in the last 24 h",
            Self::Week => "in the last 7 d",
            Self::Month => "in the last 30 d",
            Self::OverDay => "over 24 h ago",
            Self::OverWeek => "over 7 d ago",
            Self::OverMonth => "over 30 d ago",
        }
    }

    /// The range that it means as of `now`, from the beginning of the minute: what is counted and what is listed a
    /// moment later are the same.
    fn range(self, now: DateTime<Utc>) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
        let minute = now.duration_trunc(TimeDelta::minutes(1)).unwrap_or(now);
        match self {
            Self::Hour => (Some(minute - TimeDelta::hours(1)), None),
            Self::Day => (Some(minute - TimeDelta::hours(24)), None),
            Self::Week => (Some(minute - TimeDelta::days(7)), None),
            Self::Month => (Some(minute - TimeDelta::days(30)), None),
            Self::OverDay => (None, Some(minute - TimeDelta::hours(24))),
            Self::OverWeek => (None, Some(minute - TimeDelta::days(7))),
            Self::OverMonth => (None, Some(minute - TimeDelta::days(30))),
        }
    }
}

/// Operations: newest first by `updated_at`, then id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct OperationFilter {
    pub label: Option<Label>,
    pub action: Option<Action>,
    pub phase: Option<Phase>,
    pub owner: Option<String>,
    pub provider: Option<String>,
    pub q: Option<String>,
    /// Only what no dead letter shows, for this reason.
    pub unseen: Option<Unseen>,
    /// Only what one of the figures at the head of the pages counts.
    pub counted: Option<Counted>,
}

crate::slugs! {
    /// Which figure at the head of the pages counts an operation.
    pub enum Counted ("counted") {
        /// Its money is not settled.
        MoneyUnresolved => "money_unresolved",
        /// An attempt of it may have been billed: its outcome is unknown, and no job id is.
        PossiblyBilled => "possibly_billed",
    }
}

impl Counted {
    /// The figure in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::MoneyUnresolved => "money unresolved",
            Self::PossiblyBilled => "possibly billed",
        }
    }
}

/// An operation that does not change for so many minutes while it should is stuck.
pub const STUCK_MINUTES: i64 = 15;

crate::slugs! {
    /// Why no dead letter shows an operation. `stuck_…`: in that phase, unchanged for [`STUCK_MINUTES`], without a recovery
    /// under way.
    pub enum Unseen ("unseen") {
        Any => "any",
        Purged => "purged",
        NeverDied => "never_died",
        StuckSubmitting => "stuck_submitting",
        StuckAccepted => "stuck_accepted",
    }
}

impl Unseen {
    /// The reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Any => "no dead letter shows it",
            Self::Purged => "its dead letters were purged",
            Self::NeverDied => "no message of it ever died",
            Self::StuckSubmitting => "stuck in submitting",
            Self::StuckAccepted => "in accepted for long",
        }
    }
}

/// Recoveries: active first, then newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RecoveryFilter {
    pub state: Option<RecoveryState>,
    /// Only those in one of the three active states.
    pub only_active: bool,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_narrows_a_range_and_never_widens_it() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
        let now = at("2026-11-30T14:05:11Z");
        let none = DeadLetterFilter::default;
        let day = none().aged(Age::Day, now);
        assert_eq!((day.from, day.to), (Some(at("2026-11-29T14:05:00Z")), None));
        let old = none().aged(Age::OverDay, now);
        assert_eq!((old.from, old.to), (None, Some(at("2026-11-29T14:05:00Z"))));
        let later = DeadLetterFilter {
            from: Some(at("2026-11-30T01:00:00Z")),
            to: Some(at("2026-11-30T02:00:00Z")),
            ..none()
        };
        assert_eq!(later.clone().aged(Age::Week, now), later);
        let reversed = later.aged(Age::OverWeek, now);
        assert!(reversed.from > reversed.to);
    }
}
