//! `/dead-letters`: the desk. Labels and queues with live counts at the left, the dead letters at the right.

use super::desk_rows::row;
use super::desk_side::side;
use super::query;
use super::{Page, Wanted};
use crate::components::empty::{Empty, empty};
use crate::components::filter::{Choice, chips, kept, line, search, select};
use crate::components::form::finished;
use crate::components::frame::{Section, strip};
use crate::components::notice::done;
use crate::components::pager::{Pager, pager};
use crate::components::words;
use crate::desk::view::{DeadLetterRow, Overview, PageOf, Summary};
use crate::desk::{Code, DeadLetterFilter, DeskError};
use crate::domain::dead_letter::Disposition;
use crate::domain::operation::{ErrorCategory, Phase};
use crate::domain::plan::Action;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// Everything that the desk shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub overview: Overview,
    pub summary: Summary,
    pub filter: DeadLetterFilter,
    /// The filters of the URL, as written.
    pub filters: Query,
    /// The rows, or why they cannot be read.
    pub rows: Result<PageOf<DeadLetterRow>, DeskError>,
    pub pager: Pager,
    /// What a finished form says.
    pub done: Option<String>,
}

impl Model {
    /// The desk from the port's answers. Overview and summary are missing rather than wrong when unreadable.
    pub fn new(
        wanted: &Query,
        now: DateTime<Utc>,
        filter: DeadLetterFilter,
        overview: Overview,
        summary: Summary,
        rows: Result<PageOf<DeadLetterRow>, DeskError>,
    ) -> Self {
        let filters = query::filters_only(wanted, query::DEAD_LETTER_NAMES);
        let shown = rows.as_ref().map_or(0, |page| page.items.len());
        let next = rows.as_ref().ok().and_then(|page| page.next_cursor.as_deref());
        let words = match matching(&filter, &summary) {
            Some(total) => format!("{shown} shown of {}", words::thousands(total)),
            None => format!("{shown} shown"),
        };
        let mut listed = filters.clone();
        for name in ["cursor", "limit"] {
            listed.set(name, wanted.get(name).unwrap_or_default());
        }
        let pager = Pager::of(href::DEAD_LETTERS, &listed, next, words);
        Self {
            now,
            overview,
            summary,
            filter,
            filters,
            rows,
            pager,
            done: finished(wanted),
        }
    }
}

/// How many dead letters match, where the counts say so: they know one of label and queue at a time.
fn matching(filter: &DeadLetterFilter, summary: &Summary) -> Option<i64> {
    match (filter.label, filter.queue.as_deref()) {
        (None, None) => Some(summary.total),
        (Some(label), None) => summary
            .labels
            .iter()
            .find(|one| one.label == label)
            .map(|one| one.count),
        (None, Some(queue)) => summary
            .queues
            .iter()
            .find(|(name, _)| name == queue)
            .map(|(_, count)| *count),
        (Some(_), Some(_)) => None,
    }
}

pub(super) fn action_choices() -> Vec<Choice> {
    let choice = |action: &Action| Choice {
        value: action.as_str(),
        words: words::action(*action).to_owned(),
    };
    Action::ALL.iter().map(choice).collect()
}

pub(super) fn phase_choices() -> Vec<Choice> {
    Phase::ALL
        .iter()
        .map(|phase| Choice {
            value: phase.as_str(),
            words: phase.to_string(),
        })
        .collect()
}

fn filter_form(model: &Model) -> AnyView {
    let filters = &model.filters;
    let categories = ErrorCategory::ALL
        .iter()
        .map(|one| Choice {
            value: one.as_str(),
            words: one.to_string(),
        })
        .collect();
    let dispositions = Disposition::ALL
        .iter()
        .map(|one| Choice {
            value: one.as_str(),
            words: one.to_string(),
        })
        .collect();
    view! {
        <form class="filter" role="search" aria-label="Filter dead letters" method="get" action=href::DEAD_LETTERS>
            {search("Operation, message or job id", filters)}
            {select("action", "Any next action", action_choices(), filters)}
            {select("phase", "Any phase", phase_choices(), filters)}
            {select("category", "Any error", categories, filters)}
            <button class="btn" type="submit">"Filter"</button>
            {kept(&["label", "queue"], filters)}
            <details class="more">
                <summary>"More filters"</summary>
                <div>
                    {line("job_name", "Job name", filters, "text")}
                    {line("reason", "Reason", filters, "text")}
                    {line("operation", "Operation", filters, "text")}
                    {line("owner", "Owner", filters, "text")}
                    <label class="field"><span>"Disposition"</span>
                        {select("disposition", "Open or acknowledged", dispositions, filters)}</label>
                    {line("from", "Since, UTC", filters, "text")}
                    {line("to", "Until, UTC", filters, "text")}
                </div>
            </details>
        </form>
    }
    .into_any()
}

fn head(model: &Model) -> AnyView {
    let count = matching(&model.filter, &model.summary).map_or_else(
        || "Dead letters".to_owned(),
        |total| words::count(total, "dead letter", "dead letters"),
    );
    view! { <strong data-total="">{count}</strong> <span class="dim">"newest first"</span> }.into_any()
}

fn no_rows(model: &Model) -> Option<Empty> {
    match &model.rows {
        Err(error) => Some(Empty::Unreadable {
            title: "The dead letters cannot be read".to_owned(),
            text: format!("{} This says nothing about how many there are.", error.detail),
            again: href::with(href::DEAD_LETTERS, &model.filters),
        }),
        Ok(page) if !page.items.is_empty() => None,
        Ok(_) if model.filters.0.is_empty() && !model.summary.ever_died => Some(Empty::Never {
            title: "No letter has ever died here".to_owned(),
            text: "When a worker spends its last retry, the message appears on this desk within a second."
                .to_owned(),
        }),
        Ok(_) if model.filters.0.is_empty() => Some(Empty::Never {
            title: "No dead letter is left".to_owned(),
            text: "There were some; they were purged, or this page is past the oldest.".to_owned(),
        }),
        Ok(_) => Some(Empty::Filtered {
            title: "Nothing matches these filters".to_owned(),
            text: format!(
                "{} under the other filters.",
                words::count(model.summary.total, "dead letter exists", "dead letters exist"),
            ),
            clear: href::DEAD_LETTERS.to_owned(),
        }),
    }
}

fn table(model: &Model) -> AnyView {
    if let Some(state) = no_rows(model) {
        return empty(state).into_any();
    }
    let back = model.filters.to_text();
    let items = model
        .rows
        .as_ref()
        .map(|page| page.items.as_slice())
        .unwrap_or_default();
    let rows = items
        .iter()
        .map(|item| row(item, model.now, &back))
        .collect::<Vec<_>>();
    view! {
        <div class="sheet" data-columns="many">
            <table class="ledger rows" role="table" aria-label="Dead letters, newest first">
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">"Operation"</th>
                        <th role="columnheader" scope="col">"Our side"</th>
                        <th role="columnheader" scope="col">"Remote render"</th>
                        <th role="columnheader" scope="col">"Label"</th>
                        <th role="columnheader" scope="col">"Next action"</th>
                        <th role="columnheader" scope="col">"Error"</th>
                        <th role="columnheader" scope="col" class="r">"Replays"</th>
                        <th role="columnheader" scope="col" class="r">"Dead since"</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
        {pager(model.pager.clone())}
    }
    .into_any()
}

pub fn view(model: Model) -> AnyView {
    view! {
        {strip(model.overview.clone(), model.now)}
        <div class="desk">
            {side(&model)}
            <main id="main">
                <h1 class="vh">"Dead letters"</h1>
                {model.done.clone().map(done)}
                {filter_form(&model)}
                {chips(head(&model), href::DEAD_LETTERS, &model.filters, query::DEAD_LETTER_NAMES)}
                {table(&model)}
            </main>
        </div>
    }
    .into_any()
}

/// Reads the desk. A list that cannot be read is said so in its place, with the answer's status.
pub(super) async fn load(wanted: Wanted) -> Result<Page, super::error::Problem> {
    let Wanted { desk, edge } = wanted;
    let filter = query::dead_letters(&edge.query)?;
    let page = query::page(&edge.query)?;
    let rows = match desk.dead_letters(&filter, &page).await {
        Err(error) if error.code != Code::Unavailable => return Err(error.into()),
        rows => rows,
    };
    let summary = desk.summary(&filter).await.unwrap_or_default();
    let overview = desk.overview().await.unwrap_or_default();
    let status = rows.as_ref().map_or_else(|error| error.code.status(), |_| 200);
    let model = Model::new(&edge.query, desk.now(), filter, overview, summary, rows);
    Ok(Page {
        title: "Dead letters".to_owned(),
        section: Section::DeadLetters,
        status,
        body: view(model).into_any(),
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
    let make = |query: &str, summary: Summary, rows| {
        let query = Query::parse(query);
        let filter = query::dead_letters(&query).expect("a sample's filter");
        Model::new(&query, now, filter, samples::overview(), summary, rows)
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
        ("desk-unreadable", make("", Summary::default(), Err(down))),
    ]
}
