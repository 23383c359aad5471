//! Texts that are safe to show and to store: no key, no signed URL, no prompt, no e-mail address, no hidden character.
//!
//! Everything that came from a message, a provider or a report passes through here before a person reads it. The rules
//! err on the side of hiding. All functions are total, bounded and idempotent.

mod error;
mod json;
mod lenient;
mod names;
pub mod reveal;
mod text;
mod url;
mod visible;

pub use error::safe_error;
pub use json::redact_json;
pub use lenient::lenient_json;
pub use text::redact_text;
pub use url::redact_url;
pub use visible::visible;

use regex::Regex;

/// What stands in place of a secret inside a text. Not ASCII, so that no rule takes it for a value.
pub const REDACTED: &str = "‹redacted›";

/// The longest text that is shown, in bytes, the mark of the cut included.
pub const MAX_TEXT: usize = 8192;

/// Compiles a rule. The patterns are constants, and the tests compile each.
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern that the tests compile")
}

const CUT: &str = "… cut";

/// The last boundary between characters at or before `limit`.
fn floor_boundary(text: &str, limit: usize) -> usize {
    (0..=limit.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// At most `limit` bytes, cut between characters and marked.
fn bounded(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let room = floor_boundary(text, limit.saturating_sub(CUT.len()));
    // A marker that the cut would split goes whole, so that cutting twice changes nothing.
    let kept = &text[..room];
    let kept = match kept.rfind('‹') {
        Some(at) if !kept[at..].contains('›') => &kept[..at],
        Some(_) | None => kept,
    };
    format!("{kept}{CUT}")
}

#[cfg(test)]
mod tests;
