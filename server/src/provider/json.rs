//! JSON answers by pointer, with every number as it was written: money is never rounded through a float.

use rust_decimal::Decimal;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One answer, or one part of it.
#[derive(Clone, Copy)]
pub(super) struct Doc<'a>(&'a RawValue);

/// An answer's text: UTF-8 without a byte order mark; what is no UTF-8 is replaced, so that a bad byte in a
/// message does not hide a job id.
pub(super) fn text_of(body: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body))
}

impl<'a> Doc<'a> {
    /// A whole, well-formed JSON text; `None` for anything else (HTML, truncated JSON, nothing).
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str::<&RawValue>(text.trim()).ok().map(Self)
    }

    pub(super) fn is_object(self) -> bool {
        self.0.get().starts_with('{')
    }

    pub(super) fn is_null(self) -> bool {
        self.0.get() == "null"
    }

    /// What stands at a JSON pointer; `null` counts as something that stands there. An empty pointer names the
    /// whole.
    pub(super) fn at(self, pointer: &str) -> Option<Doc<'a>> {
        let mut here = self;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            here = here.child(&step)?;
        }
        Some(here)
    }

    fn child(self, name: &str) -> Option<Doc<'a>> {
        let text = self.0.get();
        if text.starts_with('{') {
            let map: BTreeMap<Cow<'a, str>, &'a RawValue> = serde_json::from_str(text).ok()?;
            map.get(name).copied().map(Doc)
        } else if text.starts_with('[') && (name == "0" || !name.starts_with('0')) {
            let index: usize = name.parse().ok()?;
            self.items()?.get(index).copied()
        } else {
            None
        }
    }

    /// The items of a list.
    pub(super) fn items(self) -> Option<Vec<Doc<'a>>> {
        let list: Vec<&'a RawValue> = serde_json::from_str(self.0.get()).ok()?;
        Some(list.into_iter().map(Doc).collect())
    }

    /// A string.
    pub(super) fn string(self) -> Option<String> {
        serde_json::from_str(self.0.get()).ok()
    }

    /// A string, or a number, boolean or anything else as it is written.
    pub(super) fn written(self) -> String {
        self.string().unwrap_or_else(|| self.0.get().to_owned())
    }

    /// An id: a string that is not empty, or a whole number as it is written.
    pub(super) fn id(self) -> Option<String> {
        let text = self.0.get();
        let whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if whole {
            Some(text.to_owned())
        } else {
            self.string().filter(|id| !id.is_empty())
        }
    }

    /// An amount: a number or a string that is one, exactly as written, not below zero. `None` when it is not
    /// one, or when it has more digits than can be kept exactly.
    pub(super) fn amount(self) -> Option<Decimal> {
        let text = self.string().unwrap_or_else(|| self.0.get().to_owned());
        let text = text.trim();
        let amount = if text.contains(['e', 'E']) {
            Decimal::from_scientific(text).ok()?
        } else {
            Decimal::from_str_exact(text).ok()?
        };
        (!amount.is_sign_negative() || amount.is_zero()).then(|| amount.abs().normalize())
    }

    /// Whether a marker is set: anything but `null`, `false`, zero and the empty string.
    pub(super) fn is_set(self) -> bool {
        !matches!(self.0.get(), "null" | "false" | "0" | "\"\"" | "\"false\"")
    }
}

#[cfg(test)]
mod tests {
    use super::Doc;

    fn amount(text: &str) -> Option<String> {
        Doc::parse(text)
            .and_then(Doc::amount)
            .map(|amount| amount.to_string())
    }

    #[test]
    fn amounts_are_exact() {
        assert_eq!(amount("12").as_deref(), Some("12"));
        assert_eq!(amount("0.1").as_deref(), Some("0.1"));
        assert_eq!(amount("\"0.30\"").as_deref(), Some("0.3"));
        assert_eq!(
            amount("12345678901234567.891").as_deref(),
            Some("12345678901234567.891")
        );
        assert_eq!(amount("1.2e1").as_deref(), Some("12"));
        assert_eq!(amount("-0").as_deref(), Some("0"));
        for bad in [
            "-1",
            "null",
            "true",
            "\"\"",
            "\"many\"",
            "[]",
            "1e400",
            "0.00000000000000000000000000000001",
        ] {
            assert_eq!(amount(bad), None, "{bad}");
        }
    }

    #[test]
    fn pointers_walk_objects_and_lists() {
        let text = r#"{"a/b":{"c~d":[1,{"id":"x"}]},"bad":"\ud800","n":42}"#;
        let Some(doc) = Doc::parse(text) else {
            panic!("it is JSON")
        };
        assert_eq!(doc.at("/a~1b/c~0d/1/id").and_then(Doc::id).as_deref(), Some("x"));
        assert_eq!(doc.at("/n").and_then(Doc::id).as_deref(), Some("42"));
        assert!(doc.at("/a~1b/c~0d/01").is_none());
        assert!(doc.at("/none/at/all").is_none());
    }

    #[test]
    fn what_is_cut_is_no_json() {
        for bad in ["", "{\"id\":\"gj_1\"", "<html>", "{} {}"] {
            assert!(Doc::parse(bad).is_none(), "{bad}");
        }
    }
}
