//! Dead letters per hour, stacked by label in the order of the operation's life: drawn here, with its table behind it.
//!
//! The drawing is for eyes and pointers; every number and every link of it stands in the table too, for everybody else.

use super::words;
use crate::desk::finding::{HOURS, Hours};
use crate::domain::label::Label;
use crate::href::{self, Query};
use chrono::{DateTime, TimeDelta, Utc};
use leptos::prelude::*;
use std::fmt::Write;

/// What the chart is drawn from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    pub hours: Hours,
    /// The address of the list without its own time; an hour's link adds that hour.
    pub rest: Query,
    /// The list's own time, where it has one: those hours are marked.
    pub chosen: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// Filters other than the time narrow what is counted.
    pub filtered: bool,
    pub now: DateTime<Utc>,
}

/// How a label is filled: each look is another in greyscale too.
const LOOKS: [(&str, &str); 6] = [
    ("before", "Not submitted, or rejected"),
    ("unknown", "Outcome or state unknown"),
    ("wait", "Render still in progress"),
    ("lost", "Remote render failed"),
    ("ours", "Local delivery failure"),
    ("rest", "Delivered, closed, no record"),
];

const fn look(label: Label) -> &'static str {
    match label {
        Label::NotSubmitted | Label::SubmissionRejected => LOOKS[0].0,
        Label::SubmissionOutcomeUnknown | Label::RemoteStateUnclear => LOOKS[1].0,
        Label::RenderInProgress => LOOKS[2].0,
        Label::RemoteRenderFailed => LOOKS[3].0,
        Label::LocalDeliveryFailure => LOOKS[4].0,
        Label::AlreadyDelivered | Label::Closed | Label::NoOperationRecord => LOOKS[5].0,
    }
}

/// The drawing's own units: an hour is 20 wide with a bar of 16, the highest bar 54 of 60 high.
const SLOT: i64 = 20;
const BAR: i64 = 16;
const HEIGHT: f64 = 60.0;
const HIGHEST: f64 = 54.0;
/// A single dead letter is seen beside a thousand.
const LEAST: f64 = 1.2;

/// One hour with its counts, in the order of the labels.
struct Column {
    hour: DateTime<Utc>,
    counts: Vec<(Label, i64)>,
}

impl Column {
    fn total(&self) -> i64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// `9 local delivery failure, 3 remote render failed`.
    fn by_label(&self) -> String {
        let parts = self
            .counts
            .iter()
            .map(|(label, count)| format!("{} {}", words::thousands(*count), label.words().to_lowercase()));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// `30 Nov 11:00 to 12:00`.
    fn words(&self) -> String {
        let end = self.hour + TimeDelta::hours(1);
        format!("{} to {}", self.hour.format("%-d %b %H:%M"), end.format("%H:%M"))
    }

    fn href(&self, rest: &Query) -> String {
        let end = self.hour + TimeDelta::hours(1) - TimeDelta::microseconds(1);
        let query = rest
            .and("from", &self.hour.format("%Y-%m-%dT%H:%M").to_string())
            .and("to", &end.format("%Y-%m-%dT%H:%M:%S%.6f").to_string());
        href::with(href::DEAD_LETTERS, &query)
    }
}

fn columns(hours: &Hours) -> Vec<Column> {
    (0..HOURS)
        .map(|number| {
            let hour = hours.first + TimeDelta::hours(number);
            let of = |label: &Label| {
                let found = hours
                    .counts
                    .iter()
                    .filter(|one| one.hour == hour && one.label == *label);
                (*label, found.map(|one| one.count).sum())
            };
            let counts = Label::ALL
                .iter()
                .map(of)
                .filter(|(_, count)| *count > 0)
                .collect();
            Column { hour, counts }
        })
        .collect()
}

/// A count as a length; counts above two thousand million are drawn as that.
fn length(count: i64) -> f64 {
    f64::from(i32::try_from(count).unwrap_or(i32::MAX))
}

/// All bars of one look, as one path.
fn path(columns: &[Column], wanted: &str, highest: i64) -> String {
    let mut path = String::new();
    for (column, number) in columns.iter().zip(0_i64..) {
        let mut top = HEIGHT;
        // The last of the operation's life stands at the bottom, so that key and stack read downwards alike.
        for (label, count) in column.counts.iter().rev() {
            let high = (length(*count) / length(highest.max(1)) * HIGHEST).max(LEAST);
            top -= high;
            if look(*label) == wanted {
                let left = number * SLOT + (SLOT - BAR) / 2;
                // Writing to a text does not fail.
                let _ = write!(path, "M{left} {top:.1}h{BAR}v{high:.1}h-{BAR}z");
            }
        }
    }
    path
}

fn drawing(chart: &Chart, columns: &[Column], highest: i64) -> AnyView {
    let paths = LOOKS
        .iter()
        .filter_map(|(look, _)| {
            let d = path(columns, look, highest);
            (!d.is_empty()).then(|| view! { <path class=format!("c-{look}") d=d/> })
        })
        .collect::<Vec<_>>();
    let is_chosen = |hour: DateTime<Utc>| {
        chart
            .chosen
            .is_some_and(|(from, to)| from < hour + TimeDelta::hours(1) && hour <= to)
    };
    // To mark everything would say nothing.
    let all_chosen = columns.iter().all(|column| is_chosen(column.hour));
    let links = columns
        .iter()
        .zip(0_i64..)
        .filter(|(column, _)| column.total() > 0)
        .map(|(column, number)| {
            let chosen = !all_chosen && is_chosen(column.hour);
            let title = format!(
                "{} UTC: {}. {}",
                column.words(),
                words::count(column.total(), "dead letter", "dead letters"),
                column.by_label()
            );
            let left = (number * SLOT).to_string();
            view! {
                <a href=column.href(&chart.rest) tabindex="-1" data-chosen=chosen.then_some("")>
                    <title>{title}</title>
                    <rect x=left y="0" width=SLOT.to_string() height="60"/>
                </a>
            }
        })
        .collect::<Vec<_>>();
    view! {
        <svg class="bars" viewBox="0 0 960 60" preserveAspectRatio="none" aria-hidden="true" focusable="false">
            <defs>
                <pattern id="c-lost" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <path d="M1 0v4"/>
                </pattern>
                <pattern id="c-rest" width="4" height="3" patternUnits="userSpaceOnUse"><path d="M0 1h4"/></pattern>
            </defs>
            {paths}
            {links}
        </svg>
    }
    .into_any()
}

fn key(columns: &[Column]) -> AnyView {
    let shown = |wanted: &str| {
        columns
            .iter()
            .any(|column| column.counts.iter().any(|(label, _)| look(*label) == wanted))
    };
    let items = LOOKS
        .iter()
        .filter(|(look, _)| shown(look))
        .map(|(look, words)| {
            view! {
                <li><svg viewBox="0 0 12 10" aria-hidden="true"><path class=format!("c-{look}") d="M.5.5h11v9H.5z"/></svg>{*words}</li>
            }
        })
        .collect::<Vec<_>>();
    view! { <ul class="key">{items}</ul> }.into_any()
}

/// Five moments along the bottom.
fn axis(first: DateTime<Utc>) -> AnyView {
    let marks = (0..=4)
        .map(|quarter| {
            let at = first + TimeDelta::hours(HOURS / 4 * quarter);
            let words = if quarter == 4 {
                at.format("%-d %b %H:%M UTC")
            } else {
                at.format("%-d %b %H:%M")
            };
            view! { <span>{words.to_string()}</span> }
        })
        .collect::<Vec<_>>();
    view! { <div class="axis" aria-hidden="true">{marks}</div> }.into_any()
}

/// The sentence above: what is shown, and its highest hour.
fn caption(chart: &Chart, columns: &[Column]) -> String {
    let end = chart.hours.first + TimeDelta::hours(HOURS);
    let window = if end > chart.now {
        "last 48 hours".to_owned()
    } else {
        format!("48 hours to {}", end.format("%-d %b %Y %H:%M UTC"))
    };
    let under = if chart.filtered {
        ", under these filters"
    } else {
        ""
    };
    // Of equals the latest.
    let peak = columns
        .iter()
        .filter(|column| column.total() > 0)
        .max_by_key(|column| column.total());
    let Some(peak) = peak else {
        return format!("Dead letters per hour, {window}{under}: none.");
    };
    let mostly = peak.counts.iter().max_by_key(|(_, count)| *count);
    let mostly = mostly
        .filter(|(_, count)| peak.counts.len() > 1 && count * 2 > peak.total())
        .map(|(label, _)| format!(", mostly {}", label.words().to_lowercase()))
        .unwrap_or_default();
    let end = peak.hour + TimeDelta::hours(1);
    format!(
        "Dead letters per hour, {window}, by label{under}. Highest: {} on {} between {} and {} UTC{mostly}.",
        words::thousands(peak.total()),
        peak.hour.format("%-d %b"),
        peak.hour.format("%H:%M"),
        end.format("%H:%M"),
    )
}

fn table(chart: &Chart, columns: &[Column]) -> AnyView {
    let rows = columns
        .iter()
        .rev()
        .filter(|column| column.total() > 0)
        .map(|column| {
            view! {
                <tr data-hour=column.hour.format("%Y-%m-%dT%H:%M").to_string()>
                    <th scope="row"><a href=column.href(&chart.rest)>{column.words()}</a></th>
                    <td class="r">{words::thousands(column.total())}</td>
                    <td>{column.by_label()}</td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    view! {
        <details>
            <summary>"The chart as a table"</summary>
            <table class="ledger">
                <caption class="vh">"Dead letters per hour in UTC, newest first; an hour leads to its dead letters"</caption>
                <thead><tr><th scope="col">"Hour, UTC"</th><th scope="col" class="r">"Dead letters"</th><th scope="col">"By label"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </details>
    }
    .into_any()
}

/// The chart, or one line where nobody died.
pub fn chart(chart: &Chart) -> AnyView {
    let columns = columns(&chart.hours);
    let highest = columns.iter().map(Column::total).max().unwrap_or(0);
    let caption = caption(chart, &columns);
    if highest == 0 {
        return view! { <p class="chart dim" data-chart="none">{caption}</p> }.into_any();
    }
    view! {
        <figure class="chart" data-chart=highest.to_string()>
            <figcaption>{caption}</figcaption>
            <div>{drawing(chart, &columns, highest)} {axis(chart.hours.first)}</div>
            {key(&columns)}
            {table(chart, &columns)}
        </figure>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::badge;
    use crate::desk::finding::HourCount;

    fn sample(counts: &[(i64, Label, i64)]) -> Chart {
        let first: DateTime<Utc> = "2026-11-28T15:00:00Z".parse().expect("a time");
        let counts = counts.iter().map(|(hour, label, count)| HourCount {
            hour: first + TimeDelta::hours(*hour),
            label: *label,
            count: *count,
        });
        Chart {
            hours: Hours {
                first,
                counts: counts.collect(),
            },
            rest: Query::parse("label=closed"),
            chosen: None,
            filtered: false,
            now: first + TimeDelta::hours(47),
        }
    }

    #[test]
    fn the_two_labels_that_matter_never_share_a_look() {
        for label in Label::ALL {
            let same = look(*label) == look(Label::LocalDeliveryFailure);
            assert_eq!(same, *label == Label::LocalDeliveryFailure, "{label}");
            let same = look(*label) == look(Label::RemoteRenderFailed);
            assert_eq!(same, *label == Label::RemoteRenderFailed, "{label}");
            // The words of the key say what the badge says.
            assert!(!badge::label(*label).words.is_empty());
        }
    }

    #[test]
    fn a_stack_is_as_high_as_its_counts_and_never_leaves_the_drawing() {
        let chart = sample(&[
            (0, Label::LocalDeliveryFailure, 9),
            (0, Label::RemoteRenderFailed, 3),
            (1, Label::LocalDeliveryFailure, 100_000),
            (1, Label::NotSubmitted, 1),
        ]);
        let columns = columns(&chart.hours);
        assert_eq!(
            columns[0].by_label(),
            "3 remote render failed, 9 local delivery failure"
        );
        let bars = path(&columns[..1], "ours", 12);
        assert_eq!(
            bars, "M2 19.5h16v40.5h-16z",
            "at the bottom, three quarters of 54"
        );
        assert_eq!(path(&columns[..1], "lost", 12), "M2 6.0h16v13.5h-16z", "upon it");
        let thin = path(&columns, "before", 100_001);
        assert!(thin.contains("v1.2h"), "one is seen beside many: {thin}");
        for look in LOOKS {
            assert!(!path(&columns, look.0, 100_001).contains(" -"), "{look:?}");
        }
    }

    #[test]
    fn the_caption_names_the_highest_hour() {
        let chart = sample(&[
            (20, Label::LocalDeliveryFailure, 9),
            (20, Label::RemoteRenderFailed, 4),
            (3, Label::Closed, 2),
        ]);
        assert_eq!(
            caption(&chart, &columns(&chart.hours)),
            "Dead letters per hour, last 48 hours, by label. Highest: 13 on 29 Nov between 11:00 and 12:00 UTC, \
             mostly local delivery failure."
        );
        let html = super::chart(&chart).to_html();
        assert!(
            html.contains(
                "/dead-letters?label=closed&amp;from=2026-11-29T11%3A00&amp;to=2026-11-29T11%3A59%3A59.999999"
            ),
            "{html}"
        );
        let none = sample(&[]);
        assert!(super::chart(&none).to_html().contains("last 48 hours: none."));
    }
}
