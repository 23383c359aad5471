//! `/dead-letters`: the desk. Labels and queues with live counts at the left, the dead letters at the right.

use super::desk_empty::no_rows;
use super::desk_find::{form, groups, head, hours};
use super::desk_rows::row;
use super::desk_side::{of_both, side};
use super::query;
use super::views::Beside;
use super::{Page, Wanted};
use crate::components::empty::empty;
use crate::components::filter::chips;
use crate::components::form::finished;
use crate::components::frame::{Section, strip};
use crate::components::ledger::{Breadth, column, figures, ledger};
use crate::components::live::{self, Events};
use crate::components::notice::done;
use crate::components::pager::{Pager, pager};
use crate::components::piece::piece;
use crate::components::words;
use crate::desk::finding::CategoryCount;
use crate::desk::view::{DeadLetterRow, Overview, PageOf, Summary};
use crate::desk::{Code, DeadLetterFilter, DeskError, Hours, Shelf, Topic, ViewedList, Zone};
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use futures::join;
use leptos::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

pub(super) use super::desk_find::{action_choices, phase_choices};

/// Everything that the desk shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub overview: Overview,
    pub summary: Summary,
    pub filter: DeadLetterFilter,
    /// The filters of the URL, as written.
    pub filters: Query,
    /// All that was asked for.
    pub asked: Query,
    /// The filters with order and grouping: what every link of the desk keeps.
    pub address: Query,
    pub grouped: bool,
    /// The chart; missing rather than wrong when it cannot be read.
    pub hours: Option<Hours>,
    /// The groups, where they are asked for.
    pub groups: Vec<CategoryCount>,
    /// The rows, or why they cannot be read.
    pub rows: Result<Arc<PageOf<DeadLetterRow>>, DeskError>,
    pub pager: Pager,
    /// What a finished form says.
    pub done: Option<String>,
    pub events: Events,
    /// Saved views of the desk.
    pub beside: Beside,
}

impl Model {
    /// The desk from the port's answers. Overview and summary are missing rather than wrong when unreadable.
    pub fn new(
        wanted: &Query,
        now: DateTime<Utc>,
        filter: DeadLetterFilter,
        overview: Overview,
        summary: Summary,
        rows: Result<Arc<PageOf<DeadLetterRow>>, DeskError>,
    ) -> Self {
        let filters = query::filters_only(wanted, query::DEAD_LETTER_NAMES);
        let mut address = filters.clone();
        address.0.extend(query::filters_only(wanted, query::DESK_SHAPE).0);
        let shown = rows.as_ref().map_or(0, |page| page.items.len());
        let next = rows.as_ref().ok().and_then(|page| page.next_cursor.as_deref());
        let words = match matching(&filter, &summary) {
            Some(total) => format!("{shown} shown of {}", words::counted(total, summary.capped)),
            None => format!("{shown} shown"),
        };
        let mut listed = address.clone();
        for name in ["cursor", "limit"] {
            listed.set(name, wanted.get(name).unwrap_or_default());
        }
        let pager = Pager {
            oldest_first: filter.oldest_first,
            ..Pager::of(href::DEAD_LETTERS, &listed, next, words)
        };
        Self {
            now,
            overview,
            summary,
            filter,
            filters,
            asked: wanted.clone(),
            address,
            grouped: false,
            hours: None,
            groups: Vec::new(),
            rows,
            pager,
            done: finished(wanted),
            events: None,
            beside: Beside::none(ViewedList::DeadLetters),
        }
    }

    /// How many dead letters match.
    pub(super) fn matching(&self) -> Option<i64> {
        matching(&self.filter, &self.summary)
    }

    /// What the pieces of this page depend on beside the database: a part of their names. Ages are told to the second, clocks
    /// in the reader's zone, and the counts may be a moment older than the rows.
    fn moment(&self) -> String {
        let zone = use_context::<Zone>().unwrap_or_default();
        let mut counts = DefaultHasher::new();
        (&self.summary, &self.hours, &self.groups).hash(&mut counts);
        let (second, counts) = (self.now.timestamp(), counts.finish());
        format!("{zone} {second} {counts:x} {}", self.asked.to_text())
    }
}

/// How many dead letters match, where the counts say so.
fn matching(filter: &DeadLetterFilter, summary: &Summary) -> Option<i64> {
    let in_queue = |name: &str| {
        let found = summary.queues.iter().find(|(queue, _)| queue == name);
        Some(found.map_or(0, |(_, count)| *count))
    };
    match (filter.label, filter.queue.as_deref()) {
        (None, None) => Some(summary.total),
        (Some(label), None) => summary
            .labels
            .iter()
            .find(|one| one.label == label)
            .map(|one| one.count),
        (None, Some(queue)) => in_queue(queue),
        (Some(label), Some(queue)) => Some(of_both(summary, label, queue)),
    }
}

fn table(model: &Model) -> AnyView {
    if let Some(state) = no_rows(model) {
        return empty(state).into_any();
    }
    if model.grouped {
        return groups(model, &model.groups);
    }
    let back = model.address.to_text();
    let items = model
        .rows
        .as_ref()
        .map(|page| page.items.as_slice())
        .unwrap_or_default();
    let rows = items.iter().map(|item| row(item, model.now, &back));
    let rows = rows.collect::<Vec<_>>();
    let name = if model.filter.oldest_first {
        "Dead letters, oldest first"
    } else {
        "Dead letters, newest first"
    };
    view! {
        {ledger(name, "rows", Breadth::Many, [column("Operation"), column("Our side"), column("Remote render"), column("Label"), column("Next action"), column("Error"), figures("Replays"), figures("Dead since")], rows)}
        {pager(model.pager.clone())}
    }
    .into_any()
}

pub fn view(model: Model) -> AnyView {
    view_with(model, None)
}

/// As [`view`], with what is everybody's from the shelf.
fn view_with(model: Model, shelf: Option<&dyn Shelf>) -> AnyView {
    // Why rows cannot be read is no piece: the next one who asks tries again.
    let shelf = shelf.filter(|_| model.rows.is_ok());
    let moment = model.moment();
    view! {
        {strip(model.overview.clone(), model.now)}
        <div class="desk" data-events=model.events.clone()>
            {side(&model, shelf, &moment)}
            <main id="main">{piece(shelf, format!("desk {moment}"), || main(&model))}</main>
        </div>
    }
    .into_any()
}

/// All that does not depend on who reads it.
fn main(model: &Model) -> AnyView {
    let chips = chips(
        head(model),
        href::DEAD_LETTERS,
        &model.address,
        query::DEAD_LETTER_NAMES,
    );
    view! {
        <h1 class="vh">"Dead letters"</h1>
        {model.done.clone().map(done)}
        {hours(model)}
        {form(model)}
        <div data-live="head">{chips}</div>
        <p class="news" role="status" data-news=""></p>
        <div data-live="rows" data-hold="">{table(model)}</div>
    }
    .into_any()
}

/// Reads the desk. A list that cannot be read is said so in its place, with the answer's status.
pub(super) async fn load(wanted: Wanted) -> Result<Page, super::error::Problem> {
    let Wanted { desk, edge } = wanted;
    let filter = query::desk(&edge.query, desk.now())?;
    let grouped = query::grouped(&edge.query)?;
    let page = query::page(&edge.query)?;
    // Before anything is read.
    let shelf = desk.shelf().await;
    let events = live::events(desk.as_ref(), &Topic::Desk).await;
    let groups = async {
        if grouped {
            desk.categories(&filter).await.unwrap_or_default()
        } else {
            Vec::new()
        }
    };
    // Side by side: none of them needs another.
    let (rows, summary, overview, hours, groups, beside) = join!(
        desk.dead_letters(&filter, &page),
        desk.summary(&filter),
        desk.overview(),
        desk.hours(&filter),
        groups,
        Beside::load(desk.as_ref(), &edge, ViewedList::DeadLetters),
    );
    let rows = match rows {
        Err(error) if error.code != Code::Unavailable => return Err(error.into()),
        rows => rows,
    };
    let (summary, overview) = (summary.unwrap_or_default(), overview.unwrap_or_default());
    // A chart of an office where nobody ever died would say nothing.
    let hours = hours.ok().filter(|_| summary.ever_died);
    let title = filter.label.map_or_else(
        || "Dead letters".to_owned(),
        |label| format!("Dead letters: {}", label.words()),
    );
    let status = rows.as_ref().map_or_else(|error| error.code.status(), |_| 200);
    let model = Model {
        events,
        hours,
        grouped,
        groups,
        beside,
        ..Model::new(&edge.query, desk.now(), filter, overview, summary, rows)
    };
    Ok(Page {
        title,
        section: Section::DeadLetters,
        status,
        body: view_with(model, shelf.as_deref()),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    use super::samples;
    let rows = samples::dead_letters(now)
        .into_iter()
        .map(|one| DeadLetterRow::Readable(Box::new(one)));
    let mut items: Vec<DeadLetterRow> = rows.collect();
    items.push(samples::unreadable());
    let make = |query: &str, summary: Summary, rows: Result<PageOf<DeadLetterRow>, DeskError>| {
        let query = Query::parse(query);
        let filter = query::desk(&query, now).expect("a sample's filter");
        Model {
            grouped: query::grouped(&query).expect("a sample's grouping"),
            hours: summary.ever_died.then(|| samples::hours(now)),
            groups: samples::categories(now),
            events: Some(Topic::Desk.events(Some("m1"))),
            ..Model::new(
                &query,
                now,
                filter,
                samples::overview(),
                summary,
                rows.map(Arc::new),
            )
        }
    };
    let none = || {
        Ok(PageOf {
            items: Vec::new(),
            next_cursor: None,
        })
    };
    let down = DeskError::new(Code::Unavailable, "The database did not answer within 5 s.");
    vec![
        (
            "desk",
            make(
                "from=2026-11-28T14:00&disposition=open&done=purged",
                samples::summary(),
                Ok(PageOf {
                    items: items.clone(),
                    next_cursor: Some("next".to_owned()),
                }),
            ),
        ),
        (
            "desk-grouped",
            make(
                "group=category&label=local_delivery_failure&queue=delivery&age=7d",
                Summary {
                    capped: true,
                    ..samples::summary()
                },
                Ok(PageOf {
                    items: items.clone(),
                    next_cursor: None,
                }),
            ),
        ),
        (
            "desk-oldest",
            make(
                "sort=oldest&cursor=here&q=%2550",
                samples::summary(),
                Ok(PageOf {
                    items,
                    next_cursor: Some("next".to_owned()),
                }),
            ),
        ),
        ("desk-never", make("", Summary::default(), none())),
        (
            "desk-filtered",
            make(
                "label=remote_render_failed&queue=delivery",
                samples::summary(),
                none(),
            ),
        ),
        (
            "desk-nothing",
            make(
                "q=nowhere&label=remote_render_failed",
                Summary {
                    ever_died: true,
                    ..Summary::default()
                },
                none(),
            ),
        ),
        ("desk-unreadable", make("", Summary::default(), Err(down))),
        (
            "desk-views",
            Model {
                beside: Beside {
                    views: samples::views(ViewedList::DeadLetters),
                    filters: Query::of(&[("disposition", "open")]),
                    caller: Some(samples::caller()),
                    returned: crate::components::form::Returned::of(&Query::parse(
                        "refused=invalid_request&form=view&typed.name=x",
                    )),
                    ..Beside::none(ViewedList::DeadLetters)
                },
                ..make("disposition=open", samples::summary(), none())
            },
        ),
    ]
}
