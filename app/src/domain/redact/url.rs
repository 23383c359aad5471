//! URLs keep scheme, host and path. Sign-in names, queries and fragments go, and so does a signature inside the path.

use super::pattern;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A URL, also with slashes escaped as in JSON. Ends before white space, quotes and brackets.
static URL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i)[a-z][a-z0-9+.-]{1,20}:(?:\\?/){2}[^\s"'<>`|^{}‹›]*"#));

/// A URL that was percent-encoded as a whole.
static ENCODED_URL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)\b([a-z][a-z0-9+.-]{1,20})%(?:25)*3A(?:%(?:25)*2F){2}[^\s"'<>`|^{}‹›]*"#)
});

/// A path with a query that stands without its host.
static PATH_QUERY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"([\w.~%/-]+)\?[\w.~%\[\]-]+=[^\s"'<>`|^{}‹›]*"#));

/// What stands for a cut query.
const CUT_QUERY: &str = "?…";
const CUT_PART: &str = "…";

/// Every URL of a text without its sign-in name, query and fragment.
pub(super) fn redact_urls(text: &str) -> String {
    let text = replace(&URL, text, |found| {
        let (url, rest) = split_punctuation(found);
        format!("{}{rest}", redact_url(url))
    });
    let text = replace(&ENCODED_URL, &text, |found| {
        let scheme = found.split('%').next().unwrap_or_default();
        format!("{scheme}://…")
    });
    replace(&PATH_QUERY, &text, |found| {
        let (found, rest) = split_punctuation(found);
        let path = found.split('?').next().unwrap_or_default();
        format!("{}{CUT_QUERY}{rest}", redact_path(path))
    })
}

/// One URL: `scheme://host/path?…`. Anything else comes back with its query cut.
pub fn redact_url(url: &str) -> String {
    let Some((scheme, rest)) = split_scheme(url) else {
        let (path, cut) = cut_query(url);
        return format!("{}{cut}", redact_path(path));
    };
    let (rest, cut) = cut_query(rest);
    let rest = without_user(rest);
    let (host, path) = rest.split_at(rest.find(['/', '\\']).unwrap_or(rest.len()));
    format!("{scheme}{host}{}{cut}", redact_path(path))
}

fn replace(rule: &Regex, text: &str, with: impl Fn(&str) -> String) -> String {
    rule.replace_all(text, |found: &Captures<'_>| with(&found[0]))
        .into_owned()
}

/// The scheme with its colon and slashes as written, and what follows.
fn split_scheme(url: &str) -> Option<(&str, &str)> {
    let colon = url.find(':')?;
    let after = url[colon + 1..].trim_start_matches(['/', '\\']);
    let slashes = url.len() - after.len() - colon - 1;
    (slashes >= 2).then(|| url.split_at(url.len() - after.len()))
}

/// What stands before a query or fragment, and the mark for it. A mark that stands already is kept.
fn cut_query(text: &str) -> (&str, &'static str) {
    match text.find(['?', '#', ';']) {
        Some(at) => (&text[..at], CUT_QUERY),
        None => (text, ""),
    }
}

/// Without `user:password@`. A password may hold slashes and at-signs: what looks like one goes with it.
fn without_user(rest: &str) -> &str {
    let authority = &rest[..rest.find(['/', '\\']).unwrap_or(rest.len())];
    let port = authority.split_once(':').map(|(_, port)| port);
    let is_plain = port.is_none_or(|port| port.chars().all(|digit| digit.is_ascii_digit()));
    let reach = if is_plain { authority } else { rest };
    match reach.rfind('@') {
        Some(at) => &rest[at + 1..],
        None => rest,
    }
}

/// The path without segments that carry a signature or a token (some content networks sign there).
fn redact_path(path: &str) -> String {
    if path.is_empty() {
        return String::new();
    }
    let segments: Vec<&str> = path
        .split('/')
        .map(|segment| if is_secret(segment) { CUT_PART } else { segment })
        .collect();
    segments.join("/")
}

const SECRET_PARTS: [&str; 10] = [
    "token",
    "hmac",
    "sig",
    "signature",
    "key",
    "auth",
    "exp",
    "acl",
    "secret",
    "password",
];

fn is_secret(segment: &str) -> bool {
    if let Some((name, _)) = segment.split_once('=') {
        let name = name.to_ascii_lowercase();
        if SECRET_PARTS.iter().any(|part| name.contains(part)) {
            return true;
        }
    }
    is_opaque(segment)
}

/// A long run of letters and digits without an extension, that is not a UUID: rather a token than a name.
fn is_opaque(segment: &str) -> bool {
    let segment = segment.trim_end_matches('\\');
    let is_uuid = segment.len() == 36 && segment.chars().filter(|character| *character == '-').count() == 4;
    segment.len() >= 24
        && !is_uuid
        && segment
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        && segment.bytes().any(|byte| byte.is_ascii_digit())
        && segment.bytes().any(|byte| byte.is_ascii_lowercase())
        && (segment.len() >= 40 || segment.bytes().any(|byte| byte.is_ascii_uppercase()))
        && !is_operation_id(segment)
}

/// Ids of our kind, `op_01J00013MEDIAGEN02956`: a short lower-case word before the first underscore, then one case only.
fn is_operation_id(segment: &str) -> bool {
    segment.split_once('_').is_some_and(|(word, rest)| {
        !word.is_empty()
            && word.len() <= 6
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && rest.len() <= 32
            && !rest.bytes().any(|byte| byte.is_ascii_lowercase())
    })
}

/// Trailing punctuation belongs to the sentence, not to the URL.
fn split_punctuation(found: &str) -> (&str, &str) {
    let url = found.trim_end_matches(['.', ',', ':', ';', '!', ')', ']']);
    found.split_at(url.len())
}
