//! Bodies, read whole before anything is decided, so that a refusal never meets a sender who is still sending:
//! answering early and closing would look like a reset connection, not like a 413.

use app::desk::{Code, DeskError};
use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use bytes::BytesMut;
use http_body_util::BodyExt;
use std::time::Duration;

/// The largest body that is taken: 1 MiB.
pub const MAX_BODY: usize = 1024 * 1024;
/// What is still read and thrown away of a larger one, before the connection is given up.
const MAX_DISCARDED: usize = 64 * 1024 * 1024;
/// How long a body may take.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Stands in the request's extensions when its body was too large.
#[derive(Debug, Clone, Copy)]
pub struct TooLarge;

impl TooLarge {
    /// What the caller is told.
    pub fn refusal() -> DeskError {
        DeskError::new(Code::BodyTooLarge, "A body has at most 1 MiB.")
    }
}

/// The body did not arrive whole.
#[derive(Debug, Clone, Copy)]
pub struct Broken;

/// Reads the body; the request that comes back holds it whole, or none and the mark [`TooLarge`].
///
/// # Errors
/// When the sender stopped or was too slow.
pub async fn whole(request: Request) -> Result<Request, Broken> {
    let (mut parts, body) = request.into_parts();
    let declared = parts
        .headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok())
        .unwrap_or(0);
    if declared > MAX_BODY as u64 && parts.headers.contains_key(header::EXPECT) {
        // The sender waits for our word before it sends: nothing to throw away.
        parts.extensions.insert(TooLarge);
        return Ok(Request::from_parts(parts, Body::empty()));
    }
    match tokio::time::timeout(READ_TIMEOUT, collect(body)).await {
        Ok(Some(Ok(bytes))) => Ok(Request::from_parts(parts, Body::from(bytes.freeze()))),
        Ok(Some(Err(TooLarge))) => {
            parts.extensions.insert(TooLarge);
            Ok(Request::from_parts(parts, Body::empty()))
        }
        Ok(None) | Err(_) => Err(Broken),
    }
}

async fn collect(mut body: Body) -> Option<Result<BytesMut, TooLarge>> {
    let mut kept = BytesMut::new();
    let mut seen = 0_usize;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.ok()?.into_data() else {
            continue;
        };
        seen = seen.saturating_add(data.len());
        if seen > MAX_DISCARDED {
            break;
        }
        if seen <= MAX_BODY {
            kept.extend_from_slice(&data);
        } else {
            kept = BytesMut::new();
        }
    }
    Some(if seen > MAX_BODY { Err(TooLarge) } else { Ok(kept) })
}
