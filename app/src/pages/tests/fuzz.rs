//! Any address of ours: its filters are read or refused, and what is read comes back the same.

use crate::fuzzing::cases;
use crate::href::{self, Query};
use crate::pages::query;
use proptest::prelude::*;

fn names() -> Vec<&'static str> {
    let tables = [query::DEAD_LETTER_NAMES, query::AUDIT_NAMES];
    let mut names: Vec<&str> = tables.concat().iter().map(|(name, _)| *name).collect();
    names.extend([
        "cursor",
        "limit",
        "state",
        "back",
        "done",
        "refused",
        "form",
        "typed.reason",
        "stray",
    ]);
    names
}

fn any_query() -> impl Strategy<Value = Query> {
    let value = prop_oneof![
        "\\PC{0,20}",
        prop::sample::select(vec![
            "closed",
            "dispatch",
            "2026-11-30",
            "200",
            "201",
            "-1",
            "open",
            "",
            "2026-11-30T10:00:00Z"
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec((prop::sample::select(names()), value), 0..6).prop_map(|pairs| {
        Query(
            pairs
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    })
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_query_comes_back_as_it_was(query in any_query()) {
        prop_assert_eq!(&Query::parse(&query.to_text()), &query);
    }

    #[test]
    fn any_text_is_a_query(text in "\\PC{0,60}") {
        let query = Query::parse(&text);
        prop_assert_eq!(&Query::parse(&query.to_text()), &query);
    }

    #[test]
    fn filters_are_read_or_refused(query in any_query()) {
        if let Ok(page) = query::page(&query) {
            prop_assert!((1..=200).contains(&page.limit));
        }
        if let Ok(filter) = query::dead_letters(&query) {
            prop_assert!(filter.from.zip(filter.to).is_none_or(|(from, to)| from <= to));
        }
        if let Ok(filter) = query::audit(&query) {
            prop_assert!(filter.from.zip(filter.to).is_none_or(|(from, to)| from <= to));
        }
        let _ = (query::operations(&query).is_ok(), query::recoveries(&query).is_ok());
        prop_assert!(query::way_back(&query).0.len() <= query.0.len() + 20);
    }

    #[test]
    fn any_id_is_one_segment(id in "\\PC{1,40}") {
        let path = href::operation(&id);
        let segment = path.strip_prefix("/operations/").unwrap_or_default();
        prop_assert!(!segment.contains(['/', '?', '#', '\\']), "{}", segment);
        prop_assert_eq!(href::decode(segment), id);
        prop_assert!(href::is_ours(&path));
    }
}
