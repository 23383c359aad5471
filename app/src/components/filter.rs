//! Filters: chips that mirror the URL, and fields that write it.

use super::icon::icon;
use super::text::visible;
use super::words;
use crate::desk::{Age, Counted, Unseen};
use crate::domain::label::Label;
use crate::domain::plan::Action;
use crate::href::{self, Query};
use crate::pages::query::NOT_STATED;
use chrono::{DateTime, NaiveDateTime};
use leptos::prelude::*;

/// One choice of a closed list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub value: &'static str,
    pub words: String,
}

/// A `<select>` over a closed list, with the words for "any".
pub fn select(name: &'static str, any: &'static str, choices: Vec<Choice>, query: &Query) -> AnyView {
    let current = query.get(name).unwrap_or_default().to_owned();
    let options = choices
        .into_iter()
        .map(|choice| {
            let selected = choice.value == current;
            view! { <option value=choice.value selected=selected>{choice.words}</option> }
        })
        .collect::<Vec<_>>();
    view! {
        <select name=name aria-label=any>
            <option value="">{any}</option>
            {options}
        </select>
    }
    .into_any()
}

/// A labelled line of text.
pub fn line(name: &'static str, words: &'static str, query: &Query) -> AnyView {
    let value = query.get(name).unwrap_or_default().to_owned();
    view! {
        <label class="field"><span>{words}</span><input type="text" name=name value=value/></label>
    }
    .into_any()
}

/// A line of text that says inside what it is for; beside a search box it needs no more room.
pub fn brief(name: &'static str, words: &'static str, query: &Query) -> AnyView {
    let value = query.get(name).unwrap_or_default().to_owned();
    view! { <input type="text" name=name aria-label=words placeholder=words value=value/> }.into_any()
}

/// A labelled moment, with an example of how it is written.
pub fn moment_line(name: &'static str, words: &'static str, query: &Query) -> AnyView {
    let value = query.get(name).unwrap_or_default().to_owned();
    view! {
        <label class="field"><span>{words}</span>
            <input type="text" name=name placeholder="2026-11-30 14:00" autocomplete="off" value=value/></label>
    }
    .into_any()
}

/// The form of a list: its fields, the button, and what is asked for less often, folded.
pub fn form(path: &'static str, label: &'static str, fields: AnyView, more: Option<AnyView>) -> AnyView {
    let more = more.map(|more| {
        view! { <details class="more"><summary>"More filters"</summary><div>{more}</div></details> }
    });
    view! {
        <form class="filter" role="search" aria-label=label method="get" action=path>
            {fields}
            <button class="btn" type="submit">"Filter"</button>
            {more}
        </form>
    }
    .into_any()
}

/// The search box.
pub fn search(words: &'static str, query: &Query) -> AnyView {
    let value = query.get("q").unwrap_or_default().to_owned();
    view! { <input type="search" name="q" aria-label=words placeholder=words value=value/> }.into_any()
}

/// Filters that the form has no field for must survive it.
pub fn kept(names: &[&'static str], query: &Query) -> Vec<AnyView> {
    names
        .iter()
        .filter_map(|name| {
            let value = query.get(name)?.to_owned();
            Some(view! { <input type="hidden" name=*name value=value/> }.into_any())
        })
        .collect()
}

/// A filter's value as the rest of the page says it.
fn said(name: &str, value: &str) -> String {
    let known = match name {
        "label" => value.parse().ok().map(|label: Label| label.words().to_owned()),
        "action" => value
            .parse()
            .ok()
            .map(|action: Action| words::action(action).to_owned()),
        "age" => value.parse().ok().map(|age: Age| age.words().to_owned()),
        "from" | "to" => moment(value),
        "category" if value == NOT_STATED => Some("not stated".to_owned()),
        "unseen" => value.parse().ok().map(|one: Unseen| one.words().to_owned()),
        "counted" => value.parse().ok().map(|one: Counted| one.words().to_owned()),
        "phase" | "category" | "disposition" | "state" => Some(value.replace('_', " ")),
        // An open list: as it is.
        _ => None,
    };
    known.unwrap_or_else(|| visible(value))
}

/// `30 Nov 2026 11:00 UTC`; a day alone stays as it is.
fn moment(text: &str) -> Option<String> {
    let with_zone = DateTime::parse_from_rfc3339(text).map(|at| at.naive_utc());
    let at = with_zone
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M"))
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M"))
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f"));
    at.ok().map(|at| at.format("%-d %b %Y %H:%M UTC").to_string())
}

/// The filters in words: `label Local delivery failure, queue delivery`.
pub fn in_words(filters: &Query, table: &[(&str, &'static str)]) -> String {
    let said = filters.0.iter().filter_map(|(name, value)| {
        let (_, words) = table.iter().find(|(own, _)| own == name)?;
        Some(format!("{words} {}", said(name, value)))
    });
    said.collect::<Vec<_>>().join(", ")
}

/// One chip for each filter in the URL; its link is the same list without it.
pub fn chips(head: AnyView, path: &str, filters: &Query, table: &[(&str, &'static str)]) -> AnyView {
    let items = filters
        .0
        .iter()
        .filter_map(|(name, value)| {
            // What only shapes the list is no filter, and has no chip.
            let (_, words) = table.iter().find(|(own, _)| own == name)?;
            let href = href::with(path, &filters.without(name));
            let value = said(name, value);
            let name = name.clone();
            Some(view! {
                <a class="chip" href=href data-filter=name>
                    <span>{*words} " " {value}</span>
                    {icon("x")}
                    <span class="vh">"remove this filter"</span>
                </a>
            })
        })
        .collect::<Vec<_>>();
    let clear = (items.len() > 1).then(|| {
        let path = path.to_owned();
        view! { <a href=path>"Clear all"</a> }
    });
    view! { <div class="chips">{head} {items} {clear}</div> }.into_any()
}
