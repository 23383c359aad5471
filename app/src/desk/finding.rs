//! What helps to find dead letters: how many died in each hour, and how many under each error category.

use super::filter::DeadLetterFilter;
use crate::domain::label::Label;
use crate::domain::operation::ErrorCategory;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};

/// Hours that the desk's chart covers.
pub const HOURS: i64 = 48;

/// Dead letters of one label that died within one hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HourCount {
    /// The hour's beginning, UTC.
    pub hour: DateTime<Utc>,
    pub label: Label,
    /// Above zero.
    pub count: i64,
}

/// [`HOURS`] hours from `first` on; hours and labels without a dead letter are left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hours {
    /// The beginning of the first hour, UTC.
    pub first: DateTime<Utc>,
    pub counts: Vec<HourCount>,
}

/// Dead letters under one error category; `None` where a message states none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CategoryCount {
    pub category: Option<ErrorCategory>,
    pub count: i64,
    pub first_at: Option<DateTime<Utc>>,
    pub last_at: Option<DateTime<Utc>>,
}

/// The beginning of the hour that holds this moment.
pub fn hour_of(at: DateTime<Utc>) -> DateTime<Utc> {
    at.duration_trunc(TimeDelta::hours(1)).unwrap_or(at)
}

/// The first hour of the chart: of the last [`HOURS`], or, where the filter asks for an older time, of those that end
/// with it.
pub fn first_hour(filter: &DeadLetterFilter, now: DateTime<Utc>) -> DateTime<Utc> {
    let before = TimeDelta::hours(HOURS - 1);
    let newest = hour_of(now) - before;
    match filter.to {
        Some(to) if to < newest => hour_of(to) - before,
        Some(_) | None => newest,
    }
}

/// The filter of the chart: everything but its own time, and within the window that begins with `first`.
pub fn within(filter: &DeadLetterFilter, first: DateTime<Utc>) -> DeadLetterFilter {
    DeadLetterFilter {
        from: Some(first),
        to: Some(first + TimeDelta::hours(HOURS) - TimeDelta::microseconds(1)),
        oldest_first: false,
        ..filter.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    #[test]
    fn the_window_is_the_last_two_days_or_ends_where_the_filter_does() {
        let now = at("2026-11-30T14:05:11Z");
        let none = DeadLetterFilter::default();
        assert_eq!(first_hour(&none, now), at("2026-11-28T15:00:00Z"));
        let lately = DeadLetterFilter {
            to: Some(at("2026-11-29T03:59:59.999999Z")),
            ..none.clone()
        };
        assert_eq!(first_hour(&lately, now), at("2026-11-28T15:00:00Z"));
        let long_ago = DeadLetterFilter {
            to: Some(at("2026-11-01T03:59:59.999999Z")),
            ..none
        };
        let first = first_hour(&long_ago, now);
        assert_eq!(first, at("2026-10-30T04:00:00Z"));
        let window = within(&long_ago, first);
        assert_eq!(window.to, Some(at("2026-11-01T03:59:59.999999Z")));
    }
}
