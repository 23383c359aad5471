//! Prose with ids in it: what a person would copy stands in the letters of the machine, the sentence around it does not.

use super::text::boxed;
use crate::desk::view::OperationView;
use crate::domain::ids::JobId;
use crate::domain::plan::Plan;
use crate::domain::recovery::Recovery;
use leptos::prelude::*;

/// Ids that a plan's sentences speak of.
pub fn ids_of_plan(plan: &Plan) -> Vec<&str> {
    let reads = plan.alternatives.iter().map(|one| one.job_id.as_str());
    let job = plan.job_id.as_ref().map(JobId::as_str);
    job.into_iter()
        .chain(reads)
        .chain([plan.operation_id.as_str()])
        .collect()
}

/// Ids that the sentences of an operation's page speak of.
pub fn ids_of_operation(view: &OperationView) -> Vec<&str> {
    let named = view
        .dead_letters
        .iter()
        .filter_map(|letter| letter.job_id.as_ref());
    let others = view.remote.other_jobs.iter().map(|other| &other.job_id);
    let jobs = view.remote.job_id.iter().chain(others).chain(named);
    jobs.map(JobId::as_str).chain(ids_of_plan(&view.plan)).collect()
}

/// Ids that a recovery's outcome speaks of.
pub fn ids_of_recovery(recovery: &Recovery) -> Vec<&str> {
    let job = recovery.remote_job_id.as_ref().map(JobId::as_str);
    job.into_iter().chain([recovery.operation_id.as_str()]).collect()
}

const fn is_part_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || !c.is_ascii()
}

/// `gj_63`, `op_92bba83f37737a89`, a UUID, the eight characters that we cut one to. Not `2026-11-30`, not `3-day`.
fn looks_like_an_id(word: &str) -> bool {
    let has = |wanted: fn(&char) -> bool| word.chars().any(|c| wanted(&c));
    if !word.is_ascii() || !has(char::is_ascii_digit) || !has(char::is_ascii_alphabetic) {
        return false;
    }
    let is_long = word.len() >= 16 && word.contains('-');
    let is_hex = word.len() >= 8 && !has(|c| !c.is_ascii_hexdigit());
    word.trim_matches('_').contains('_') || is_long || is_hex
}

/// The text in pieces that make it up again, and whether each is an id: one of `ids`, or a word that looks like one.
fn pieces<'a>(text: &'a str, ids: &[&str]) -> Vec<(bool, &'a str)> {
    let mut pieces = Vec::new();
    let (mut begun, mut at) = (0, 0);
    while let Some(first) = text[at..].chars().next() {
        let word = text[at..]
            .find(|c: char| !is_part_of_a_word(c))
            .map_or(text.len(), |length| at + length);
        // The longest known id that ends where a word does; an id may hold what no word does.
        let known = ids
            .iter()
            .filter(|id| !id.is_empty() && text[at..].starts_with(**id))
            .map(|id| at + id.len())
            .filter(|end| !text[*end..].starts_with(is_part_of_a_word))
            .max();
        let end = known.or_else(|| looks_like_an_id(&text[at..word]).then_some(word));
        if let Some(end) = end {
            if begun < at {
                pieces.push((false, &text[begun..at]));
            }
            pieces.push((true, &text[at..end]));
            (begun, at) = (end, end);
        } else {
            at = word.max(at + first.len_utf8());
        }
    }
    if begun < text.len() {
        pieces.push((false, &text[begun..]));
    }
    pieces
}

/// A sentence, with its ids in mono. The text is what it was: selected and copied it is the same, and it is escaped.
pub fn said(text: &str, ids: &[&str]) -> AnyView {
    let views = pieces(text, ids)
        .into_iter()
        .map(|(is_id, piece)| {
            let shown = boxed(piece);
            if is_id {
                view! { <span class="m">{shown}</span> }.into_any()
            } else {
                shown
            }
        })
        .collect::<Vec<_>>();
    view! { <bdi>{views}</bdi> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids_of<'a>(text: &'a str, known: &[&str]) -> Vec<&'a str> {
        let pieces = pieces(text, known);
        let whole: String = pieces.iter().map(|(_, piece)| *piece).collect();
        assert_eq!(whole, text, "nothing is lost or added");
        pieces
            .into_iter()
            .filter_map(|(is_id, piece)| is_id.then_some(piece))
            .collect()
    }

    #[test]
    fn ids_are_found_in_a_sentence() {
        for (text, known, found) in [
            ("Of job gj_63, the render succeeded.", &[][..], &["gj_63"][..]),
            ("Reads the status of job 63. Creates nothing.", &["63"], &["63"]),
            ("Job a/b c; and job a/b.", &["a/b", "a/b c"], &["a/b c", "a/b"]),
            (
                "message f2697d95-56b1-4fec-a0dd-dd1a3065f7de died",
                &[],
                &["f2697d95-56b1-4fec-a0dd-dd1a3065f7de"],
            ),
            ("one replay counted on message f2697d95", &[], &["f2697d95"]),
            ("63 credits; 630 and x63 are others", &["630"], &["630"]),
            (
                "2026-11-30 14:05:11, 3-day, outcome_unknown, 12 credits, ägj_1 ß",
                &[],
                &[],
            ),
            ("", &["a"], &[]),
            ("gj_é1", &["gj_é1", ""], &["gj_é1"]),
        ] {
            assert_eq!(ids_of(text, known), found, "{text}");
        }
    }

    #[test]
    fn a_sentence_stays_a_text() {
        let html = said("Job <b>_1\u{202e} & gj_1.", &["<b>_1\u{202e}"]).to_html();
        assert!(!html.contains("<b>"), "{html}");
        assert!(html.contains("&lt;b&gt;_1") && html.contains("U+202E"), "{html}");
        assert!(html.contains("&amp;"), "{html}");
        assert_eq!(html.matches("class=\"m\"").count(), 2, "{html}");
    }
}
