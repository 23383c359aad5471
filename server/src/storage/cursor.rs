//! Keyset cursors: opaque to readers, exact to us.

use app::desk::{Code, DeskError};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Packs the parts of a cursor.
pub fn encode(parts: &[&str]) -> String {
    URL_SAFE_NO_PAD.encode(parts.join("\u{1f}"))
}

/// Unpacks a cursor of exactly `N` parts.
///
/// # Errors
/// `invalid_request` when it is not one of ours.
pub fn decode<const N: usize>(text: &str) -> Result<[String; N], DeskError> {
    let bad = || {
        DeskError::new(
            Code::InvalidRequest,
            "The cursor is not one that this list gave out.",
        )
    };
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| bad())?;
    let text = String::from_utf8(bytes).map_err(|_| bad())?;
    let parts: Vec<String> = text.split('\u{1f}').map(str::to_owned).collect();
    parts.try_into().map_err(|_| bad())
}

/// A cursor over rank, time and id.
pub fn encode_ranked(rank: i64, at: DateTime<Utc>, id: Uuid) -> String {
    encode(&[
        &rank.to_string(),
        &at.timestamp_micros().to_string(),
        &id.to_string(),
    ])
}

/// The parts of [`encode_ranked`].
///
/// # Errors
/// `invalid_request` when it is not one of ours.
pub fn decode_ranked(text: &str) -> Result<(i64, DateTime<Utc>, Uuid), DeskError> {
    let bad = || {
        DeskError::new(
            Code::InvalidRequest,
            "The cursor is not one that this list gave out.",
        )
    };
    let [rank, at, id] = decode::<3>(text)?;
    let at = at
        .parse()
        .ok()
        .and_then(DateTime::from_timestamp_micros)
        .ok_or_else(bad)?;
    Ok((
        rank.parse().map_err(|_| bad())?,
        at,
        id.parse().map_err(|_| bad())?,
    ))
}
