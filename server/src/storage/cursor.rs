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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    /// So many cases; `PROPTEST_CASES` asks for another number, a million for one.
    fn cases(usual: u32) -> ProptestConfig {
        let asked = std::env::var("PROPTEST_CASES")
            .ok()
            .and_then(|text| text.parse().ok());
        ProptestConfig {
            cases: asked.unwrap_or(usual),
            failure_persistence: None,
            ..ProptestConfig::default()
        }
    }

    proptest! {
        #![proptest_config(cases(300))]

        #[test]
        fn any_text_is_one_of_ours_or_refused(text in "\\PC{0,80}", bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            for text in [text, URL_SAFE_NO_PAD.encode(bytes)] {
                if let Ok([one, two]) = decode::<2>(&text) {
                    prop_assert_eq!(encode(&[&one, &two]), text.as_str());
                }
                if let Ok((rank, at, id)) = decode_ranked(&text) {
                    prop_assert_eq!(decode_ranked(&encode_ranked(rank, at, id)).ok(), Some((rank, at, id)));
                }
            }
        }

        #[test]
        fn what_is_packed_is_unpacked(one in "[^\u{1f}]{0,30}", two in "[^\u{1f}]{0,30}", rank in any::<i64>(), seconds in 0_i64..4_000_000_000, id in any::<u128>()) {
            prop_assert_eq!(decode::<2>(&encode(&[&one, &two])).ok(), Some([one, two]));
            let at = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
            let id = Uuid::from_u128(id);
            prop_assert_eq!(decode_ranked(&encode_ranked(rank, at, id)).ok(), Some((rank, at, id)));
        }
    }
}
