//! `/operations/{id}/outputs/{index}`: our own copy of one output, from our own store. A browser is told what the bytes
//! are, by their beginning; what is not on the short list of images and videos is only offered to be saved.

use super::{Face, Reference, Served, pages, visit};
use crate::api::problem::Problem;
use crate::artifacts::{Artifacts, Part};
use app::desk::Code;
use app::domain::ids::OperationId;
use app::domain::operation::ErrorCategory;
use app::domain::remote::CopyState;
use app::domain::role::Caller;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::ops::Range;

/// What a browser may show.
const SHOWN: [&str; 7] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "video/mp4",
    "video/webm",
];

/// Opened by itself, the copy may do nothing: no script, no frame, no request.
const SANDBOX: &str = "default-src 'none'; sandbox";

/// The copy, or the part of it that was asked for.
pub async fn show(
    State(served): State<Served>,
    Path((id, index)): Path<(String, String)>,
    request: Request,
) -> Response {
    let wanted = wanted_range(request.headers());
    let (reader, reference) = (visit::reader(&request), Reference::of(&request));
    match copy(&served, reader, id, index, wanted).await {
        Ok(response) => response,
        Err(problem) => Face::Page.refuse(problem, &reference),
    }
}

fn gone() -> Problem {
    Problem::new(Code::NotFound, "There is no copy of that output in our store.")
}

async fn copy(
    served: &Served,
    reader: Option<Caller>,
    id: String,
    index: String,
    wanted: Option<Wanted>,
) -> Result<Response, Problem> {
    let index: u32 = index.parse().map_err(|_| gone())?;
    let caller = reader.ok_or_else(pages::signed_out)?;
    let view = served.office.operation(&caller, &OperationId(id)).await?;
    let copy = view
        .outputs
        .iter()
        .find(|copy| copy.index == index && copy.state == CopyState::Delivered)
        .ok_or_else(gone)?;
    let key = copy.storage_key.as_deref().ok_or_else(gone)?;
    let store = served
        .copies
        .get_or_try_init(async || Artifacts::from_config(&served.office.config.artifacts))
        .await
        .map_err(|_| Problem::new(Code::Unavailable, "Our store cannot be opened."))?;
    let (bytes, content_type) = store.about(key).await.map_err(unreadable)?;
    let range = match wanted {
        None => None,
        Some(wanted) => match wanted.within(bytes) {
            Some(range) => Some(range),
            None => return Ok(beyond(bytes)),
        },
    };
    let part = store.part(key, range.clone()).await.map_err(unreadable)?;
    Ok(answer(part, range, bytes, content_type, index))
}

fn unreadable(error: crate::provider::output::OutputError) -> Problem {
    if error.category == ErrorCategory::NotFound {
        gone()
    } else {
        Problem::new(Code::Unavailable, "Our store did not answer.")
    }
}

fn beyond(bytes: u64) -> Response {
    let mut response = StatusCode::RANGE_NOT_SATISFIABLE.into_response();
    set(&mut response, header::CONTENT_RANGE, format!("bytes */{bytes}"));
    response
}

fn answer(
    part: Part,
    range: Option<Range<u64>>,
    bytes: u64,
    content_type: Option<&'static str>,
    index: u32,
) -> Response {
    let mut response = Body::from_stream(part.stream).into_response();
    let (length, status) = match &range {
        Some(range) => (range.end - range.start, StatusCode::PARTIAL_CONTENT),
        None => (bytes, StatusCode::OK),
    };
    *response.status_mut() = status;
    if let Some(range) = range {
        let last = range.end.saturating_sub(1);
        set(
            &mut response,
            header::CONTENT_RANGE,
            format!("bytes {}-{last}/{bytes}", range.start),
        );
    }
    let shown = content_type.filter(|content_type| SHOWN.contains(content_type));
    let (content_type, disposition) = match shown {
        Some(content_type) => (content_type, "inline"),
        None => ("application/octet-stream", "attachment"),
    };
    set(&mut response, header::CONTENT_TYPE, content_type.to_owned());
    set(&mut response, header::CONTENT_LENGTH, length.to_string());
    set(&mut response, header::ACCEPT_RANGES, "bytes".to_owned());
    let name = format!("{disposition}; filename=\"output-{index}\"");
    set(&mut response, header::CONTENT_DISPOSITION, name);
    let resource = HeaderName::from_static("cross-origin-resource-policy");
    set(&mut response, resource, "same-origin".to_owned());
    set(&mut response, header::CONTENT_SECURITY_POLICY, SANDBOX.to_owned());
    set(
        &mut response,
        header::X_CONTENT_TYPE_OPTIONS,
        "nosniff".to_owned(),
    );
    response
}

fn set(response: &mut Response, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(name, value);
    }
}

/// One range of bytes, as a browser asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    From(u64, Option<u64>),
    Last(u64),
}

/// One range; several at once, and what cannot be read, are answered with the whole.
fn wanted_range(headers: &HeaderMap) -> Option<Wanted> {
    let text = headers.get(header::RANGE)?.to_str().ok()?;
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    if first.is_empty() {
        return last.parse().ok().map(Wanted::Last);
    }
    let last = match last {
        "" => None,
        digits => Some(digits.parse().ok()?),
    };
    Some(Wanted::From(first.parse().ok()?, last))
}

impl Wanted {
    /// The bytes of it that are there; `None` when there are none.
    fn within(self, bytes: u64) -> Option<Range<u64>> {
        let range = match self {
            Self::From(first, last) => first..last.map_or(bytes, |last| last.saturating_add(1)).min(bytes),
            Self::Last(count) => bytes.saturating_sub(count)..bytes,
        };
        (range.start < range.end).then_some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(text: &'static str) -> Option<Wanted> {
        wanted_range(&HeaderMap::from_iter([(
            header::RANGE,
            HeaderValue::from_static(text),
        )]))
    }

    #[test]
    fn one_range_is_read_and_kept_within_the_copy() {
        for (text, range) in [
            ("bytes=0-", Some(0..100)),
            ("bytes=10-19", Some(10..20)),
            ("bytes=90-500", Some(90..100)),
            ("bytes=-5", Some(95..100)),
            ("bytes=-500", Some(0..100)),
            ("bytes=100-", None),
            ("bytes=20-10", None),
        ] {
            let wanted = wanted(text).expect(text);
            assert_eq!(wanted.within(100), range, "{text}");
        }
        for text in ["bytes=0-1,5-6", "items=0-1", "bytes=a-b", "bytes="] {
            assert_eq!(wanted(text), None, "{text}");
        }
    }
}
