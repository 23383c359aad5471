//! Reading fields out of a report, exactly: each refusal names the field by its JSON pointer.

use crate::desk::error::{Code, DeskError};
use crate::domain::redact::redact_text;
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use std::str::FromStr;

/// Why a body is no record: 422 `invalid_record`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    pub code: Code,
    /// JSON pointer of the field.
    pub field: String,
    /// One plain sentence.
    pub detail: String,
}

impl From<Invalid> for DeskError {
    fn from(invalid: Invalid) -> Self {
        let place = if invalid.field.is_empty() {
            "the body".to_owned()
        } else {
            invalid.field
        };
        Self::new(invalid.code, format!("{place}: {}", invalid.detail))
    }
}

pub(super) type Valid<T> = Result<T, Invalid>;

/// Digits before and after the point that an amount may have. Together they fit an exact decimal.
const MAX_WHOLE_DIGITS: usize = 18;
const MAX_FRACTION_DIGITS: usize = 9;
/// Digits that a JSON number keeps through a double.
const MAX_NUMBER_DIGITS: usize = 15;

/// One field, or none: `null` counts as absent.
pub(super) struct Field<'a> {
    pub value: Option<&'a Value>,
    pub at: String,
}

impl<'a> Field<'a> {
    /// The whole body.
    pub fn root(value: &'a Value) -> Self {
        Self {
            value: Some(value),
            at: String::new(),
        }
    }

    pub fn invalid<T>(&self, detail: impl Into<String>) -> Valid<T> {
        Err(Invalid {
            code: Code::InvalidRecord,
            field: self.at.clone(),
            detail: detail.into(),
        })
    }

    /// The value of a field that must be there.
    pub fn required<T>(&self, value: Option<T>) -> Valid<T> {
        match value {
            Some(value) => Ok(value),
            None => self.invalid("This field is required."),
        }
    }

    /// An object with no other fields than these.
    pub fn object(&self, allowed: &[&str]) -> Valid<Option<Object<'a>>> {
        match self.value {
            None => Ok(None),
            Some(Value::Object(fields)) => {
                let object = Object {
                    fields,
                    at: self.at.clone(),
                };
                match fields.keys().find(|name| !allowed.contains(&name.as_str())) {
                    Some(unknown) => object.field(unknown).invalid("There is no such field here."),
                    None => Ok(Some(object)),
                }
            }
            Some(_) => self.invalid("An object is expected."),
        }
    }

    /// A list, each item with its own pointer.
    pub fn list(&self, most: usize) -> Valid<Option<Vec<Field<'a>>>> {
        match self.value {
            None => Ok(None),
            Some(Value::Array(items)) if items.len() <= most => {
                let item = |(index, value)| Field {
                    value: Some(value),
                    at: format!("{}/{index}", self.at),
                };
                Ok(Some(items.iter().enumerate().map(item).collect()))
            }
            Some(Value::Array(_)) => self.invalid(format!("At most {most} items are taken.")),
            Some(_) => self.invalid("A list is expected."),
        }
    }

    pub fn string(&self) -> Valid<Option<&'a str>> {
        match self.value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => self.invalid("A string is expected."),
        }
    }

    /// A text of at most `most` bytes, without control characters; possibly empty.
    pub fn text(&self, most: usize) -> Valid<Option<String>> {
        match self.string()? {
            None => Ok(None),
            Some(text) if text.len() > most => self.invalid(format!("At most {most} bytes are taken.")),
            Some(text) if text.chars().any(char::is_control) => {
                self.invalid("Control characters are not taken.")
            }
            Some(text) => Ok(Some(text.to_owned())),
        }
    }

    /// The same, not empty.
    pub fn name(&self, most: usize) -> Valid<Option<String>> {
        match self.text(most)? {
            Some(text) if text.is_empty() => self.invalid("An empty text is not taken."),
            text => Ok(text),
        }
    }

    /// A text read by `parse`, which knows what it must look like.
    pub fn parsed<T>(&self, parse: impl Fn(&str) -> Option<T>, expected: &str) -> Valid<Option<T>> {
        match self.string()? {
            None => Ok(None),
            Some(text) => match parse(text) {
                Some(value) => Ok(Some(value)),
                None => self.invalid(expected),
            },
        }
    }

    /// A value of one of our closed lists.
    pub fn slug<T: FromStr>(&self, all: &[&str]) -> Valid<Option<T>> {
        let expected = format!("One of {} is expected.", all.join(", "));
        self.parsed(|text| text.parse().ok(), &expected)
    }

    /// A whole number from 0 to `most`.
    pub fn whole(&self, most: u64) -> Valid<Option<u64>> {
        match self.value {
            None => Ok(None),
            Some(Value::Number(number)) => match number.as_u64() {
                Some(whole) if whole <= most => Ok(Some(whole)),
                Some(_) | None => self.invalid(format!("A whole number from 0 to {most} is expected.")),
            },
            Some(_) => self.invalid("A whole number is expected."),
        }
    }

    /// The same, as an index or a count.
    pub fn small(&self, most: u32) -> Valid<Option<u32>> {
        Ok(self
            .whole(u64::from(most))?
            .and_then(|whole| u32::try_from(whole).ok()))
    }

    /// A moment as RFC 3339 writes it.
    pub fn moment(&self) -> Valid<Option<DateTime<Utc>>> {
        let parse = |text: &str| {
            DateTime::parse_from_rfc3339(text)
                .ok()
                .map(|moment| moment.with_timezone(&Utc))
        };
        self.parsed(parse, "A time like 2026-05-04T10:00:00Z is expected.")
    }

    /// An exact amount: a string like `"12.50"`, or a plain JSON number; never negative, no exponent.
    pub fn amount(&self) -> Valid<Option<Decimal>> {
        let (text, most_digits) = match self.value {
            None => return Ok(None),
            Some(Value::String(text)) => (text.clone(), MAX_WHOLE_DIGITS + MAX_FRACTION_DIGITS),
            Some(Value::Number(number)) if number.is_u64() => (number.to_string(), MAX_WHOLE_DIGITS),
            Some(Value::Number(number)) => (number.to_string(), MAX_NUMBER_DIGITS),
            Some(_) => return self.invalid("A decimal string is expected."),
        };
        match exact(&text, most_digits) {
            Some(amount) => Ok(Some(amount)),
            None => self.invalid(format!(
                "An amount like \"12.50\" is expected: not negative, no exponent, at most {MAX_WHOLE_DIGITS} digits before the point and {MAX_FRACTION_DIGITS} after it."
            )),
        }
    }
}

fn exact(text: &str, most_digits: usize) -> Option<Decimal> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str, most: usize| {
        !part.is_empty() && part.len() <= most && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let fits = digits(whole, MAX_WHOLE_DIGITS) && digits(fraction, MAX_FRACTION_DIGITS);
    let kept = text.bytes().filter(u8::is_ascii_digit).count() <= most_digits;
    if fits && kept { text.parse().ok() } else { None }
}

/// An object whose field names are known to be allowed.
pub(super) struct Object<'a> {
    fields: &'a Map<String, Value>,
    at: String,
}

impl<'a> Object<'a> {
    pub fn field(&self, name: &str) -> Field<'a> {
        // The name may come from outside (an unknown field): it is shown safely and short.
        let shown: String = redact_text(name).chars().take(64).collect();
        let shown = shown.replace('~', "~0").replace('/', "~1");
        Field {
            value: self.fields.get(name).filter(|value| !value.is_null()),
            at: format!("{}/{shown}", self.at),
        }
    }
}
