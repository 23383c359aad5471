//! Outputs in a sentence: as ranges or as a count, so that twenty of them read as easily as two.

use crate::domain::operation::ErrorCategory;

/// The most things that a sentence names: ids, single indexes, ranges.
pub(super) const NAMED_IN_A_SENTENCE: usize = 6;

/// From, to; both belong to it.
type Run = (u32, u32);

/// In ascending order. Two neighbours stay two: "0 and 1" is no longer than "0 to 1".
fn runs(indexes: &[u32]) -> Vec<Run> {
    let mut sorted = indexes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut runs: Vec<Run> = Vec::new();
    for index in sorted {
        match runs.last_mut() {
            Some((_, to)) if to.checked_add(1) == Some(index) => *to = index,
            Some(_) | None => runs.push((index, index)),
        }
    }
    runs.into_iter()
        .flat_map(|(from, to)| {
            if to - from == 1 {
                vec![(from, from), (to, to)]
            } else {
                vec![(from, to)]
            }
        })
        .collect()
}

/// As it is read: `2`, `0 to 18`.
fn worded(runs: &[Run]) -> Vec<String> {
    runs.iter()
        .map(|(from, to)| {
            if from == to {
                from.to_string()
            } else {
                format!("{from} to {to}")
            }
        })
        .collect()
}

/// `a`, `a and b`, `a, b and 12 more`; `none` without a word.
pub(super) fn joined(mut words: Vec<String>, more: usize) -> String {
    if more > 0 {
        words.push(format!("{more} more"));
    }
    match words.split_last() {
        None => "none".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// Every index, the longest runs as ranges: `2`, `0, 2 and 3`, `0 to 18 and 20`.
pub fn ranges(indexes: &[u32]) -> String {
    joined(worded(&runs(indexes)), 0)
}

/// With their noun: `output 2`, `outputs 0 to 18 and 20`, `all 20 outputs`. `of` is how many there are in all, as far as
/// anybody said. What is scattered too widely for a sentence ends in `and 12 more`.
pub fn outputs(indexes: &[u32], of: usize) -> String {
    let mut distinct = indexes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let number = distinct.len();
    if number == of && number > 2 {
        return format!("all {number} outputs");
    }
    let runs = runs(&distinct);
    let named = &runs[..runs.len().min(NAMED_IN_A_SENTENCE)];
    let covered: usize = named
        .iter()
        .map(|(from, to)| usize::try_from(to - from).unwrap_or(usize::MAX).saturating_add(1))
        .sum();
    let noun = if number == 1 { "output" } else { "outputs" };
    format!("{noun} {}", joined(worded(named), number.saturating_sub(covered)))
}

/// Those that share a word, together, in the order in which the words come first.
pub fn grouped<T: PartialEq>(all: impl IntoIterator<Item = (u32, T)>) -> Vec<(Vec<u32>, T)> {
    let mut groups: Vec<(Vec<u32>, T)> = Vec::new();
    for (index, word) in all {
        match groups.iter_mut().find(|(_, known)| *known == word) {
            Some((indexes, _)) => indexes.push(index),
            None => groups.push((vec![index], word)),
        }
    }
    groups
}

/// Why outputs are not ours: `outputs 0 to 18: http_5xx; output 19: not_found`.
pub fn failures(all: impl IntoIterator<Item = (u32, ErrorCategory)>) -> String {
    grouped(all)
        .into_iter()
        .map(|(indexes, category)| format!("{}: {category}", outputs(&indexes, 0)))
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_a_range() {
        let until = |last: u32| (0..=last).collect::<Vec<u32>>();
        for (indexes, words) in [
            (vec![], "none"),
            (vec![2], "2"),
            (vec![0, 1], "0 and 1"),
            (vec![0, 2, 3], "0, 2 and 3"),
            (vec![3, 2, 1, 1], "1 to 3"),
            (until(19), "0 to 19"),
            ([until(18), vec![20]].concat(), "0 to 18 and 20"),
            (vec![0, 2, 3, 4, 9, u32::MAX], "0, 2 to 4, 9 and 4294967295"),
        ] {
            assert_eq!(ranges(&indexes), words);
        }
    }

    #[test]
    fn a_sentence_names_them_or_counts_them() {
        let until = |last: u32| (0..=last).collect::<Vec<u32>>();
        let every_other: Vec<u32> = (0..40).step_by(2).collect();
        for (indexes, of, words) in [
            (vec![2], 3, "output 2"),
            (vec![0], 1, "output 0"),
            (vec![0, 1], 2, "outputs 0 and 1"),
            (until(2), 3, "all 3 outputs"),
            (until(19), 20, "all 20 outputs"),
            (until(19), 21, "outputs 0 to 19"),
            (until(19), 0, "outputs 0 to 19"),
            (every_other, 40, "outputs 0, 2, 4, 6, 8, 10 and 14 more"),
        ] {
            assert_eq!(outputs(&indexes, of), words);
        }
    }

    #[test]
    fn what_failed_alike_is_told_once() {
        let lost = (0..19).map(|index| (index, ErrorCategory::Http5xx));
        let all = lost.chain([(19, ErrorCategory::NotFound)]);
        assert_eq!(failures(all), "outputs 0 to 18: http_5xx; output 19: not_found");
        assert_eq!(failures([(2, ErrorCategory::Timeout)]), "output 2: timeout");
        assert_eq!(failures([]), "");
    }
}
