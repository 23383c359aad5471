//! JSON that a message carries: only fields whose names are known to hold no secret and no customer's text are shown.

use super::names::opens_doors;
use super::text::redact_text;
use super::visible::visible;
use super::{bounded, pattern};
use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Values that are looked at; the rest is cut.
pub(super) const MAX_VALUES: usize = 2000;
/// Nesting that is shown.
pub(super) const MAX_DEPTH: usize = 24;
/// The longest name or shown value, in bytes.
const MAX_SCALAR: usize = 512;

/// What stands for values beyond the bounds.
const CUT: &str = "… cut";

/// Names whose texts are shown.
static SHOWN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:\w+[_-])?ids?|op|operation|model|model_name|model_version|version|queue|queue_name|job_name|task|task_name",
        r"|action|state|status|phase|kind|type|mode|preset|quality|codec|attempts?|max_attempts|retries|reason|reason_code",
        r"|error_category|category|error_code|index|indexes|indices|factor|seed|width|height|size|resolution|aspect_ratio",
        r"|fps|frames|duration|seconds|count|total|num_outputs|credits|amount|currency|cost|price|content_type|mime|mime_type",
        r"|format|extension|destination|dest|target|source|url|uri|output_url|webhook_url|callback_url|path|storage_key",
        r"|bucket|region|provider|account|owner|team|ticket|priority|revision|specification|locale|language|sha256|bytes",
        r"|\w+_at|\w+_ms|\w+_seconds)$",
    ))
});

/// Names of what a customer wrote or is: never shown, numbers included, as what opens doors is not.
static PERSONAL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)prompt|(?:^|[_-])(?:phone|email)(?:$|[_-])"));

/// What an earlier pass wrote.
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^redacted(?:, \d+ characters?)?$"));

/// The value as a person may read it, and how many of its values are hidden.
///
/// Texts of unknown names become `redacted, 15 characters`; numbers and truth values are shown unless their name looks
/// secret. Names are shown, since the shape of a message is what an operator needs.
pub fn redact_json(value: &Value) -> (Value, u32) {
    let mut walk = Walk {
        hidden: 0,
        left: MAX_VALUES,
    };
    let shown = walk.value(value, Rule::Hide, 0);
    (shown, walk.hidden)
}

/// What the name of the field, or of the list around, says of its values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Show,
    Hide,
    /// Numbers and truth values too, and everything below.
    HideAll,
}

struct Walk {
    hidden: u32,
    left: usize,
}

impl Walk {
    fn value(&mut self, value: &Value, rule: Rule, depth: usize) -> Value {
        if self.left == 0 || depth > MAX_DEPTH {
            self.hidden = self.hidden.saturating_add(1);
            return Value::from(CUT);
        }
        self.left -= 1;
        match value {
            Value::Null => Value::Null,
            Value::Bool(_) | Value::Number(_) => match rule {
                Rule::Show | Rule::Hide => value.clone(),
                Rule::HideAll => self.hide("redacted".to_owned()),
            },
            Value::String(text) => self.text(text, rule),
            Value::Array(items) => {
                let mut shown = Vec::new();
                for item in items {
                    shown.push(self.value(item, rule, depth + 1));
                    if self.left == 0 {
                        break;
                    }
                }
                Value::Array(shown)
            }
            Value::Object(fields) => self.object(fields, rule, depth),
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, around: Rule, depth: usize) -> Value {
        let mut shown = Map::new();
        for (name, value) in fields {
            let below = self.value(value, rule_of(name, around), depth + 1);
            shown.insert(unused(&shown, shown_name(name)), below);
            if self.left == 0 {
                break;
            }
        }
        Value::Object(shown)
    }

    fn text(&mut self, text: &str, rule: Rule) -> Value {
        if text.is_empty() || text == CUT || HIDDEN.is_match(text) {
            return Value::from(text);
        }
        match rule {
            Rule::Show => {
                let shown = bounded(&redact_text(text), MAX_SCALAR);
                if shown != text {
                    self.hidden = self.hidden.saturating_add(1);
                }
                Value::from(shown)
            }
            Rule::Hide | Rule::HideAll => match text.chars().count() {
                1 => self.hide("redacted, 1 character".to_owned()),
                count => self.hide(format!("redacted, {count} characters")),
            },
        }
    }

    fn hide(&mut self, shown: String) -> Value {
        self.hidden = self.hidden.saturating_add(1);
        Value::from(shown)
    }
}

fn rule_of(name: &str, around: Rule) -> Rule {
    if around == Rule::HideAll || PERSONAL.is_match(name) || opens_doors(name) {
        Rule::HideAll
    } else if SHOWN.is_match(name) {
        Rule::Show
    } else {
        Rule::Hide
    }
}

/// A name may itself be a secret, or hold hidden characters.
fn shown_name(name: &str) -> String {
    bounded(&redact_text(&visible(name)), MAX_SCALAR)
}

/// Two names that read the same are kept apart.
fn unused(taken: &Map<String, Value>, name: String) -> String {
    if !taken.contains_key(&name) {
        return name;
    }
    (2..=MAX_VALUES + 1)
        .map(|number| format!("{name} #{number}"))
        .find(|candidate| !taken.contains_key(candidate))
        .unwrap_or(name)
}
