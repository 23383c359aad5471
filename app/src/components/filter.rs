//! Filters: chips that mirror the URL, and fields that write it.

use super::icon::icon;
use super::text::visible;
use crate::href::{self, Query};
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

/// One chip for each filter in the URL; its link is the same list without it.
pub fn chips(head: AnyView, path: &str, filters: &Query, table: &[(&str, &'static str)]) -> AnyView {
    let items = filters
        .0
        .iter()
        .map(|(name, value)| {
            let words = table
                .iter()
                .find(|(own, _)| own == name)
                .map_or("", |(_, words)| *words);
            let href = href::with(path, &filters.without(name));
            let name = name.clone();
            let value = visible(&value.replace('_', " "));
            view! {
                <a class="chip" href=href data-filter=name>
                    <span>{words} " " {value}</span>
                    {icon("x")}
                    <span class="vh">"remove this filter"</span>
                </a>
            }
        })
        .collect::<Vec<_>>();
    let clear = (items.len() > 1).then(|| {
        let path = path.to_owned();
        view! { <a href=path>"Clear all"</a> }
    });
    view! { <div class="chips">{head} {items} {clear}</div> }.into_any()
}
