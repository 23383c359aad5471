//! The way back, with the filters of the list that led here.

use super::filter::in_words;
use crate::href::{self, Query};
use crate::pages::query::DEAD_LETTER_NAMES;
use leptos::prelude::*;

/// One step: words, and where it leads; the last one leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crumb {
    pub words: String,
    pub href: Option<String>,
    /// An id, set in mono.
    pub is_id: bool,
}

impl Crumb {
    pub fn link(words: impl Into<String>, href: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            href: Some(href.into()),
            is_id: false,
        }
    }

    /// The desk, as the reader left it: the link keeps its filters, and the words say which they were.
    pub fn desk(back: &Query) -> Self {
        let filters = in_words(back, DEAD_LETTER_NAMES);
        let words = if filters.is_empty() {
            "Dead letters".to_owned()
        } else {
            format!("Dead letters: {filters}")
        };
        Self::link(words, href::with(href::DEAD_LETTERS, back))
    }

    pub fn id(words: impl Into<String>, href: impl Into<String>) -> Self {
        Self {
            is_id: true,
            ..Self::link(words, href)
        }
    }

    pub fn here(words: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            href: None,
            is_id: false,
        }
    }
}

pub fn crumbs(steps: Vec<Crumb>) -> AnyView {
    let items = steps.into_iter().map(|step| {
        let class = step.is_id.then_some("m");
        let words = super::text::outside(&step.words);
        match step.href {
            Some(href) => view! { <li><a href=href class=class>{words}</a></li> }.into_any(),
            None => view! { <li><span class=class aria-current="page">{words}</span></li> }.into_any(),
        }
    });
    view! { <nav class="crumb" aria-label="Breadcrumb"><ol>{items.collect::<Vec<_>>()}</ol></nav> }.into_any()
}
