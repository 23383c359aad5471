//! What is wrong with a configuration: the key and the reason, never a value (it might be a secret).

use figment::error::{Actual, Kind};
use std::path::Path;

/// Why a configuration is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file named by `--config`.
    #[error("cannot read the configuration file {path}: {why}")]
    Unreadable { path: String, why: String },
    /// The file is not TOML.
    #[error("the configuration file is not valid TOML, line {line}: {why}")]
    Syntax { line: usize, why: String },
    /// A key that means nothing.
    #[error("unknown key `{key}` in the configuration{}", expected_keys(.expected))]
    UnknownKey { key: String, expected: Vec<String> },
    /// A value of another type than the key has.
    #[error("`{key}` must be {expected}, but is {found}")]
    WrongType {
        key: String,
        expected: String,
        found: &'static str,
    },
    /// A value of the right type that no run could use.
    #[error("`{key}` {why}")]
    Invalid { key: String, why: String },
}

fn expected_keys(expected: &[String]) -> String {
    if expected.is_empty() {
        String::new()
    } else {
        format!(" (known here: {})", expected.join(", "))
    }
}

impl ConfigError {
    pub(super) fn unreadable(path: &Path, source: &std::io::Error) -> Self {
        Self::Unreadable {
            path: path.display().to_string(),
            why: source.kind().to_string(),
        }
    }

    pub(super) fn syntax(text: &str, error: &toml::de::Error) -> Self {
        let start = error.span().map_or(0, |span| span.start).min(text.len());
        let line = 1 + text.as_bytes()[..start]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        Self::Syntax {
            line,
            why: error.message().to_owned(),
        }
    }

    pub(crate) fn invalid(key: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Invalid {
            key: key.into(),
            why: why.into(),
        }
    }

    /// The first error that figment found, without the value that it would print.
    pub(super) fn extraction(error: figment::Error) -> Self {
        let Some(first) = error.into_iter().next() else {
            return Self::invalid("configuration", "cannot be read");
        };
        let key = first.path.join(".");
        match first.kind {
            Kind::UnknownField(name, expected) => Self::UnknownKey {
                key: within(&first.path, &name),
                expected: expected.iter().map(|key| (*key).to_owned()).collect(),
            },
            Kind::MissingField(name) => Self::invalid(within(&first.path, &name), "is missing"),
            Kind::DuplicateField(name) => Self::invalid(within(&first.path, name), "stands there twice"),
            Kind::InvalidType(actual, expected) | Kind::InvalidValue(actual, expected) => Self::WrongType {
                key,
                expected: plain(&expected),
                found: type_of(&actual),
            },
            Kind::UnknownVariant(_, expected) => {
                Self::invalid(key, format!("must be one of {}", expected.join(", ")))
            }
            Kind::InvalidLength(_, expected) => Self::invalid(key, format!("must be {expected}")),
            Kind::ISizeOutOfRange(_) | Kind::USizeOutOfRange(_) => Self::invalid(key, "is out of range"),
            Kind::Message(_) | Kind::Unsupported(_) | Kind::UnsupportedKey(..) => {
                Self::invalid(key, "cannot be used")
            }
        }
    }
}

/// The expectation in words that a person who writes TOML knows.
fn plain(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u32" | "u64" => "a number from 0 on".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        other if other.starts_with("struct ") || other == "a map" => "a section".to_owned(),
        other => other.to_owned(),
    }
}

fn within(path: &[String], name: &str) -> String {
    let mut path = path.to_vec();
    if path.last().is_none_or(|last| last != name) {
        path.push(name.to_owned());
    }
    path.join(".")
}

fn type_of(actual: &Actual) -> &'static str {
    match actual {
        Actual::Bool(_) => "a boolean",
        Actual::Unsigned(_) => "a number",
        Actual::Signed(number) => {
            if *number < 0 {
                "a negative number"
            } else {
                "a number"
            }
        }
        Actual::Float(_) => "a number with a fraction",
        Actual::Char(_) | Actual::Str(_) | Actual::Bytes(_) => "a string",
        Actual::Seq => "a list",
        Actual::Map => "a section",
        Actual::Unit
        | Actual::Option
        | Actual::NewtypeStruct
        | Actual::Enum
        | Actual::UnitVariant
        | Actual::NewtypeVariant
        | Actual::TupleVariant
        | Actual::StructVariant
        | Actual::Other(_) => "something else",
    }
}
