//! Free texts: error messages, tracebacks, reasons. Each rule hides one kind of secret wherever it stands.

use super::names::{SECRET_HEADER, SECRET_NAME};
use super::url::redact_urls;
use super::visible::visible;
use super::{MAX_TEXT, REDACTED, bounded, floor_boundary, pattern};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Much longer texts are cut before they are looked through: nobody reads them, and time is bounded.
const MAX_READ: usize = 8 * MAX_TEXT;

/// A quoted value, with the quotes possibly escaped (JSON inside a string), or none.
const QUOTED: &str = r#"(?:\\"(?:[^"\\]|\\{2,}"|\\+[^"\\])*\\"|\\+"(?:[^"\\]|\\+[^"\\])*\\+"|\\+'(?:[^'\\]|\\+[^'\\])*\\+'|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)"#;

/// Between a name and its value: quotes of the name, then `:`, `=` or `=>`.
const IS: &str = r#"(?:\\*["'])?\s*(?:=>|:|=)\s*"#;

/// Where a word begins: also behind an escape that was written out (`\n`, `\u000a`, `%0A`), whose letters are no part of
/// it, and behind a terminal's colour.
const START: &str =
    r"(?:(?-u:\b)|\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%(?:25)*[0-9a-fA-F]{2}|\[[0-9;]*m)";

/// Names whose value a customer wrote.
const PROMPT_NAME: &str = r"(?:[a-z0-9_-]*_)?prompts?(?:_text)?|lyrics|caption|input_text|user_text";

struct Rules {
    pem: Regex,
    header: Regex,
    prompt: Regex,
    input_value: Regex,
    scheme: Regex,
    behind_query: Regex,
    quoted_behind_query: Regex,
    prompt_behind_query: Regex,
    header_behind_query: Regex,
    named: Regex,
    key: Regex,
    vendor: Regex,
    jwt: Regex,
    opaque: Regex,
    email: Regex,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| Rules {
    pem: pattern(r"-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|\z)"),
    header: pattern(&format!(
        r#"(?i)((?:{SECRET_HEADER}){IS})({QUOTED}|[^\n"')}}\]]*)"#
    )),
    prompt: pattern(&format!(r#"(?i)({START}(?:{PROMPT_NAME}){IS})({QUOTED}|[^\n]*)"#)),
    input_value: pattern(r"(input_value=)(.*?)(, input_type|\n|\z)"),
    scheme: pattern(r#"(?i)((?:bearer|basic|apikey|negotiate)(?:\s|%20|\+)+)([A-Za-z0-9_.~+/=%-]{6,})"#),
    behind_query: pattern(
        r#"(?i)([?&][^\s"'<>]*(?:bearer|basic|apikey|negotiate|key|token|secret|password|authorization|signature)[:=]?\s+)([^\s"'<>‹›]+)"#,
    ),
    quoted_behind_query: pattern(&format!(
        r#"(?i)([?&][^\s"'<>]*(?:{SECRET_NAME}|key|code|nonce|session|sid){IS})({QUOTED})"#
    )),
    prompt_behind_query: pattern(&format!(
        r#"(?i)([?&][^\s"'<>]*(?:{PROMPT_NAME}){IS})({QUOTED}|\s[^\n]*)"#
    )),
    header_behind_query: pattern(&format!(
        r#"(?i)([?&][^\s"'<>]*(?:{SECRET_HEADER}){IS})({QUOTED}|\s[^\n"')}}\]]*)"#
    )),
    named: pattern(&format!(
        r#"(?i)({START}(?:{SECRET_NAME}){IS})({QUOTED}|[^\s"',;&)}}\]]+)"#
    )),
    key: pattern(&format!(
        r#"(?i)({START}(?:key|code|nonce|session|sid){IS})({QUOTED}|[^\s"',;&)}}\]]+)"#
    )),
    vendor: pattern(&format!(
        r"({START})((?:(?:sk|pk|rk|dlo|gh[opsru]|github_pat|glpat|xox[abeoprs]|hf|r8|npm|pypi|whsec)[-_]|AIza|ya29\.)[A-Za-z0-9_.-]{{8,}}|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{{8,}})",
    )),
    jwt: pattern(r"eyJ[A-Za-z0-9_=-]{4,}(?:\.[A-Za-z0-9_=+/-]*){1,4}"),
    opaque: pattern(r"()([A-Za-z0-9_+=-]{32,})"),
    email: pattern(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"),
});

/// Passes over a text until no rule finds anything more. One does nearly always.
const MAX_PASSES: usize = 4;
/// Shorter words behind such a query are none.
const MIN_SECRET: usize = 6;

/// Which kinds of secrets are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// Keys, signatures and passwords, and what customers wrote.
    All,
    /// What opens doors, and no more.
    Keys,
}

/// The text as a person may read it: secrets and prompts replaced, hidden characters shown, at most
/// [`MAX_TEXT`](super::MAX_TEXT) bytes. Applying it twice changes nothing.
pub fn redact_text(text: &str) -> String {
    passes(text, Hidden::All)
}

/// As [`redact_text`], with prompts and e-mail addresses left: for somebody who may see them and says why.
pub(super) fn reveal_text(text: &str) -> String {
    passes(text, Hidden::Keys)
}

fn passes(text: &str, hidden: Hidden) -> String {
    let mut text = visible(shortened(text));
    for _ in 0..MAX_PASSES {
        let again = one_pass(&text, hidden);
        if again == text {
            break;
        }
        text = again;
    }
    text
}

fn one_pass(text: &str, hidden: Hidden) -> String {
    let rules = &*RULES;
    let written = hidden == Hidden::All;
    let text = rules.pem.replace_all(text, REDACTED);
    // Before the query is cut, and with it the word that tells of a secret behind it.
    let text = hide_where(&rules.prompt_behind_query, &text, |_, _| written);
    let text = hide_where(&rules.header_behind_query, &text, |_, _| true);
    let text = hide_where(&rules.quoted_behind_query, &text, |_, _| true);
    let text = hide_where(&rules.behind_query, &text, |_, value| value.len() >= MIN_SECRET);
    let text = redact_urls(&text);
    let text = hide_where(&rules.header, &text, |_, _| true);
    let text = hide_where(&rules.prompt, &text, |_, _| written);
    let text = hide_where(&rules.input_value, &text, |_, _| written);
    let text = hide_where(&rules.scheme, &text, is_credential);
    let text = hide_where(&rules.named, &text, |_, _| true);
    let text = hide_where(&rules.key, &text, |_, value| looks_random(value));
    let text = hide_where(&rules.vendor, &text, |_, value| {
        value.bytes().any(|byte| byte.is_ascii_digit())
    });
    let text = rules.jwt.replace_all(&text, REDACTED);
    let text = hide_where(&rules.opaque, &text, |_, value| is_mixed(value));
    if !written {
        return bounded(&text, MAX_TEXT);
    }
    let text = rules.email.replace_all(&text, REDACTED);
    bounded(&text, MAX_TEXT)
}

/// At most [`MAX_READ`] bytes, cut at white space so that no secret is cut into one that no rule knows.
fn shortened(text: &str) -> &str {
    if text.len() <= MAX_READ {
        return text;
    }
    let head = &text[..floor_boundary(text, MAX_READ)];
    head.rfind(char::is_whitespace).map_or("", |at| &head[..at])
}

/// Hides group 2, inside its quotes, where it is a secret beside group 1. A third group stays.
fn hide_where(rule: &Regex, text: &str, is_secret: impl Fn(&str, &str) -> bool) -> String {
    rule.replace_all(text, |found: &Captures<'_>| {
        let (name, value) = (&found[1], &found[2]);
        if is_nothing(value) || !is_secret(name, value) {
            return found[0].to_owned();
        }
        let inner = value.trim_start_matches('\\');
        let inner = inner.strip_prefix(['"', '\'']).unwrap_or(value);
        let quote = &value[..value.len() - inner.len()];
        let end = if inner.ends_with(quote) { quote } else { "" };
        let rest = found.get(3).map_or("", |rest| rest.as_str());
        format!("{name}{quote}{REDACTED}{end}{rest}")
    })
    .into_owned()
}

/// No value at all, a word of the language, or hidden already.
fn is_nothing(value: &str) -> bool {
    let bare = value.trim_matches(['"', '\'', '\\', ' ']);
    bare.is_empty()
        || bare == REDACTED
        || matches!(bare, "None" | "null" | "true" | "false" | "True" | "False" | "…")
}

/// What follows `Bearer` is a token, unless the sentence only speaks of one.
fn is_credential(scheme: &str, value: &str) -> bool {
    let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase());
    let spoken = matches!(
        value,
        "tokens" | "authentication" | "authorization" | "credentials"
    );
    !spoken && (!is_word || scheme.to_ascii_lowercase().starts_with("bearer"))
}

/// Long enough, and letters beside digits: a key rather than a word.
fn looks_random(value: &str) -> bool {
    let bare = value.trim_matches(['"', '\'', '\\']);
    bare.len() >= 12
        && bare.bytes().any(|byte| byte.is_ascii_digit())
        && bare.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !bare.contains(char::is_whitespace)
}

/// Upper case, lower case and digits in one long run: no word, no id of ours, no hash.
fn is_mixed(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_uppercase())
        && value.bytes().filter(u8::is_ascii_lowercase).count() > 4
}
