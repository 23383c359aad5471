//! Parts of `/queues`: jobs that nobody carries on, and the dead table.

use crate::components::ledger::{Breadth, column, ledger};
use crate::components::meta::{meta, mono};
use crate::components::text::{absent, outside};
use crate::components::time::{ago, when};
use crate::components::words::{self, thousands};
use crate::desk::{DeadTable, StuckJob, StuckView};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

fn row(job: &StuckJob, now: DateTime<Utc>) -> AnyView {
    let attempts = match (job.attempts, job.max_attempts) {
        (Some(attempts), Some(most)) => format!("{attempts} of {most} attempts"),
        (Some(attempts), None) => format!("{attempts} of NULL attempts"),
        (None, Some(most)) => format!("NULL of {most} attempts"),
        (None, None) => "NULL of NULL attempts".to_owned(),
    };
    let since = match job.since {
        Some(at) => when(at, ago(now, at)).into_any(),
        None => absent(),
    };
    view! {
        <tr role="row" data-stuck=job.stuck.as_str() data-job=job.id.clone()>
            <th role="rowheader" scope="row" class="w"><strong class="m">{outside(&job.job_name)}</strong>
                <small class="m">{outside(&job.id)}</small></th>
            <td role="cell" data-l="Queue">{mono(job.queue.as_deref())}
                <small>{outside(&job.status)} ", " {attempts}</small></td>
            <td role="cell" data-l="Since">{since}</td>
            <td role="cell" class="w" data-l="What it means"><strong>{job.stuck.words()}</strong> ": " {outside(&job.means)}</td>
        </tr>
    }
    .into_any()
}

/// The section of stuck jobs.
pub(super) fn stuck(view: &StuckView, now: DateTime<Utc>) -> AnyView {
    let all: i64 = view.counts.iter().map(|count| count.jobs).sum();
    if all == 0 {
        return view! {
            <section class="block" data-stuck-jobs="0">
                <h2>"Stuck jobs"</h2>
                <p>"None: every job that is due or processing has somebody who carries it on, as far as the tables say."</p>
            </section>
        }
        .into_any();
    }
    let shown = i64::try_from(view.items.len()).unwrap_or(i64::MAX);
    let head = if shown < all {
        format!("{} of {} shown, read-only", thousands(shown), thousands(all))
    } else {
        format!(
            "{}, read-only",
            words::count(all, "job nobody carries on", "jobs nobody carries on")
        )
    };
    let counts = view
        .counts
        .iter()
        .enumerate()
        .map(|(at, count)| {
            let between = if at == 0 { "" } else { ", " };
            view! { {between} <span data-stuck-count=count.stuck.as_str()>{thousands(count.jobs)} " " {count.stuck.words()}</span> }
        })
        .collect::<Vec<_>>();
    let rows = view.items.iter().map(|job| row(job, now)).collect::<Vec<_>>();
    view! {
        <section class="block" data-stuck-jobs=all.to_string()>
            <h2>"Stuck jobs" <small>{head}</small></h2>
            <p>{counts}</p>
            {ledger("Stuck jobs", "", Breadth::Few, [column("Job"), column("Queue"), column("Since"), column("What it means")], rows)}
        </section>
    }
    .into_any()
}

/// `812 bytes`, `3.4 MB`: powers of 1000, one place.
fn size(bytes: i64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return words::count(bytes, "byte", "bytes");
    }
    let mut tenths = bytes / 100;
    let mut unit = 0;
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths /= 1000;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// The section of the dead table: size, growth, oldest row, and how it is made smaller.
pub(super) fn dead_table(table: &DeadTable, now: DateTime<Utc>) -> AnyView {
    let about = if table.bytes_estimated { "about " } else { "" };
    let oldest = match table.oldest_at {
        Some(at) => when(at, ago(now, at)).into_any(),
        None => absent(),
    };
    let growth = format!("{:+.1} rows a day", table.growth_per_day);
    let week = format!(
        "{} died, {} purged",
        thousands(table.died_last_week),
        thousands(table.purged_last_week)
    );
    let facts = vec![
        ("Rows", thousands(table.rows).into_any()),
        ("Size", format!("{about}{}", size(table.bytes)).into_any()),
        (
            "Growth over the last week",
            view! { <span data-growth=table.growth_per_day.to_string()>{growth}</span> }.into_any(),
        ),
        ("Last week", week.into_any()),
        ("Died in the last day", thousands(table.died_last_day).into_any()),
        ("Oldest row", oldest),
    ];
    view! {
        <section class="block" data-dead-table=table.rows.to_string()>
            <h2>"The dead table" <small>"it keeps every dead letter until somebody purges it"</small></h2>
            {meta(facts)}
            <p>"To see what a purge of the old and acknowledged would delete: "
                // It may break between its words, and not at a hyphen.
                <code>"dlo purge " <span class="nowrap">"--older-than 90d"</span> " " <span class="nowrap">"--only-acknowledged"</span></code>
                ". Nothing is deleted without " <code class="nowrap">"--execute"</code> "."</p>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_read_well() {
        assert_eq!(
            [
                size(1),
                size(812),
                size(1000),
                size(3_481_600),
                size(2_000_000_000)
            ],
            ["1 byte", "812 bytes", "1.0 kB", "3.4 MB", "2.0 GB"]
        );
    }
}
