//! One hidden field, shown to somebody who may see it and says why. What a customer wrote is shown: a prompt, a note, an
//! e-mail address. Keys, tokens, passwords and signatures stay hidden even then: nobody needs them to decide anything.

use super::json::{self, redact_json};
use super::names::opens_doors;
use super::text::{redact_text, reveal_text};
use serde_json::Value;

/// Fields that are offered; a message with more has its first ones shown.
pub const MAX_FIELDS: usize = 40;

/// A field of a message that is hidden and may be revealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its place among all values of the arguments; `None` for the error text.
    pub number: Option<usize>,
    /// Where it stands, in names that are safe to read: `body.prompt`.
    pub path: String,
}

impl Field {
    /// What names it in a form: `error`, or `args.7`.
    pub fn name(&self) -> String {
        match self.number {
            Some(number) => format!("args.{number}"),
            None => "error".to_owned(),
        }
    }
}

/// The hidden fields of a message that may be revealed, each with its value as it may be shown then.
pub fn fields(args: &Value, error: Option<&str>) -> Vec<(Field, String)> {
    let mut found = Vec::new();
    if let Some(text) = error {
        let shown = reveal_text(text);
        if shown != redact_text(text) {
            let path = "the error text".to_owned();
            found.push((Field { number: None, path }, shown));
        }
    }
    let hidden = redact_json(args).0;
    let mut walk = Walk {
        next: 0,
        left: json::MAX_VALUES,
        found,
    };
    walk.value(args, Some(&hidden), "", 0);
    walk.found.truncate(MAX_FIELDS);
    walk.found
}

struct Walk {
    next: usize,
    left: usize,
    found: Vec<(Field, String)>,
}

impl Walk {
    /// `shown` is the same place of the redacted arguments, as far as they go.
    fn value(&mut self, value: &Value, shown: Option<&Value>, path: &str, depth: usize) {
        if self.left == 0 || depth > json::MAX_DEPTH {
            return;
        }
        self.left -= 1;
        match value {
            Value::Object(fields) => {
                let mut beside = shown.and_then(Value::as_object).map(|shown| shown.iter());
                for (name, below) in fields {
                    // Both keep their order; the names differ where a name was hidden.
                    let twin = beside.as_mut().and_then(Iterator::next);
                    if opens_doors(name) {
                        continue;
                    }
                    let safe = twin.map_or("…", |(name, _)| name.as_str());
                    let path = if path.is_empty() {
                        safe.to_owned()
                    } else {
                        format!("{path}.{safe}")
                    };
                    self.value(below, twin.map(|(_, value)| value), &path, depth + 1);
                }
            }
            Value::Array(items) => {
                for (at, below) in items.iter().enumerate() {
                    let twin = shown.and_then(|shown| shown.get(at));
                    self.value(below, twin, &format!("{path}[{at}]"), depth + 1);
                }
            }
            Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {
                let number = self.next;
                self.next += 1;
                let text = match value {
                    Value::String(text) => reveal_text(text),
                    other => other.to_string(),
                };
                let already = match shown {
                    Some(Value::String(shown)) => *shown == text,
                    Some(other) => other == value,
                    None => false,
                };
                if !already && self.found.len() <= MAX_FIELDS {
                    let field = Field {
                        number: Some(number),
                        path: if path.is_empty() { "the arguments" } else { path }.to_owned(),
                    };
                    self.found.push((field, text));
                }
            }
        }
    }
}
