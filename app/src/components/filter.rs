//! Filters: chips that mirror the URL, and fields that write it.

use super::icon::icon;
use super::text::visible;
use super::words;
use crate::desk::Age;
use crate::domain::label::Label;
use crate::domain::plan::Action;
use crate::href::{self, Query};
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
pub fn line(name: &'static str, words: &'static str, query: &Query, kind: &'static str) -> AnyView {
    let value = query.get(name).unwrap_or_default().to_owned();
    view! {
        <label class="field"><span>{words}</span><input type=kind name=name value=value/></label>
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
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f"));
    at.ok().map(|at| at.format("%-d %b %Y %H:%M UTC").to_string())
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
