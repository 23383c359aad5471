//! The desk's ways of finding: the chart, the fields, the order, and groups by error category.

use super::desk::Model;
use super::query;
use crate::components::chart::{Chart, chart};
use crate::components::filter::{self, Choice, kept, line, moment_line, search, select};
use crate::components::ledger::{Breadth, column, figures, ledger};
use crate::components::text::absent;
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
    let not_stated = Choice {
        value: query::NOT_STATED,
        words: "none stated".to_owned(),
    };
    let categories = ErrorCategory::ALL
        .iter()
        .map(|one| Choice {
            value: one.as_str(),
            words: one.to_string(),
        })
        .chain([not_stated])
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
    let fields = view! {
        {search("Any id, or words of the error", filters)}
        {select("action", "Any next action", action_choices(), filters)}
        {select("phase", "Any phase", phase_choices(), filters)}
        {select("category", "Any error", categories, filters)}
        {select("age", "Any age", ages, filters)}
        {kept(&["label", "queue", "sort", "group"], &model.address)}
    };
    let more = view! {
        {line("job_name", "Job name", filters)}
        {line("reason", "Reason", filters)}
        {line("operation", "Operation", filters)}
        {line("owner", "Owner", filters)}
        <label class="field"><span>"Disposition"</span>
            {select("disposition", "Open or acknowledged", dispositions, filters)}</label>
        {moment_line("from", "Since, UTC", filters)}
        {moment_line("to", "Until, UTC", filters)}
    };
    filter::form(
        href::DEAD_LETTERS,
        "Filter dead letters",
        fields.into_any(),
        Some(more.into_any()),
    )
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
    at.map_or_else(absent, |at| when(at, ago(now, at)).into_any())
}

/// The groups, most first; a group leads to its rows.
pub(super) fn groups(model: &Model, groups: &[CategoryCount]) -> AnyView {
    let rows = groups
        .iter()
        .map(|group| {
            let value = group
                .category
                .map_or(query::NOT_STATED, |category| category.as_str());
            let words = group
                .category
                .map_or("no category stated", |category| category.as_str());
            let query = model.address.without("group").and("category", value);
            let href = href::with(href::DEAD_LETTERS, &query);
            let name = view! { <a class="id" href=href>{words}</a> };
            view! {
                <tr role="row" data-category=value
                    data-count=group.count.to_string()>
                    <th role="rowheader" scope="row">{name}</th>
                    <td role="cell" class="r" data-l="Dead letters">{words::thousands(group.count)}</td>
                    <td role="cell" data-l="First died">{seen(model.now, group.first_at)}</td>
                    <td role="cell" data-l="Last died">{seen(model.now, group.last_at)}</td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    ledger(
        "Dead letters by error category, most first",
        "groups",
        Breadth::Few,
        [
            column("Error category"),
            figures("Dead letters"),
            column("First died"),
            column("Last died"),
        ],
        rows,
    )
}
