//! Guards of `observe`, `deliver` and `inspect_accounting`; and the provider's pin, which creation shares.

use super::{Bench, GuardName, GuardResult, ProviderFacts};
use crate::domain::remote::Fetch;

/// How much of a fingerprint is shown.
const FINGERPRINT_SHOWN: usize = 6;

pub(super) fn guards(bench: &Bench<'_>) -> Vec<GuardResult> {
    vec![
        job_known(bench),
        provider_pinned(bench),
        credentials_accepted(bench),
    ]
}

fn job_known(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::JobKnown;
    let Some(job) = &bench.plan.job_id else {
        return GuardResult::block(name, "No job id is known: find it at the provider and attach it.");
    };
    if bench.record.job_id.as_ref() == Some(job) {
        GuardResult::pass(name, format!("{job} is attached."))
    } else if bench.evidence.known_jobs(bench.record).contains(job) {
        GuardResult::pass(name, format!("{job} is not attached, but known from evidence."))
    } else {
        GuardResult::block(name, format!("{job} is not known to this operation."))
    }
}

pub(super) fn provider_pinned(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::ProviderPinned;
    let record = bench.record;
    let who = if record.account.is_empty() {
        record.provider.clone()
    } else {
        format!("{}, account {}", record.provider, record.account)
    };
    match (&bench.facts.provider, &record.fingerprint) {
        (ProviderFacts::Missing, Some(_) | None) => GuardResult::block(
            name,
            format!(
                "No provider {} is configured: add it to the configuration.",
                record.provider
            ),
        ),
        (ProviderFacts::Configured { .. }, None) => GuardResult::block(
            name,
            format!(
                "{who} was not configured when the record was made: the next report about the operation pins it."
            ),
        ),
        (ProviderFacts::Configured { fingerprint, .. }, Some(pinned)) if fingerprint == pinned => {
            let shown: String = pinned.chars().take(FINGERPRINT_SHOWN).collect();
            GuardResult::pass(name, format!("{who}: fingerprint {shown} matches."))
        }
        (ProviderFacts::Configured { .. }, Some(_)) => GuardResult::block(
            name,
            format!(
                "The configuration of {who} has changed since the record was made, and an old id is never sent \
                 elsewhere: restore the address and account it was made with."
            ),
        ),
    }
}

fn credentials_accepted(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::CredentialsAccepted;
    let record = bench.record;
    let job = bench.plan.job_id.as_ref();
    let axes = if record.job_id.as_ref() == job {
        Some(&record.remote)
    } else {
        record
            .other_jobs
            .iter()
            .find(|other| Some(&other.job_id) == job)
            .map(|other| &other.job.remote)
    };
    match axes.and_then(|axes| axes.fetch) {
        Some(refused @ (Fetch::Forbidden | Fetch::Unauthorized)) => GuardResult::warn(
            name,
            format!("The last read was refused ({refused}): check the key. Reading again harms nothing."),
        ),
        Some(
            Fetch::Ok
            | Fetch::NotFound
            | Fetch::RateLimited
            | Fetch::ServerError
            | Fetch::BadPayload
            | Fetch::Network
            | Fetch::Blocked,
        ) => GuardResult::pass(name, "The last read was not refused."),
        None => GuardResult::pass(name, "Nothing was refused yet: it was never read."),
    }
}
