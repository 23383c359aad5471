//! Why the desk shows no rows: nothing ever died, nothing matches, or the list cannot be read.

use super::desk::Model;
use crate::components::empty::Empty;
use crate::components::words;
use crate::href;

pub(super) fn no_rows(model: &Model) -> Option<Empty> {
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
            text: match (model.summary.total, model.summary.capped) {
                // The rail's counts are under the same search: they say nothing of the letters outside it.
                (0, _) => "No dead letter fits all of them. Take one away to see more.".to_owned(),
                (total, true) => format!(
                    "{} dead letters exist under the other filters.",
                    words::counted(total, true)
                ),
                (total, false) => format!(
                    "{} under the other filters.",
                    words::count(total, "dead letter exists", "dead letters exist")
                ),
            },
            clear: href::DEAD_LETTERS.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use crate::pages::desk::{samples, view};
    use chrono::DateTime;
    use leptos::prelude::*;

    /// The rail counts under the same search: its zero says nothing of how many there are.
    #[test]
    fn a_search_that_finds_nothing_does_not_say_that_nothing_exists() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).expect("a time");
        let html_of = |name: &str| {
            let model = samples(now).into_iter().find(|(own, _)| *own == name);
            view(model.expect("a sample").1).to_html()
        };
        let nothing = html_of("desk-nothing");
        assert!(nothing.contains("No dead letter fits all of them."), "{nothing}");
        assert!(!nothing.contains("under the other filters"), "{nothing}");
        assert!(html_of("desk-filtered").contains("under the other filters"));
    }
}
