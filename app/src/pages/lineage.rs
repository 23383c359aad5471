//! Part of the message's page: which replays it led to, how each ended, and the replay that it came of itself.

use crate::components::ledger::{Breadth, column, ledger};
use crate::components::text::{absent, outside, person, short, tail};
use crate::components::time::{ago, moment, when};
use crate::components::words;
use crate::desk::view::DeadLetterView;
use crate::desk::{CameFrom, ReplayEnd, ReplayView};
use crate::href;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// The end of a replay's job in words.
const fn end(end: ReplayEnd) -> &'static str {
    match end {
        ReplayEnd::Queued => "queued: no worker has it yet",
        ReplayEnd::Processing => "processing",
        ReplayEnd::Done => "done",
        ReplayEnd::Cancelled => "cancelled",
        ReplayEnd::DeadLetter => "died again",
        ReplayEnd::Gone => "its row is gone: done and deleted at once, or deleted by somebody",
    }
}

fn row(replay: &ReplayView, now: DateTime<Utc>) -> AnyView {
    let job = replay.job_id.to_string();
    let dead = replay.dead_letter_id.map(|dead| dead.to_string());
    let dead = dead.map(|dead| {
        if replay.dead_letter_purged {
            view! { ", and its dead letter is purged" }.into_any()
        } else {
            view! { ": " <a class="m" href=href::dead_letter(&dead) title=dead.clone()>"message " {short(&dead)}</a> }
                .into_any()
        }
    });
    let recovery = replay.recovery_id.map(|recovery| {
        let id = recovery.to_string();
        let state = replay
            .recovery_state
            .map(|state| format!(" {}", state.as_str().replace('_', " ")));
        view! { <small>"recovery " <a class="m" href=href::recovery(&id) title=id.clone()>{tail(&id)}</a> {state}</small> }
    });
    let ended = replay
        .ended_at
        .map(|at| view! { <small>{when(at, ago(now, at))}</small> });
    view! {
        <tr role="row" data-replay=job.clone() data-end=replay.end.as_str()>
            <td role="cell" data-l="When">{moment(now, replay.replayed_at)} " "
                <span class="dim">{ago(now, replay.replayed_at)}</span></td>
            <td role="cell" data-l="Who">{person(&replay.replayed_by)}</td>
            <td role="cell" data-l="Why" class="w"><span class="said">{outside(&replay.reason)}</span></td>
            <td role="cell" data-l="New job"><span class="m" title=job.clone()>{short(&job)}</span> {recovery}</td>
            <td role="cell" data-l="How it ended" class="w">{end(replay.end)} {dead} {ended}</td>
        </tr>
    }
    .into_any()
}

/// The message that this one is a replay of, for its facts.
pub(super) fn came_from(from: Option<&CameFrom>, now: DateTime<Utc>) -> AnyView {
    let Some(from) = from else {
        return absent();
    };
    let id = from.dead_letter_id.to_string();
    let message = if from.purged {
        view! { <span class="m" title=id.clone()>"message " {short(&id)}</span> " (purged)" }.into_any()
    } else {
        view! { <a class="m" href=href::dead_letter(&id) title=id.clone()>"message " {short(&id)}</a> }
            .into_any()
    };
    view! {
        <span data-came-from=id.clone()>{message} ", by " {person(&from.replayed_by)} " "
            {when(from.replayed_at, ago(now, from.replayed_at))}</span>
    }
    .into_any()
}

/// The section; nothing for a message that nobody has replayed.
pub(super) fn lineage(letter: &DeadLetterView, now: DateTime<Utc>) -> Option<AnyView> {
    let lineage = letter.lineage.as_ref()?;
    if lineage.replays.is_empty() && lineage.replayed_outside == 0 && lineage.not_counted == 0 {
        return None;
    }
    let outside = (lineage.replayed_outside > 0).then(|| {
        let times = words::count(lineage.replayed_outside, "time", "times");
        view! {
            <p data-outside=lineage.replayed_outside.to_string()>
                <strong>"Replayed outside, " {times} "."</strong>
                " The dead table counts more replays than were made here: somebody else queued them, and what became of those jobs is not known."
            </p>
        }
    });
    let lowered = (lineage.not_counted > 0).then(|| {
        let times = words::count(lineage.not_counted, "replay of ours is", "replays of ours are");
        view! { <p>{times} " not in the dead table’s count: somebody has lowered it."</p> }
    });
    let rows = lineage
        .replays
        .iter()
        .map(|replay| row(replay, now))
        .collect::<Vec<_>>();
    let table = (!rows.is_empty()).then(|| {
        ledger(
            "Replays",
            "",
            Breadth::Few,
            [
                column("When"),
                column("Who"),
                column("Why"),
                column("New job"),
                column("How it ended"),
            ],
            rows,
        )
    });
    Some(
        view! {
            <section class="block" data-lineage="">
                <h2>"Replays" <small>"newest first"</small></h2>
                {outside}
                {lowered}
                {table}
            </section>
        }
        .into_any(),
    )
}
