//! `/operations`: all of them, also those without a dead letter.

use super::desk::{action_choices, phase_choices};
use super::desk_rows::{RemoteCell, error, our_side, unreadable};
use super::error::Problem;
use super::query;
use super::views::{Beside, saved};
use super::{Page, Wanted};
use crate::components::badge::{effect_tag, label_and_flag};
use crate::components::empty::{Empty, empty};
use crate::components::filter::{self, Choice, chips, kept, line, search, select};
use crate::components::form::finished;
use crate::components::frame::{Section, strip};
use crate::components::ledger::{Breadth, column, figures, ledger};
use crate::components::live::{self, Events};
use crate::components::notice::done;
use crate::components::pager::{Pager, pager};
use crate::components::text::outside;
use crate::components::time::{moment, since, when};
use crate::components::words;
use crate::desk::Topic;
use crate::desk::view::{OperationRow, OperationSummary, Overview, PageOf};
use crate::desk::{Unseen, ViewedList};
use crate::domain::label::Label;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub overview: Overview,
    pub filters: Query,
    pub rows: Vec<OperationRow>,
    pub pager: Pager,
    pub events: Events,
    /// What a finished form says.
    pub done: Option<String>,
    /// Saved views of this list.
    pub beside: Beside,
}

impl Model {
    /// The list from the port's answers.
    pub fn new(query: &Query, now: DateTime<Utc>, overview: Overview, page: PageOf<OperationRow>) -> Self {
        let words = format!("{} shown", page.items.len());
        Self {
            now,
            overview,
            filters: query::filters_only(query, query::OPERATION_NAMES),
            pager: Pager::of(href::OPERATIONS, query, page.next_cursor.as_deref(), words),
            rows: page.items,
            events: None,
            done: finished(query),
            beside: Beside::none(ViewedList::Operations),
        }
    }
}

/// What no dead letter shows, by the reason: each a link, so that nothing is out of sight.
fn out_of_sight(filters: &Query) -> AnyView {
    let current = filters.get("unseen");
    let all = href::with(href::OPERATIONS, &filters.without("unseen"));
    let links = Unseen::ALL
        .iter()
        .map(|one| {
            let href = href::with(href::OPERATIONS, &filters.and("unseen", one.as_str()));
            let mark = (current == Some(one.as_str())).then_some("true");
            view! { <li><a href=href data-unseen=one.as_str() aria-current=mark>{one.words()}</a></li> }
        })
        .collect::<Vec<_>>();
    let everything = current.is_none().then_some("true");
    view! {
        <nav class="sights" aria-label="Out of sight of the desk">
            <ul><li><a href=all aria-current=everything>"All operations"</a></li> {links}</ul>
        </nav>
    }
    .into_any()
}

fn saved_beside(beside: &Beside) -> Option<AnyView> {
    saved(beside).map(|views| view! { <div class="side-by">{views}</div> }.into_any())
}

fn readable(one: &OperationSummary, now: DateTime<Utc>) -> AnyView {
    let remote = RemoteCell {
        dispatch: Some(one.dispatch),
        execution: one.remote_execution,
        fetch: one.remote_fetch,
        observed_at: one.remote_observed_at,
        raw_status: None,
        has_job: one.job_id.is_some(),
    };
    view! {
        <tr role="row" data-operation=one.id.to_string() data-label=one.label.as_str()
            data-action=one.next_action.as_str()>
            <th role="rowheader" scope="row" class="a-op">
                <a class="id" href=href::operation(one.id.as_str())>{outside(one.id.as_str())}</a>
                <small>{outside(&one.owner)} {one.model.as_deref().map(|model| view! { ", " {outside(model)} })}</small>
            </th>
            <td role="cell" class="a-ours" data-l="Our side">{our_side(one.phase, Some(one.dispatch))}</td>
            <td role="cell" class="a-remote" data-l="Remote render">{remote.view(now)}</td>
            <td role="cell" class="a-label" data-l="Label">{label_and_flag(one.label, one.refund_unresolved)}</td>
            <td role="cell" class="a-act" data-l="Next action">
                <strong>{words::action(one.next_action)}</strong> {effect_tag(one.effect)}
            </td>
            <td role="cell" class="a-err" data-l="Error">{error(one.error_category)}</td>
            <td role="cell" class="r a-rep" data-l="Dead letters" data-unit=if one.dead_letters == 1 { "letter" } else { "letters" }>{one.dead_letters}</td>
            <td role="cell" class="r n a-since" data-l="Changed">
                {when(one.updated_at, since(now, one.updated_at))} <small>{moment(now, one.updated_at)}</small>
            </td>
        </tr>
    }
    .into_any()
}

fn row(row: &OperationRow, now: DateTime<Utc>) -> AnyView {
    match row {
        OperationRow::Readable(one) => readable(one, now),
        OperationRow::Unreadable(broken) => unreadable(broken, 8),
    }
}

pub fn view(model: Model) -> AnyView {
    let filters = &model.filters;
    let labels = Label::ALL
        .iter()
        .filter(|label| **label != Label::NoOperationRecord)
        .map(|label| Choice {
            value: label.as_str(),
            words: label.words().to_owned(),
        })
        .collect();
    let fields = view! {
        {search("Operation or job id", filters)}
        {select("label", "Any label", labels, filters)}
        {select("action", "Any next action", action_choices(), filters)}
        {select("phase", "Any phase", phase_choices(), filters)}
        {kept(&["unseen", "counted"], filters)}
    };
    let more = view! { {line("owner", "Owner", filters)} {line("provider", "Provider", filters)} };
    let form = filter::form(
        href::OPERATIONS,
        "Filter operations",
        fields.into_any(),
        Some(more.into_any()),
    );
    let list = if model.rows.is_empty() && filters.0.is_empty() {
        empty(Empty::Never {
            title: "No operation is on record".to_owned(),
            text: "The application reports each generation that it wants; the first one appears here."
                .to_owned(),
        })
        .into_any()
    } else if model.rows.is_empty() {
        empty(Empty::Filtered {
            title: "Nothing matches these filters".to_owned(),
            text: "Other operations exist.".to_owned(),
            clear: href::OPERATIONS.to_owned(),
        })
        .into_any()
    } else {
        let rows = model
            .rows
            .iter()
            .map(|one| row(one, model.now))
            .collect::<Vec<_>>();
        view! {
            {ledger("Operations, last changed first", "rows", Breadth::Many, [column("Operation"), column("Our side"), column("Remote render"), column("Label"), column("Next action"), column("Error"), figures("Dead letters"), figures("Changed")], rows)}
            {pager(model.pager.clone())}
        }
        .into_any()
    };
    let head = view! { <span class="dim">"last changed first"</span> };
    view! {
        {strip(model.overview.clone(), model.now)}
        <main id="main" class="page wide">
            <h1>"Operations"</h1>
            {model.done.clone().map(done)}
            {out_of_sight(filters)}
            {saved_beside(&model.beside)}
            {form}
            {chips(head.into_any(), href::OPERATIONS, filters, query::OPERATION_NAMES)}
            <p class="news" role="status" data-news=""></p>
            <div data-live="rows" data-hold="" data-events=model.events.clone()>{list}</div>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let filter = query::operations(&edge.query)?;
    let events = live::events(desk.as_ref(), &Topic::Desk).await;
    let page = desk.operations(&filter, &query::page(&edge.query)?).await?;
    let overview = desk.overview().await.unwrap_or_default();
    let beside = Beside::load(desk.as_ref(), &edge, ViewedList::Operations).await;
    let model = Model {
        events,
        beside,
        ..Model::new(&edge.query, desk.now(), overview, page)
    };
    Ok(Page {
        title: "Operations".to_owned(),
        section: Section::Operations,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let make = |query: &str, items| {
        let page = PageOf {
            items,
            next_cursor: Some("older".to_owned()),
        };
        Model::new(&Query::parse(query), now, super::samples::overview(), page)
    };
    vec![
        (
            "operations",
            make(
                "label=local_delivery_failure",
                super::samples::operation_rows(now),
            ),
        ),
        ("operations-empty", make("", Vec::new())),
        (
            "operations-stuck",
            Model {
                beside: Beside {
                    views: super::samples::views(ViewedList::Operations),
                    filters: Query::of(&[("unseen", "stuck_accepted")]),
                    ..Beside::none(ViewedList::Operations)
                },
                ..make("unseen=stuck_accepted", super::samples::operation_rows(now))
            },
        ),
    ]
}
