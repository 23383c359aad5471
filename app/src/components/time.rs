//! Times: relative under a month, exact in UTC beside it.

use chrono::{DateTime, Datelike, SecondsFormat, TimeDelta, Utc};
use leptos::prelude::*;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// From here on a date says more than a distance.
const MONTH: i64 = 30 * DAY;

/// A distance in its largest useful unit: `12 s`, `4 min`, `1 h 10 min`, `5 h`, `3 d`.
pub fn span(distance: TimeDelta) -> String {
    let seconds = distance.num_seconds().max(0);
    if seconds < MINUTE {
        format!("{seconds} s")
    } else if seconds < HOUR {
        format!("{} min", seconds / MINUTE)
    } else if seconds < 3 * HOUR && seconds % HOUR >= MINUTE {
        format!("{} h {} min", seconds / HOUR, seconds % HOUR / MINUTE)
    } else if seconds < 2 * DAY {
        format!("{} h", seconds / HOUR)
    } else {
        format!("{} d", seconds / DAY)
    }
}

/// A distance in two units: `2 min 40 s`, `3 h 5 min`, `2 d 4 h`.
pub fn fine(distance: TimeDelta) -> String {
    let seconds = distance.num_seconds().max(0);
    let (large, small) = if seconds < MINUTE {
        return if seconds == 0 && distance.num_milliseconds() > 0 {
            format!("{} ms", distance.num_milliseconds())
        } else {
            format!("{seconds} s")
        };
    } else if seconds < HOUR {
        (format!("{} min", seconds / MINUTE), (seconds % MINUTE, "s"))
    } else if seconds < DAY {
        (format!("{} h", seconds / HOUR), (seconds % HOUR / MINUTE, "min"))
    } else {
        (format!("{} d", seconds / DAY), (seconds % DAY / HOUR, "h"))
    };
    match small {
        (0, _) => large,
        (rest, unit) => format!("{large} {rest} {unit}"),
    }
}

/// How long ago, in words; a date when it is a month or more.
pub fn ago(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let seconds = (now - at).num_seconds();
    if seconds < 2 {
        "now".to_owned()
    } else if seconds < MONTH {
        format!("{} ago", span(now - at))
    } else {
        at.format("%-d %b %Y").to_string()
    }
}

/// The elapsed time for a column that says "since"; a date when it is a month or more.
pub fn since(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let seconds = (now - at).num_seconds();
    if seconds < MONTH {
        span(now - at)
    } else {
        at.format("%-d %b").to_string()
    }
}

/// The exact time, to the second, in UTC.
pub fn exact(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// The clock of the day; with the day when it is another, with the year when that is another.
pub fn clock(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let format = if at.date_naive() == now.date_naive() {
        "%H:%M:%S"
    } else if at.year() == now.year() {
        "%-d %b %H:%M"
    } else {
        "%-d %b %Y"
    };
    at.format(format).to_string()
}

fn machine(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// Words of a time, with the exact one behind them.
pub fn when(at: DateTime<Utc>, words: String) -> AnyView {
    view! { <time datetime=machine(at) title=exact(at)>{words}</time> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn distances_read_as_a_person_says_them() {
        let span = |seconds| span(TimeDelta::seconds(seconds));
        assert_eq!(
            [span(0), span(59), span(60), span(3599)],
            ["0 s", "59 s", "1 min", "59 min"]
        );
        assert_eq!(
            [span(3600), span(4200), span(5 * HOUR)],
            ["1 h", "1 h 10 min", "5 h"]
        );
        assert_eq!(
            [span(47 * HOUR), span(50 * HOUR), span(-4)],
            ["47 h", "2 d", "0 s"]
        );
        let fine = |seconds| fine(TimeDelta::seconds(seconds));
        assert_eq!(
            [fine(160), fine(1401), fine(60), fine(93_600)],
            ["2 min 40 s", "23 min 21 s", "1 min", "1 d 2 h"]
        );
    }

    #[test]
    fn a_month_ago_is_a_date() {
        let now = Utc.with_ymd_and_hms(2026, 11, 30, 14, 5, 11).unwrap();
        assert_eq!(ago(now, now - TimeDelta::days(29)), "29 d ago");
        assert_eq!(ago(now, now - TimeDelta::days(31)), "30 Oct 2026");
        assert_eq!(ago(now, now + TimeDelta::days(1)), "now");
        assert_eq!(clock(now, now - TimeDelta::days(2)), "28 Nov 14:05");
        assert_eq!(clock(now, now - TimeDelta::days(400)), "26 Oct 2025");
    }
}
