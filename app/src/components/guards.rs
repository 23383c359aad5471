//! Guards: each named precondition with its verdict and its sentence. Those that warn or block stand first.

use super::badge::{tag, verdict};
use super::said::said;
use crate::domain::guard::{GuardResult, Verdict};
use leptos::prelude::*;

/// More passing guards than this are folded.
const SHOWN: usize = 10;

fn count(guards: &[GuardResult], wanted: Verdict) -> usize {
    guards.iter().filter(|guard| guard.verdict == wanted).count()
}

/// `all 7 pass`, or `6 pass, 1 warns, none blocks`.
pub fn tally(guards: &[GuardResult]) -> String {
    let (warn, block) = (count(guards, Verdict::Warn), count(guards, Verdict::Block));
    let pass = count(guards, Verdict::Pass);
    match (warn, block) {
        (0, 0) if guards.is_empty() => "none apply".to_owned(),
        (0, 0) => format!("all {pass} pass"),
        (warn, block) => {
            let verb = |number, one: &str, many: &str| match number {
                0 => format!("none {one}"),
                1 => format!("1 {one}"),
                more => format!("{more} {many}"),
            };
            format!(
                "{pass} pass, {}, {}",
                verb(warn, "warns", "warn"),
                verb(block, "blocks", "block")
            )
        }
    }
}

/// The sentence of the first guard that blocks.
pub fn blocked(guards: &[GuardResult]) -> Option<&str> {
    guards
        .iter()
        .find(|guard| guard.verdict == Verdict::Block)
        .map(|guard| guard.detail.as_str())
}

fn item(guard: GuardResult, ids: &[&str]) -> AnyView {
    view! {
        <li data-guard=guard.guard.as_str() data-verdict=guard.verdict.as_str()>
            <span>{tag(verdict(guard.verdict))}</span>
            <code>{guard.guard.as_str()}</code>
            <span>{said(&guard.detail, ids)}</span>
        </li>
    }
    .into_any()
}

pub fn guards(mut list: Vec<GuardResult>, ids: &[&str]) -> AnyView {
    let item = |guard| item(guard, ids);
    // Block, warn, pass; the design's order within each.
    list.sort_by_key(|guard| std::cmp::Reverse(guard.verdict));
    let folded = if list.len() > SHOWN {
        list.split_off(SHOWN)
    } else {
        Vec::new()
    };
    let more = (!folded.is_empty()).then(|| {
        let all_pass = folded.iter().all(|guard| guard.verdict == Verdict::Pass);
        let words = format!(
            "{} more guards{}",
            folded.len(),
            if all_pass { " pass" } else { "" }
        );
        view! {
            <details>
                <summary>{words}</summary>
                <ul class="guards">{folded.into_iter().map(item).collect::<Vec<_>>()}</ul>
            </details>
        }
    });
    view! {
        <ul class="guards">{list.into_iter().map(item).collect::<Vec<_>>()}</ul>
        {more}
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::guard::GuardName;

    #[test]
    fn the_tally_counts_all_three() {
        let guard = |verdict| GuardResult {
            guard: GuardName::JobKnown,
            verdict,
            detail: "why".to_owned(),
        };
        assert_eq!(tally(&[guard(Verdict::Pass), guard(Verdict::Pass)]), "all 2 pass");
        assert_eq!(
            tally(&[guard(Verdict::Pass), guard(Verdict::Warn)]),
            "1 pass, 1 warns, none blocks"
        );
        assert_eq!(blocked(&[guard(Verdict::Warn)]), None);
        assert_eq!(blocked(&[guard(Verdict::Block)]), Some("why"));
    }
}
