//! One answer of a job → the five axes, by profile. Pure.

use super::answer::{Answer, Observation, OutputLink};
use super::json::{Doc, text_of};
use crate::config::{ProviderConfig, States};
use app::domain::ids::JobId;
use app::domain::money::{Charge, ChargeState};
use app::domain::remote::{Execution, Fetch, Output, Reason, raw_status};
use chrono::{DateTime, Utc};
use url::Url;

/// The most outputs that one job can list.
const MAX_OUTPUTS: usize = 1000;
/// The longest content type that is kept, in bytes.
const MAX_CONTENT_TYPE: usize = 100;

/// Reads a good (2xx) answer about `job_id`. HTML, truncated JSON, another id, no state, or outputs that are no
/// list: `bad_payload`, with nothing of the body kept.
pub fn read(body: &[u8], job_id: &JobId, url: &Url, provider: &ProviderConfig, at: DateTime<Utc>) -> Answer {
    let text = text_of(body);
    Doc::parse(&text)
        .filter(|doc| doc.is_object())
        .and_then(|doc| read_object(doc, job_id, url, provider, at))
        .unwrap_or_else(|| Answer::failed(Fetch::BadPayload, at))
}

fn read_object(
    doc: Doc<'_>,
    job_id: &JobId,
    url: &Url,
    provider: &ProviderConfig,
    at: DateTime<Utc>,
) -> Option<Answer> {
    let profile = &provider.observe;
    if !profile.id.is_empty() && doc.at(&profile.id)?.id()? != job_id.as_str() {
        return None;
    }
    let raw = stated(doc, &profile.state)?.written();
    let execution = execution_of(&raw, &provider.states);
    let (outputs, links) = match stated(doc, &profile.outputs) {
        None => (None, Vec::new()),
        Some(list) => {
            let items = list.items().filter(|items| items.len() <= MAX_OUTPUTS)?;
            let (outputs, links): (Vec<Output>, Vec<Option<OutputLink>>) = (0..)
                .zip(items)
                .map(|(index, item)| output(index, item, url, provider))
                .unzip();
            (Some(outputs), links.into_iter().flatten().collect())
        }
    };
    let charge = charge(doc, provider);
    Some(Answer {
        observation: Observation {
            fetch: Fetch::Ok,
            execution: Some(execution),
            reason: Some(reason(doc, execution, provider)),
            raw_status: (execution == Execution::Unknown).then(|| raw_status(&raw)),
            outputs,
            outputs_expected: None,
            charge,
            observed_at: at,
        },
        links,
        client_reference: stated(doc, &provider.create.client_reference).and_then(Doc::string),
        retry_after: None,
    })
}

/// What stands at a pointer and is not `null`; an empty pointer names nothing.
fn stated<'a>(doc: Doc<'a>, pointer: &str) -> Option<Doc<'a>> {
    if pointer.is_empty() {
        None
    } else {
        doc.at(pointer).filter(|found| !found.is_null())
    }
}

fn execution_of(raw: &str, states: &States) -> Execution {
    [
        (&states.queued, Execution::Queued),
        (&states.running, Execution::Running),
        (&states.succeeded, Execution::Succeeded),
        (&states.failed, Execution::Failed),
        (&states.cancelled, Execution::Cancelled),
        (&states.expired, Execution::Expired),
    ]
    .into_iter()
    .find(|(words, _)| words.iter().any(|word| word == raw))
    .map_or(Execution::Unknown, |(_, execution)| execution)
}

fn reason(doc: Doc<'_>, execution: Execution, provider: &ProviderConfig) -> Reason {
    match execution {
        Execution::Unknown => Reason::Unrecognised,
        Execution::Queued | Execution::Running | Execution::Succeeded => Reason::None,
        Execution::Failed | Execution::Cancelled | Execution::Expired => {
            if stated(doc, &provider.observe.submission_failure).is_some_and(Doc::is_set) {
                return Reason::SubmissionFailure;
            }
            stated(doc, &provider.observe.error_code)
                .map_or(Reason::None, |code| reason_of_code(&code.written()))
        }
    }
}

/// What an error code means. Only the explicit marker means a submission failure: a word alone is no promise of
/// a refund.
pub(super) fn reason_of_code(code: &str) -> Reason {
    let code = code.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    if code.is_empty() {
        Reason::None
    } else if has(&["moderat", "content_policy", "policy_violation", "safety", "nsfw"]) {
        Reason::Moderation
    } else if has(&["timeout", "timed_out", "deadline"]) {
        Reason::Timeout
    } else if has(&["operator", "marked_failed", "manual"]) {
        Reason::OperatorMarked
    } else {
        Reason::ProviderError
    }
}

/// The credit fields of an answer; `None` when it says nothing about money.
pub(super) fn charge(doc: Doc<'_>, provider: &ProviderConfig) -> Option<Charge> {
    let profile = &provider.observe;
    let amount = |pointer: &str| stated(doc, pointer).and_then(Doc::amount);
    let reserved = amount(&profile.credits_reserved);
    let charged = amount(&profile.credits_charged);
    let refunded = amount(&profile.credits_refunded);
    let pending = stated(doc, &profile.compensation)
        .and_then(Doc::string)
        .is_some_and(|word| word == "pending");
    let state = Charge::state_of(pending, reserved, charged, refunded);
    let says_something =
        state != ChargeState::Unknown || reserved.is_some() || charged.is_some() || refunded.is_some();
    says_something.then_some(Charge {
        state,
        reserved,
        charged,
        refunded,
    })
}

/// One output: an object with a URL in it, or the URL itself.
fn output(index: u32, item: Doc<'_>, base: &Url, provider: &ProviderConfig) -> (Output, Option<OutputLink>) {
    let profile = &provider.observe;
    let text = |pointer: &str| stated(item, pointer).and_then(Doc::string);
    let content_type = text(&profile.output_content_type).filter(|text| is_content_type(text));
    let link = text(&profile.output_url)
        .or_else(|| item.string())
        .and_then(|url| base.join(&url).ok())
        .map(|url| OutputLink {
            index,
            url,
            content_type: content_type.clone(),
            sha256: text(&profile.output_sha256).map(|hash| hash.trim().to_ascii_lowercase()),
        });
    (Output { index, content_type }, link)
}

fn is_content_type(text: &str) -> bool {
    text.len() <= MAX_CONTENT_TYPE
        && text.contains('/')
        && text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

#[cfg(test)]
mod tests;
