//! Where a page ended: the raw text of the time, and the id. A parsed and rewritten time would skip or repeat rows.

use crate::database::parse_sqlite_time;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The place of a row in the list, opaque to everybody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub at: String,
    pub id: String,
}

/// The longest cursor that is looked at, in bytes.
const MAX_CURSOR: usize = 1024;

impl Cursor {
    /// As it travels in URLs.
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::json!([self.at, self.id]).to_string())
    }

    /// What [`Cursor::encode`] wrote; `None` for anything else.
    pub fn decode(text: &str) -> Option<Self> {
        if text.len() > MAX_CURSOR {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (at, id): (String, String) = serde_json::from_slice(&bytes).ok()?;
        let clean = !at.contains('\0') && !id.contains('\0');
        clean.then_some(Self { at, id })
    }

    /// PostgreSQL compares moments: the text must be one that it reads.
    pub(super) fn is_moment(&self) -> bool {
        parse_sqlite_time(&self.at).is_some() || matches!(self.at.as_str(), "infinity" | "-infinity")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_went() {
        let place = Cursor {
            at: "2026-10-18T17:27:00+00:00".to_owned(),
            id: "ü/+".to_owned(),
        };
        assert_eq!(Cursor::decode(&place.encode()), Some(place));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "x",
            "!!",
            "W10",
            &URL_SAFE_NO_PAD.encode("[1,2]"),
            &"A".repeat(2000),
        ] {
            assert_eq!(Cursor::decode(text), None, "{text}");
        }
    }
}
