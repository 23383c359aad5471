//! Paths and queries of ours. Ids are percent-encoded in paths: `a/b c` is a legal operation id.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The desk.
pub const DEAD_LETTERS: &str = "/dead-letters";
pub const OPERATIONS: &str = "/operations";
pub const RECOVERIES: &str = "/recoveries";
pub const QUEUES: &str = "/queues";
pub const AUDIT: &str = "/audit";
pub const PERMISSIONS: &str = "/permissions";
pub const PROVIDERS: &str = "/providers";
pub const PREFERENCES: &str = "/preferences";
pub const LOGIN: &str = "/login";
/// Sends the browser to the issuer of single sign-on.
pub const SINGLE_SIGN_ON: &str = "/login/oidc";
/// Takes it back.
pub const SINGLE_SIGN_ON_BACK: &str = "/login/oidc/callback";
pub const SETUP: &str = "/setup";
/// Announces changes to open pages.
pub const EVENTS: &str = "/events";

/// Text as one path segment or one query value.
pub fn encode(text: &str) -> String {
    // A segment of dots alone would be resolved away by a browser.
    if !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte == b'.') {
        return text.replace('.', "%2E");
    }
    utf8_percent_encode(text, KEPT).to_string()
}

/// A path segment or query value as text; bytes that are no UTF-8 are replaced.
pub fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

pub fn operation(id: &str) -> String {
    format!("{OPERATIONS}/{}", encode(id))
}

pub fn review(id: &str) -> String {
    format!("{OPERATIONS}/{}/review", encode(id))
}

/// The record as it stood at a revision.
pub fn revision(id: &str, revision: i64) -> String {
    format!("{}?at={revision}", operation(id))
}

/// Our own copy of one output.
pub fn output(id: &str, index: u32) -> String {
    format!("{}/outputs/{index}", operation(id))
}

pub fn dead_letter(id: &str) -> String {
    format!("{DEAD_LETTERS}/{}", encode(id))
}

/// The question before a dead letter is deleted.
pub fn purge(id: &str) -> String {
    format!("{}/purge", dead_letter(id))
}

/// The one look at a hidden field.
pub fn revealed(id: &str) -> String {
    format!("{}/revealed", dead_letter(id))
}

pub fn recovery(id: &str) -> String {
    format!("{RECOVERIES}/{}", encode(id))
}

/// Where the second person reads a creation and says yes.
pub fn approve(id: &str) -> String {
    format!("{}/approve", recovery(id))
}

/// The path with a query, or alone when the query is empty.
pub fn with(path: &str, query: &Query) -> String {
    if query.0.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", query.to_text())
    }
}

/// A path of ours: never another host, so that a way back cannot lead away.
pub fn is_ours(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path
            .chars()
            .any(|c| c == '\\' || c.is_control() || c.is_whitespace())
}

/// The pairs of a query, in their order. Empty values count as absent when read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(pub Vec<(String, String)>);

impl Query {
    /// Reads the part of a URL after the question mark.
    pub fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(&name.replace('+', " ")), decode(&value.replace('+', " ")))
        });
        Self(pairs.collect())
    }

    pub fn of(pairs: &[(&str, &str)]) -> Self {
        let mut query = Self::default();
        for (name, value) in pairs {
            query.set(name, value);
        }
        query
    }

    /// The first value that is not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, value)| key == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// Replaces the value; an empty one removes it.
    pub fn set(&mut self, name: &str, value: &str) {
        self.0.retain(|(key, _)| key != name);
        if !value.is_empty() {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }

    /// The same query with another value.
    pub fn and(&self, name: &str, value: &str) -> Self {
        let mut next = self.clone();
        next.set(name, value);
        next
    }

    /// The same query without this name.
    pub fn without(&self, name: &str) -> Self {
        self.and(name, "")
    }

    /// The part of a URL after the question mark.
    pub fn to_text(&self) -> String {
        let pairs: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
            .collect();
        pairs.join("&")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_awkward_id_is_one_segment_and_comes_back() {
        for id in ["a/b c", "op_1", "ünï?#%", "..", "a&b=c+d"] {
            let path = operation(id);
            let segment = path.strip_prefix("/operations/").expect("prefix");
            assert!(!segment.contains('/'), "{segment}");
            assert_eq!(decode(segment), id);
        }
        assert_eq!(operation(".."), "/operations/%2E%2E");
    }

    #[test]
    fn a_query_comes_back() {
        let query = Query::of(&[("q", "a&b = c"), ("label", "closed")]);
        assert_eq!(Query::parse(&query.to_text()), query);
        assert_eq!(Query::parse("q=a+b&x").get("q"), Some("a b"));
        assert_eq!(query.without("q").to_text(), "label=closed");
    }

    #[test]
    fn only_paths_of_ours_are_ways_back() {
        assert!(is_ours("/operations/a?x=1"));
        for foreign in ["//evil.test", "/\\evil.test", "https://evil.test", "", "/a\nb"] {
            assert!(!is_ours(foreign), "{foreign:?}");
        }
    }
}
