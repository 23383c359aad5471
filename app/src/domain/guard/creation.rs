//! Guards of `dispatch`: they run when planned, when confirmed and when sent.

use super::outside::no_competing_job;
use super::read::provider_pinned;
use super::{Bench, GuardName, GuardResult, OwnerFacts, ProviderFacts, SpecificationFacts};
use crate::domain::operation::Dispatch;
use chrono::{DateTime, Duration, Utc};
use rust_decimal::Decimal;

pub(super) fn guards(bench: &Bench<'_>) -> Vec<GuardResult> {
    let owner = bench.facts.owner.as_ref();
    let specification = bench.facts.specification.as_ref();
    vec![
        provider_pinned(bench),
        confirmed_not_sent(bench),
        no_earlier_open_attempt(bench),
        no_competing_job(bench),
        specification_current(bench, specification),
        model_available(bench, specification),
        owner_authorized(bench, owner),
        budget_sufficient(bench, owner, specification),
        facts_fresh(bench, owner, specification),
        creation_not_paused(bench),
        parent_settled(bench),
    ]
}

fn confirmed_not_sent(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::ConfirmedNotSent;
    match bench.record.dispatch {
        Dispatch::ConfirmedNotSent => GuardResult::pass(name, "It is recorded that nothing was sent."),
        other @ (Dispatch::NotRecorded | Dispatch::OutcomeUnknown | Dispatch::Sent) => GuardResult::block(
            name,
            format!("The evidence says {other}: only proof that nothing was sent allows a creation."),
        ),
    }
}

fn no_earlier_open_attempt(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::NoEarlierOpenAttempt;
    match (
        bench.evidence.attempts.iter().find(|attempt| attempt.is_open()),
        bench.evidence.attempts.last(),
    ) {
        (Some(open), _) => GuardResult::block(
            name,
            format!(
                "Attempt {} has no known outcome: look for its job at the provider, then attach it or confirm that \
                 nothing was sent.",
                open.number
            ),
        ),
        (None, Some(last)) => GuardResult::pass(
            name,
            match &last.receipt {
                Some(receipt) => {
                    format!("Attempt {} has the receipt {}.", last.number, receipt.kind)
                }
                None => "No attempt is open.".to_owned(),
            },
        ),
        (None, None) => GuardResult::pass(name, "Nothing was attempted before."),
    }
}

fn specification_current(bench: &Bench<'_>, facts: Option<&SpecificationFacts>) -> GuardResult {
    let name = GuardName::SpecificationCurrent;
    let wanted = &bench.record.specification;
    let Some(facts) = facts else {
        return specification_missing(bench, name);
    };
    if !facts.active {
        GuardResult::block(name, format!("{} is not active any more.", wanted.id))
    } else if facts.current_revision != wanted.revision {
        GuardResult::block(
            name,
            format!(
                "{} is at revision {}, and this operation was prepared from revision {}: prepare a new operation.",
                wanted.id, facts.current_revision, wanted.revision
            ),
        )
    } else if !facts.has_body {
        GuardResult::warn(
            name,
            format!(
                "The body of {} was never reported: the provider would be sent our reference alone.",
                wanted.id
            ),
        )
    } else {
        GuardResult::pass(
            name,
            format!("{} r{} is the current revision.", wanted.id, wanted.revision),
        )
    }
}

fn model_available(bench: &Bench<'_>, facts: Option<&SpecificationFacts>) -> GuardResult {
    let name = GuardName::ModelAvailable;
    let Some(facts) = facts else {
        return specification_missing(bench, name);
    };
    let wanted = bench.record.model.as_deref();
    let model = wanted.or(facts.model.as_deref()).unwrap_or("the model");
    match (wanted, facts.model.as_deref()) {
        (Some(wanted), Some(current)) if wanted != current => GuardResult::block(
            name,
            format!(
                "The specification now asks for {current}, and this operation was prepared for {wanted}."
            ),
        ),
        (Some(_) | None, Some(_) | None) if !facts.model_available => GuardResult::block(
            name,
            format!("{model} is not available: wait for it, or for a new report about it."),
        ),
        (Some(_) | None, Some(_) | None) => GuardResult::pass(name, format!("{model} is available.")),
    }
}

fn owner_authorized(bench: &Bench<'_>, facts: Option<&OwnerFacts>) -> GuardResult {
    let name = GuardName::OwnerAuthorized;
    match facts {
        None => owner_missing(bench, name),
        Some(owner) if owner.authorized => {
            GuardResult::pass(name, format!("{} may create.", bench.record.owner))
        }
        Some(_) => GuardResult::block(
            name,
            format!(
                "{} may not create: the application has to authorize it again.",
                bench.record.owner
            ),
        ),
    }
}

fn budget_sufficient(
    bench: &Bench<'_>,
    owner: Option<&OwnerFacts>,
    specification: Option<&SpecificationFacts>,
) -> GuardResult {
    let name = GuardName::BudgetSufficient;
    let Some(owner) = owner else {
        return owner_missing(bench, name);
    };
    let Some(specification) = specification else {
        return specification_missing(bench, name);
    };
    let (remaining, reserved, needed) = (
        owner.remaining_credits,
        bench.facts.reserved_elsewhere,
        specification.estimated_credits,
    );
    let left = remaining.saturating_sub(reserved).saturating_sub(needed);
    let figures = format!(
        "{} credits remain, {} reserved elsewhere, {} needed",
        remaining.normalize(),
        reserved.normalize(),
        needed.normalize()
    );
    if left >= Decimal::ZERO {
        GuardResult::pass(name, format!("{figures}: {} would be left.", left.normalize()))
    } else {
        GuardResult::block(name, format!("{figures}: {} too few.", left.abs().normalize()))
    }
}

fn facts_fresh(
    bench: &Bench<'_>,
    owner: Option<&OwnerFacts>,
    specification: Option<&SpecificationFacts>,
) -> GuardResult {
    let name = GuardName::FactsFresh;
    let Some(owner) = owner else {
        return owner_missing(bench, name);
    };
    let Some(specification) = specification else {
        return specification_missing(bench, name);
    };
    let (whose, as_of) = if owner.as_of <= specification.as_of {
        ("Owner", owner.as_of)
    } else {
        ("Specification", specification.as_of)
    };
    let age = age(bench.now, as_of);
    let most = bench.facts.facts_max_age;
    let detail = format!(
        "{whose} facts are {} old; they block at {}.",
        in_words(age),
        in_words(most)
    );
    if age > most {
        GuardResult::block(
            name,
            format!("{detail} The application has to report them again."),
        )
    } else if warns(age, most) {
        GuardResult::warn(name, detail)
    } else {
        GuardResult::pass(name, detail)
    }
}

fn creation_not_paused(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::CreationNotPaused;
    let provider = &bench.record.provider;
    match &bench.facts.provider {
        ProviderFacts::Configured {
            creation_paused: Some(why),
            ..
        } => GuardResult::block(
            name,
            format!("{provider}: creation is paused ({why}). An admin can switch it on."),
        ),
        ProviderFacts::Configured {
            creation_paused: None,
            ..
        }
        | ProviderFacts::Missing => GuardResult::pass(name, format!("{provider}: creation is on.")),
    }
}

fn parent_settled(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::ParentSettled;
    let Some(parent) = &bench.record.parent else {
        return GuardResult::pass(name, format!("{} has no parent.", bench.record.id));
    };
    match &bench.facts.parent {
        Some(facts) if facts.still_allows => {
            GuardResult::pass(name, format!("Its parent {parent} still allows a new operation."))
        }
        Some(_) => GuardResult::block(
            name,
            format!(
                "Its parent {parent} has moved on and may yet succeed: settle or close the parent first."
            ),
        ),
        None => GuardResult::block(
            name,
            format!("Its parent {parent} is not recorded here: report it first."),
        ),
    }
}

fn owner_missing(bench: &Bench<'_>, name: GuardName) -> GuardResult {
    GuardResult::block(
        name,
        format!(
            "Nothing is known of owner {}: the application has to report it.",
            bench.record.owner
        ),
    )
}

fn specification_missing(bench: &Bench<'_>, name: GuardName) -> GuardResult {
    GuardResult::block(
        name,
        format!(
            "Nothing is known of specification {}: the application has to report it.",
            bench.record.specification.id
        ),
    )
}

/// Never negative: a report from a clock ahead of ours is new.
fn age(now: DateTime<Utc>, as_of: DateTime<Utc>) -> Duration {
    now.signed_duration_since(as_of).max(Duration::zero())
}

/// From 80 % of the allowed age on.
fn warns(age: Duration, most: Duration) -> bool {
    i128::from(age.num_milliseconds()) * 5 >= i128::from(most.num_milliseconds()) * 4
}

fn in_words(duration: Duration) -> String {
    match duration.num_seconds() {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds @ 172_800.. => format!("{} days", seconds / 86_400),
    }
}
