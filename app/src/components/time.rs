//! Times: relative under a month, exact on hover. Clocks are written in the reader's zone, which the page's context holds;
//! without one, in UTC.
//!
//! A reader who chose the browser's own zone gets UTC from here, which says so. The script rewrites each `time` of a page
//! whose root has `data-zone="local"`: what is behind it, and, where `data-clock` says which form its text has, the text.

use crate::desk::Zone;
use chrono::{DateTime, Datelike, SecondsFormat, TimeDelta, Utc};
use chrono_tz::Tz;
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

/// The zone of this page's reader.
fn zone() -> Tz {
    use_context::<Zone>().unwrap_or_default().written()
}

/// How long ago, in words; a date when it is a month or more.
pub fn ago(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let seconds = (now - at).num_seconds();
    if seconds < 2 {
        "now".to_owned()
    } else if seconds < MONTH {
        format!("{} ago", span(now - at))
    } else {
        at.with_timezone(&zone()).format("%-d %b %Y").to_string()
    }
}

/// The elapsed time for a column that says "since"; a date when it is a month or more.
pub fn since(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let seconds = (now - at).num_seconds();
    if seconds < MONTH {
        span(now - at)
    } else {
        at.with_timezone(&zone()).format("%-d %b").to_string()
    }
}

/// The exact time, to the second, in UTC: for what leaves the page.
pub fn utc(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// The exact time, to the second, in the reader's zone: `2026-11-30 14:05:11 UTC`.
pub fn exact(at: DateTime<Utc>) -> AnyView {
    element(at, Some("exact"), exact_in(zone(), at))
}

fn exact_in(zone: Tz, at: DateTime<Utc>) -> String {
    at.with_timezone(&zone).format("%Y-%m-%d %H:%M:%S %Z").to_string()
}

/// The exact time on hover: in the reader's zone, with UTC beside it.
fn hover(zone: Tz, at: DateTime<Utc>) -> String {
    if zone == Tz::UTC {
        utc(at)
    } else {
        format!("{}, {}", exact_in(zone, at), at.format("%H:%M:%S UTC"))
    }
}

/// The clock of the day with its zone: `14:05:11 UTC`.
pub fn clock_zoned(at: DateTime<Utc>) -> String {
    at.with_timezone(&zone()).format("%H:%M:%S %Z").to_string()
}

/// The same, with the exact time behind it.
pub fn zoned(at: DateTime<Utc>) -> AnyView {
    element(at, Some("zoned"), clock_zoned(at))
}

/// The day with its zone, for the head of a column of clocks: `30 Nov, UTC`.
pub fn day_zoned(at: DateTime<Utc>) -> AnyView {
    let words = at.with_timezone(&zone()).format("%-d %b, %Z").to_string();
    element(at, Some("day"), words)
}

/// The name of the reader's zone: `UTC`, `Europe/Berlin`.
pub fn zone_name() -> &'static str {
    zone().name()
}

/// The clock of the day; with the day when it is another, with the year when that is another.
fn clock_in(zone: Tz, now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let (now, at) = (now.with_timezone(&zone), at.with_timezone(&zone));
    let format = if at.date_naive() == now.date_naive() {
        "%H:%M:%S"
    } else if at.year() == now.year() {
        "%-d %b %H:%M"
    } else {
        "%-d %b %Y"
    };
    at.format(format).to_string()
}

/// For the attribute `datetime`, which holds at most three digits of a second (HTML, 2.3.5.4).
fn machine(at: DateTime<Utc>) -> String {
    let format = match at.timestamp_subsec_millis() {
        0 => SecondsFormat::Secs,
        _ => SecondsFormat::Millis,
    };
    at.to_rfc3339_opts(format, true)
}

fn element(at: DateTime<Utc>, form: Option<&'static str>, words: String) -> AnyView {
    view! { <time datetime=machine(at) title=hover(zone(), at) data-clock=form>{words}</time> }.into_any()
}

/// Words of a time, with the exact one behind them.
pub fn when(at: DateTime<Utc>, words: String) -> AnyView {
    element(at, None, words)
}

/// A clock, with the exact time behind it.
pub fn moment(now: DateTime<Utc>, at: DateTime<Utc>) -> AnyView {
    element(at, Some("moment"), clock_in(zone(), now, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn the_machine_reads_no_more_than_html_allows() {
        let at = DateTime::from_timestamp(1_700_000_000, 0).expect("a time");
        assert_eq!(machine(at), "2023-11-14T22:13:20Z");
        let at = at + TimeDelta::nanoseconds(278_686_106);
        assert_eq!(machine(at), "2023-11-14T22:13:20.278Z");
    }

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
        let clock = |days| clock_in(Tz::UTC, now, now - TimeDelta::days(days));
        assert_eq!([clock(2), clock(400)], ["28 Nov 14:05", "26 Oct 2025"]);
    }

    #[test]
    fn a_zone_moves_the_clock_and_the_day() {
        let now = Utc.with_ymd_and_hms(2026, 11, 30, 23, 5, 11).unwrap();
        let berlin = Tz::Europe__Berlin;
        assert_eq!(clock_in(berlin, now, now), "00:05:11");
        let earlier = now - TimeDelta::minutes(30);
        assert_eq!(clock_in(berlin, now, earlier), "30 Nov 23:35");
        assert_eq!(hover(berlin, now), "2026-12-01 00:05:11 CET, 23:05:11 UTC");
        let summer = Utc.with_ymd_and_hms(2026, 7, 1, 12, 0, 0).unwrap();
        assert_eq!(exact_in(berlin, summer), "2026-07-01 14:00:00 CEST");
        assert_eq!(hover(Tz::UTC, now), "2026-11-30 23:05:11 UTC");
    }

    #[test]
    fn a_page_writes_its_readers_zone() {
        let now = Utc.with_ymd_and_hms(2026, 11, 30, 14, 5, 11).unwrap();
        let owner = Owner::new();
        let html = owner.with(|| {
            provide_context(Zone::Named(Tz::Asia__Kolkata));
            moment(now, now).to_html()
        });
        assert!(
            html.contains(">19:35:11<") && html.contains("14:05:11 UTC"),
            "{html}"
        );
        assert!(html.contains("data-clock=\"moment\""), "{html}");
    }
}
