//! What one creation request came to (DESIGN 4.6): by what came back, not by its status. Pure.

use super::json::{Doc, text_of};
use super::observe::{charge, reason_of_code};
use crate::config::ProviderConfig;
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::ids::JobId;
use app::domain::money::{Charge, ChargeState};
use app::domain::operation::ErrorCategory;
use app::domain::remote::Reason;
use http::HeaderMap;

/// Whether the answer names a job.
enum Named {
    /// This one, at this pointer or in this header.
    Job(JobId, String),
    /// Something stands where an id belongs, but it cannot be one. That is no proof of a refusal.
    Unusable,
    Nothing,
}

/// Judges an answer. `whole`: the body was read to its end.
///
/// A job id in body or headers, at any status: `accepted`. A JSON object, whole, with a listed status and no job
/// id: `rejected`. Everything else: `unknown`.
pub fn classify(
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    whole: bool,
    provider: &ProviderConfig,
) -> Receipt {
    let text = text_of(body);
    let doc = Doc::parse(&text).filter(|doc| doc.is_object());
    let said = doc.and_then(|doc| charge(doc, provider));
    let listed = provider.create.rejections.contains(&status);
    match named(doc, headers, provider) {
        Named::Job(job_id, at) => Receipt {
            kind: ReceiptKind::Accepted,
            status: Some(status),
            job_id: Some(job_id),
            job_id_at: Some(at),
            charge: said,
            detail: format!("{status} with a job id"),
            category: None,
        },
        Named::Nothing if doc.is_some() && whole && listed => Receipt {
            charge: said.or_else(|| uncharged(status, provider)),
            category: Some(rejection(status, doc, provider)),
            detail: format!("{status}: the provider refused the request"),
            ..receipt(ReceiptKind::Rejected, Some(status))
        },
        Named::Nothing | Named::Unusable => {
            let why = match (whole, doc.is_some()) {
                (false, _) => "with an answer that was cut off",
                (true, false) => "with a body that is no JSON object",
                (true, true) => "without a job id",
            };
            unknown(Some(status), category_of(status), format!("{status} {why}"))
        }
    }
}

/// Nothing left: name lookup, refused connection, TLS failure, or the lease over, before any byte of the request.
pub(super) fn not_sent(category: ErrorCategory, detail: impl Into<String>) -> Receipt {
    Receipt {
        category: Some(category),
        detail: detail.into(),
        ..receipt(ReceiptKind::NotSent, None)
    }
}

/// Something left, and what became of it is not known.
pub(super) fn unknown(status: Option<u16>, category: ErrorCategory, detail: impl Into<String>) -> Receipt {
    Receipt {
        category: Some(category),
        detail: detail.into(),
        ..receipt(ReceiptKind::Unknown, status)
    }
}

fn receipt(kind: ReceiptKind, status: Option<u16>) -> Receipt {
    Receipt {
        kind,
        status,
        job_id: None,
        job_id_at: None,
        charge: None,
        detail: String::new(),
        category: None,
    }
}

fn named(doc: Option<Doc<'_>>, headers: &HeaderMap, provider: &ProviderConfig) -> Named {
    let mut unusable = false;
    for pointer in &provider.create.job_id {
        let Some(found) = doc
            .and_then(|doc| doc.at(pointer))
            .filter(|found| !found.is_null())
        else {
            continue;
        };
        if found.string().is_some_and(|text| text.is_empty()) {
            continue;
        }
        match found.id().and_then(|id| JobId::parse(&id)) {
            Some(job_id) => return Named::Job(job_id, pointer.clone()),
            None => unusable = true,
        }
    }
    for name in &provider.create.job_id_headers {
        let Some(value) = headers.get(name.as_str()).filter(|value| !value.is_empty()) else {
            continue;
        };
        match value.to_str().ok().and_then(|text| JobId::parse(text.trim())) {
            Some(job_id) => return Named::Job(job_id, name.clone()),
            None => unusable = true,
        }
    }
    if unusable { Named::Unusable } else { Named::Nothing }
}

fn uncharged(status: u16, provider: &ProviderConfig) -> Option<Charge> {
    provider
        .create
        .rejections_uncharged
        .contains(&status)
        .then(|| Charge {
            state: ChargeState::None,
            ..Charge::default()
        })
}

fn rejection(status: u16, doc: Option<Doc<'_>>, provider: &ProviderConfig) -> ErrorCategory {
    let pointer = &provider.observe.error_code;
    let code = doc
        .filter(|_| !pointer.is_empty())
        .and_then(|doc| doc.at(pointer))
        .and_then(Doc::string);
    match (status, code.map(|code| reason_of_code(&code))) {
        (_, Some(Reason::Moderation)) => ErrorCategory::Moderation,
        (401 | 403, _) => ErrorCategory::Unauthorized,
        (_, _) => ErrorCategory::Rejected,
    }
}

fn category_of(status: u16) -> ErrorCategory {
    match status {
        429 => ErrorCategory::RateLimited,
        400..=499 => ErrorCategory::Http4xx,
        500.. => ErrorCategory::Http5xx,
        _ => ErrorCategory::BadPayload,
    }
}

#[cfg(test)]
mod tests;
