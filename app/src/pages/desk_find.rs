//! The desk's ways of finding: the chart, the fields, the order, and groups by error category.

use super::desk::Model;
use super::query;
use crate::components::chart::{Chart, chart};
use crate::components::filter::{Choice, kept, line, search, select};
use crate::components::text::ABSENT;
use crate::components::time::{ago, when};
use crate::components::words;
use crate::desk::finding::CategoryCount;
use crate::desk::{Age, Hours};
use crate::domain::dead_letter::Disposition;
use crate::domain::operation::{ErrorCategory, Phase};
use crate::domain::plan::Action;
use crate::href;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

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

/// The fields. What has its place in the rail or in the head is kept by hidden ones.
pub(super) fn form(model: &Model) -> AnyView {
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
    let ages = Age::ALL
        .iter()
        .map(|one| Choice {
            value: one.as_str(),
            words: format!("Died {}", one.words()),
        })
        .collect();
    view! {
        <form class="filter" role="search" aria-label="Filter dead letters" method="get" action=href::DEAD_LETTERS>
            {search("Any id, or words of the error", filters)}
            {select("action", "Any next action", action_choices(), filters)}
            {select("phase", "Any phase", phase_choices(), filters)}
            {select("category", "Any error", categories, filters)}
            {select("age", "Any age", ages, filters)}
            <button class="btn" type="submit">"Filter"</button>
            {kept(&["label", "queue", "sort", "group"], &model.address)}
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

/// How many there are, and the ways to look at them: each is a link of its own.
pub(super) fn head(model: &Model) -> AnyView {
    let summary = &model.summary;
    let count = match model.matching() {
        Some(total) if summary.capped => format!("{} dead letters", words::counted(total, true)),
        Some(total) => words::count(total, "dead letter", "dead letters"),
        None => "Dead letters".to_owned(),
    };
    let link = |words: &'static str, name: &str, value: &str, current: bool| {
        let href = href::with(href::DEAD_LETTERS, &model.address.and(name, value));
        view! { <a href=href aria-current=current.then_some("true")>{words}</a> }
    };
    let oldest = model.filter.oldest_first;
    let order = (!model.grouped).then(|| {
        view! { {link("newest first", "sort", "", !oldest)} {link("oldest first", "sort", "oldest", oldest)} }
    });
    view! {
        <strong data-total=model.matching().map(|total| total.to_string())>{count}</strong>
        <span class="ways">
            {order}
            {link("one by one", "group", "", !model.grouped)}
            {link("by error", "group", "category", model.grouped)}
        </span>
    }
    .into_any()
}

/// The chart above the list, where it can be read.
pub(super) fn hours(model: &Model) -> Option<AnyView> {
    let hours: &Hours = model.hours.as_ref()?;
    let rest = ["from", "to", "age"]
        .iter()
        .fold(model.address.clone(), |rest, name| rest.without(name));
    let chosen = match (model.filter.from, model.filter.to) {
        (None, None) => None,
        (from, to) => Some((
            from.unwrap_or(DateTime::<Utc>::MIN_UTC),
            to.unwrap_or(DateTime::<Utc>::MAX_UTC),
        )),
    };
    let chart = chart(&Chart {
        filtered: !query::filters_only(&rest, query::DEAD_LETTER_NAMES).0.is_empty(),
        hours: hours.clone(),
        rest,
        chosen,
        now: model.now,
    });
    Some(view! { <div data-live="chart">{chart}</div> }.into_any())
}

fn seen(now: DateTime<Utc>, at: Option<DateTime<Utc>>) -> AnyView {
    at.map_or_else(|| ABSENT.into_any(), |at| when(at, ago(now, at)).into_any())
}

/// The groups, most first; a group leads to its rows.
pub(super) fn groups(model: &Model, groups: &[CategoryCount]) -> AnyView {
    let rows = groups
        .iter()
        .map(|group| {
            let name = match group.category {
                Some(category) => {
                    let query = model.address.without("group").and("category", category.as_str());
                    let href = href::with(href::DEAD_LETTERS, &query);
                    view! { <a class="id" href=href>{category.to_string()}</a> }.into_any()
                }
                None => view! { <span class="dim">"no category stated"</span> }.into_any(),
            };
            view! {
                <tr role="row" data-category=group.category.map(|category| category.as_str()).unwrap_or_default()
                    data-count=group.count.to_string()>
                    <th role="rowheader" scope="row">{name}</th>
                    <td role="cell" class="r" data-l="Dead letters">{words::thousands(group.count)}</td>
                    <td role="cell" data-l="First died">{seen(model.now, group.first_at)}</td>
                    <td role="cell" data-l="Last died">{seen(model.now, group.last_at)}</td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    view! {
        <div class="sheet">
            <table class="ledger groups" role="table" aria-label="Dead letters by error category, most first">
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">"Error category"</th>
                        <th role="columnheader" scope="col" class="r">"Dead letters"</th>
                        <th role="columnheader" scope="col">"First died"</th>
                        <th role="columnheader" scope="col">"Last died"</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
