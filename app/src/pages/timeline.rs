//! The operation's timeline: attempts, observations, decisions, money, notes and audit in one order of time.

use crate::components::ledger::{Breadth, column, figures, ledger};
use crate::components::said::said;
use crate::components::text::{absent, outside, person};
use crate::components::time::{ago, moment};
use crate::components::words;
use crate::desk::NoteView;
use crate::desk::view::Event;
use crate::domain::audit::AuditEntry;
use crate::domain::ids::OperationId;
use crate::href;
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use std::collections::BTreeSet;

/// One line of the timeline, whatever it came from.
struct Line {
    at: DateTime<Utc>,
    kind: &'static str,
    title: String,
    detail: String,
    source: String,
    money: Option<String>,
    revision: Option<i64>,
}

impl From<&Event> for Line {
    fn from(event: &Event) -> Self {
        Self {
            at: event.at,
            kind: event.kind.as_str(),
            title: event.title.clone(),
            detail: event.detail.clone(),
            source: event.source.clone(),
            money: event.money.clone(),
            revision: Some(event.revision),
        }
    }
}

impl From<&NoteView> for Line {
    fn from(note: &NoteView) -> Self {
        Self {
            at: note.at,
            kind: "note",
            title: note.text.clone(),
            detail: String::new(),
            source: note.by.clone(),
            money: None,
            revision: None,
        }
    }
}

impl From<&AuditEntry> for Line {
    fn from(entry: &AuditEntry) -> Self {
        Self {
            at: entry.at,
            kind: "audit",
            title: entry.action.replace('_', " "),
            detail: entry.reason.clone().unwrap_or_default(),
            source: entry.actor.clone(),
            money: None,
            revision: entry.revision_after.or(entry.revision_before),
        }
    }
}

/// Everything, newest first. What an event or a note tells already is not told again by its audit entry: both were
/// written in one transaction, and bear its moment.
fn merged(events: &[Event], notes: &[NoteView], audit: &[AuditEntry]) -> Vec<Line> {
    let told: BTreeSet<DateTime<Utc>> = events
        .iter()
        .map(|event| event.at)
        .chain(notes.iter().map(|note| note.at))
        .collect();
    let untold = audit.iter().filter(|entry| !told.contains(&entry.at));
    let mut lines: Vec<Line> = events
        .iter()
        .map(Line::from)
        .chain(notes.iter().map(Line::from))
        .collect();
    // The audit is newest first.
    lines.extend(untold.rev().map(Line::from));
    lines.sort_by_key(|line| line.at);
    lines.reverse();
    lines
}

fn row(line: Line, story: &Story<'_>, now: DateTime<Utc>) -> AnyView {
    let (operation, ids) = (story.operation, story.ids.as_slice());
    let revision = line.revision.map_or_else(absent, |revision| {
        let href = href::revision(operation.as_str(), revision);
        view! { <a class="rev" href=href title="The record as it stood then">{revision}</a> }.into_any()
    });
    view! {
        <tr role="row" data-event=line.kind>
            <td role="cell" data-l="When">{moment(now, line.at)} " " <span class="dim">{ago(now, line.at)}</span></td>
            <td role="cell" data-l="What"><strong>{line.kind.replace('_', " ")}</strong></td>
            <td role="cell" data-l="Evidence" class="w">{said(&line.title, ids)}
                {(!line.detail.is_empty()).then(|| view! { ": " {said(&line.detail, ids)} })}</td>
            <td role="cell" data-l="Source">{person(&line.source)}</td>
            <td role="cell" data-l="Money" class="r n">{line.money.as_deref().map_or_else(absent, outside)}</td>
            <td role="cell" data-l="Revision" class="r n">{revision}</td>
        </tr>
    }
    .into_any()
}

/// What the timeline is made of.
pub(super) struct Story<'a> {
    pub operation: &'a OperationId,
    /// Ids that its sentences speak of.
    pub ids: Vec<&'a str>,
    pub events: &'a [Event],
    pub notes: &'a [NoteView],
    pub audit: &'a [AuditEntry],
}

/// The timeline as a section.
pub(super) fn timeline(story: &Story<'_>, now: DateTime<Utc>) -> AnyView {
    let lines = merged(story.events, story.notes, story.audit);
    let count = words::count(i64::try_from(lines.len()).unwrap_or(i64::MAX), "entry", "entries");
    let rows = lines
        .into_iter()
        .map(|line| row(line, story, now))
        .collect::<Vec<_>>();
    view! {
        <section class="block" id="timeline"><h2>"Timeline" <small>{count} ", newest first"</small></h2>
            {ledger("Timeline", "timeline", Breadth::Few, [column("When"), column("What"), column("Evidence"), column("Source"), figures("Money"), figures("Revision")], rows)}
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::samples;
    use chrono::TimeDelta;

    #[test]
    fn everything_stands_in_one_order_and_nothing_twice() {
        let now = samples::now();
        let operation = samples::half_delivered(now);
        let notes = samples::notes(now);
        let mut audit = samples::audit(now);
        let first = operation.timeline.first().expect("an event").at;
        audit[1].at = first;
        let lines = merged(&operation.timeline, &notes, &audit);
        assert_eq!(lines.len(), operation.timeline.len() + notes.len() + 1);
        assert!(lines.windows(2).all(|pair| pair[0].at >= pair[1].at));
        assert!(lines.iter().any(|line| line.kind == "audit"));
        assert!(now + TimeDelta::days(1) > lines[0].at);
    }
}
