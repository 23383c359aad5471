//! `/recoveries`: confirmed plans being carried out, active first.

use super::error::Problem;
use super::query;
use super::{Page, Wanted};
use crate::components::badge::{self, effect_tag, recovery_tag};
use crate::components::empty::{Empty, empty};
use crate::components::filter::{self, Choice, brief, chips, select};
use crate::components::frame::{Section, strip};
use crate::components::ledger::{Breadth, column, ledger};
use crate::components::live::{self, Events};
use crate::components::pager::{Pager, pager};
use crate::components::said::{ids_of_recovery, said};
use crate::components::text::{absent, outside, person, tail};
use crate::components::time::{ago, fine, moment};
use crate::components::words;
use crate::desk::Topic;
use crate::desk::view::{Overview, PageOf};
use crate::domain::recovery::{Recovery, RecoveryState};
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub overview: Overview,
    pub filters: Query,
    pub recoveries: Vec<Recovery>,
    pub pager: Pager,
    pub events: Events,
}

impl Model {
    /// The list from the port's answers.
    pub fn new(query: &Query, now: DateTime<Utc>, overview: Overview, page: PageOf<Recovery>) -> Self {
        let words = format!("{} shown", page.items.len());
        Self {
            now,
            overview,
            filters: query::filters_only(query, query::RECOVERY_NAMES),
            pager: Pager::of(href::RECOVERIES, query, page.next_cursor.as_deref(), words),
            recoveries: page.items,
            events: None,
        }
    }
}

/// Elapsed while it runs, the time that it took when it ended.
pub(super) fn duration(one: &Recovery, now: DateTime<Utc>) -> String {
    match one.finished_at {
        Some(end) => format!("took {}", fine(end - one.created_at)),
        None => format!("for {}", fine(now - one.created_at)),
    }
}

fn row(one: &Recovery, now: DateTime<Utc>, with_operation: bool) -> AnyView {
    let id = one.id.to_string();
    let operation = with_operation.then(|| {
        view! {
            <td role="cell" data-l="Operation" class="b-op">
                <a class="m" href=href::operation(one.operation_id.as_str())>{outside(one.operation_id.as_str())}</a>
            </td>
        }
    });
    view! {
        <tr role="row" data-recovery=id.clone() data-state=one.state.as_str() data-action=one.action.as_str()>
            <th role="rowheader" scope="row" class="b-id" data-l="Recovery">
                <a class="id" href=href::recovery(&id) title=id.clone()>{tail(&id)}</a>
                <small>{moment(now, one.created_at)} ", " {ago(now, one.created_at)}</small>
            </th>
            {operation}
            <td role="cell" data-l="Action" class="b-act"><strong>{words::action(one.action)}</strong> " " {effect_tag(one.effect)}</td>
            <td role="cell" data-l="State" class="b-state">{recovery_tag(one.state)} <small>{duration(one, now)}</small></td>
            <td role="cell" data-l="Outcome" class="b-out">{match &one.outcome {
                Some(outcome) => said(outcome, &ids_of_recovery(one)),
                None => absent(),
            }}</td>
            <td role="cell" data-l="Who and why" class="b-who">
                {person(&one.requested_by)} <small class="said">"“" {outside(&one.reason)} "”"</small>
            </td>
        </tr>
    }
    .into_any()
}

/// The table, also for the operation's page, where each row is of the same operation.
pub(super) fn table(recoveries: &[Recovery], now: DateTime<Utc>, with_operation: bool) -> AnyView {
    let rows = recoveries
        .iter()
        .map(|one| row(one, now, with_operation))
        .collect::<Vec<_>>();
    ledger(
        "Recoveries",
        "recoveries",
        Breadth::Few,
        [
            Some(column("Recovery")),
            with_operation.then(|| column("Operation")),
            Some(column("Action")),
            Some(column("State")),
            Some(column("Outcome")),
            Some(column("Who and why")),
        ]
        .into_iter()
        .flatten(),
        rows,
    )
}

pub fn view(model: Model) -> AnyView {
    let filters = &model.filters;
    let active = Choice {
        value: query::ACTIVE,
        words: "Not ended".to_owned(),
    };
    let states = RecoveryState::ALL.iter().map(|state| Choice {
        value: state.as_str(),
        words: badge::recovery(*state).words.to_owned(),
    });
    let states = [active].into_iter().chain(states).collect();
    let fields =
        view! { {brief("operation", "Operation", filters)} {select("state", "Any state", states, filters)} };
    let form = filter::form(href::RECOVERIES, "Filter recoveries", fields.into_any(), None);
    let list = if model.recoveries.is_empty() && filters.0.is_empty() {
        empty(Empty::Never {
            title: "Nothing has been recovered yet".to_owned(),
            text: "A recovery begins when a person confirms an operation's plan.".to_owned(),
        })
        .into_any()
    } else if model.recoveries.is_empty() {
        empty(Empty::Filtered {
            title: "Nothing matches these filters".to_owned(),
            text: "Other recoveries exist.".to_owned(),
            clear: href::RECOVERIES.to_owned(),
        })
        .into_any()
    } else {
        view! { {table(&model.recoveries, model.now, true)} {pager(model.pager.clone())} }.into_any()
    };
    // What runs counts its time.
    let every = model
        .recoveries
        .iter()
        .any(|one| one.state.is_active())
        .then_some(live::OFTEN);
    let head = view! { <span class="dim">"those that have not ended first, then newest first"</span> };
    view! {
        {strip(model.overview.clone(), model.now)}
        <main id="main" class="page">
            <h1>"Recoveries"</h1>
            {form}
            {chips(head.into_any(), href::RECOVERIES, filters, query::RECOVERY_NAMES)}
            <p class="news" role="status" data-news=""></p>
            <div data-live="rows" data-hold="" data-events=model.events.clone() data-every=every>{list}</div>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let filter = query::recoveries(&edge.query)?;
    let events = live::events(desk.as_ref(), &Topic::Desk).await;
    let page = desk.recoveries(&filter, &query::page(&edge.query)?).await?;
    let overview = desk.overview().await.unwrap_or_default();
    let model = Model {
        events,
        ..Model::new(&edge.query, desk.now(), overview, page)
    };
    Ok(Page {
        title: "Recoveries".to_owned(),
        section: Section::Recoveries,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let make = |query: &str, items| {
        let page = PageOf {
            items,
            next_cursor: None,
        };
        Model::new(&Query::parse(query), now, super::samples::overview(), page)
    };
    vec![
        ("recoveries", make("", super::samples::recoveries(now))),
        ("recoveries-empty", make("", Vec::new())),
        ("recoveries-filtered", make("state=refused", Vec::new())),
    ]
}
