//! What a consumer's error text says, in one word of our list and one safe line.

use super::text::redact_text;
use super::{bounded, pattern};
use crate::domain::operation::ErrorCategory;
use regex::Regex;
use std::sync::LazyLock;

/// The longest line, in bytes.
const MAX_LINE: usize = 300;

/// An HTTP status that the text names as one.
static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:\bhttp(?:/[0-9.]+)?|\bstatus(?:[ _]code)?|->|→|\berror|\banswered|\breturned|\bgot)\s*[:=]?\s*([45][0-9]{2})\b",
        r"|\b([45][0-9]{2})\s+(?:bad gateway|service unavailable|gateway time|internal server|not found|forbidden|unauthorized",
        r"|too many|bad request|unprocessable|conflict|gone|payment required|client error|server error)",
    ))
});

/// Words that name a category, most telling first.
const WORDS: [(&[&str], ErrorCategory); 21] = [
    (
        &["not registered", "no handler", "handler not found"],
        ErrorCategory::HandlerMissing,
    ),
    (
        &["moderation", "content policy", "safety system", "nsfw"],
        ErrorCategory::Moderation,
    ),
    (
        &[
            "no space left",
            "disk full",
            "enospc",
            "disk quota",
            "storage is full",
            "insufficient storage",
        ],
        ErrorCategory::StorageFull,
    ),
    (
        &[
            "output expired",
            "url expired",
            "link expired",
            "expired url",
            "request has expired",
        ],
        ErrorCategory::OutputExpired,
    ),
    (
        &[
            "checksum",
            "hash mismatch",
            "sha256 mismatch",
            "length mismatch",
            "size mismatch",
            "short body",
            "content type mismatch",
            "wrong type",
        ],
        ErrorCategory::OutputMismatch,
    ),
    (
        &[
            "output too large",
            "file too large",
            "exceeds max_bytes",
            "larger than allowed",
        ],
        ErrorCategory::OutputTooLarge,
    ),
    (
        &[
            "host not allowed",
            "host is not allowed",
            "private address",
            "output blocked",
            "blocked host",
        ],
        ErrorCategory::OutputBlocked,
    ),
    (
        &["rate limit", "ratelimit", "too many requests", "slow down"],
        ErrorCategory::RateLimited,
    ),
    (&["certificate", "tls", "ssl"], ErrorCategory::Tls),
    (
        &["timed out", "timeout", "deadline exceeded"],
        ErrorCategory::Timeout,
    ),
    (
        &[
            "connection",
            "econnre",
            "broken pipe",
            "name or service not known",
            "name resolution",
            "dns",
            "unreachable",
            "refused",
            "eof occurred",
            "network",
        ],
        ErrorCategory::Connection,
    ),
    (
        &["cancelled", "canceled", "cancellederror"],
        ErrorCategory::Cancelled,
    ),
    (
        &[
            "unauthorized",
            "unauthenticated",
            "forbidden",
            "invalid api key",
            "access denied",
        ],
        ErrorCategory::Unauthorized,
    ),
    (
        &[
            "database",
            "sqlstate",
            "psycopg",
            "asyncpg",
            "deadlock",
            "sqlite",
            "operationalerror",
            "integrityerror",
        ],
        ErrorCategory::Database,
    ),
    (
        &[
            "permission denied",
            "read-only file system",
            "storage",
            "oserror",
            "ioerror",
        ],
        ErrorCategory::StorageWrite,
    ),
    (
        &[
            "jsondecode",
            "expecting value",
            "invalid json",
            "unexpected token",
            "html instead",
            "truncated json",
            "bad payload",
            "validation error",
            "contract violation",
        ],
        ErrorCategory::BadPayload,
    ),
    (
        &[
            "not configured",
            "configuration",
            "environment variable",
            "missing setting",
        ],
        ErrorCategory::Configuration,
    ),
    (&["not found", "no such job"], ErrorCategory::NotFound),
    (&["rejected", "refused by the provider"], ErrorCategory::Rejected),
    (
        &["bad gateway", "internal server error", "service unavailable"],
        ErrorCategory::Http5xx,
    ),
    (&["bad request", "client error"], ErrorCategory::Http4xx),
];

/// A guess of the category, for messages whose args do not state one, and the first line in safe words.
///
/// Only the first and the last line are looked at: what stands between is a traceback, full of other people's words.
pub fn safe_error(text: &str) -> (ErrorCategory, String) {
    let shown = redact_text(text);
    let mut lines = shown.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default().trim();
    let last = lines.next_back().unwrap_or_default().trim();
    let category = guess(first)
        .or_else(|| guess(last))
        .unwrap_or(ErrorCategory::Other);
    (category, bounded(first, MAX_LINE))
}

fn guess(line: &str) -> Option<ErrorCategory> {
    let plain = line.to_lowercase();
    by_words(&plain, true)
        .or_else(|| by_status(&plain))
        .or_else(|| by_words(&plain, false))
}

/// `telling`: only categories that say more than a status beside them would.
fn by_words(line: &str, telling: bool) -> Option<ErrorCategory> {
    let reach = if telling { 7 } else { WORDS.len() };
    let mut found = WORDS[..reach]
        .iter()
        .filter(|(words, _)| words.iter().any(|word| line.contains(word)));
    found.next().map(|(_, category)| *category)
}

fn by_status(line: &str) -> Option<ErrorCategory> {
    let found = STATUS.captures(line)?;
    let status: u16 = found.get(1).or_else(|| found.get(2))?.as_str().parse().ok()?;
    Some(match status {
        401 | 403 => ErrorCategory::Unauthorized,
        404 => ErrorCategory::NotFound,
        408 => ErrorCategory::Timeout,
        429 => ErrorCategory::RateLimited,
        507 => ErrorCategory::StorageFull,
        400..=499 => ErrorCategory::Http4xx,
        _ => ErrorCategory::Http5xx,
    })
}
