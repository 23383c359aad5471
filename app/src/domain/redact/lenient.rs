//! JSON as queues really hold it: `NaN`, `Infinity`, lone surrogates, NUL, bytes that are no UTF-8. Read for showing and
//! for finding ids; copies are made in SQL, byte for byte.

use serde_json::{Map, Number, Value};

/// Deeper nesting than any message's; beyond it the text is taken as a string.
const MAX_DEPTH: usize = 128;

/// Reads whatever stands there. What is no JSON at all becomes a string of its text.
///
/// `NaN` and the infinities, and numbers that no double holds exactly, become strings of their own text. A lone
/// surrogate becomes U+FFFD.
pub fn lenient_json(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader { rest: &text };
    match reader.value(0) {
        Some(value) if reader.skip_space().is_empty() => value,
        Some(_) | None => Value::from(text.as_ref()),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip_space(&mut self) -> &'a str {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{FEFF}']);
        self.rest
    }

    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.skip_space().chars().next()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            '"' => self.string().map(Value::from),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.eat("{");
        let mut fields = Map::new();
        self.skip_space();
        if self.eat("}") {
            return Some(Value::Object(fields));
        }
        loop {
            self.skip_space();
            let name = self.string()?;
            self.skip_space();
            if !self.eat(":") {
                return None;
            }
            fields.insert(name, self.value(depth + 1)?);
            self.skip_space();
            if self.eat("}") {
                return Some(Value::Object(fields));
            }
            if !self.eat(",") {
                return None;
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.eat("[");
        let mut items = Vec::new();
        self.skip_space();
        if self.eat("]") {
            return Some(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.eat("]") {
                return Some(Value::Array(items));
            }
            if !self.eat(",") {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        if !self.eat("\"") {
            return None;
        }
        let mut text = String::new();
        loop {
            let at = self.rest.find(['"', '\\'])?;
            text.push_str(&self.rest[..at]);
            let is_end = self.rest[at..].starts_with('"');
            self.rest = &self.rest[at + 1..];
            if is_end {
                return Some(text);
            }
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Option<char> {
        let escape = self.rest.chars().next()?;
        self.rest = &self.rest[escape.len_utf8()..];
        Some(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{C}',
            'u' => {
                let high = self.four_digits()?;
                let pair = if (0xD800..0xDC00).contains(&high) {
                    self.low_surrogate()
                } else {
                    None
                };
                let code = pair.map_or(high, |low| 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => other,
        })
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self
            .rest
            .get(..4)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.rest = &self.rest[4..];
        u32::from_str_radix(digits, 16).ok()
    }

    /// The second half of a pair; nothing is taken when it is not there.
    fn low_surrogate(&mut self) -> Option<u32> {
        let before = self.rest;
        let low = if self.eat("\\u") { self.four_digits() } else { None };
        let low = low.filter(|low| (0xDC00..0xE000).contains(low));
        if low.is_none() {
            self.rest = before;
        }
        low
    }

    /// A number, `true`, `false`, `null`, `NaN` or an infinity.
    fn word(&mut self) -> Option<Value> {
        let end = self
            .rest
            .find([',', ']', '}', ' ', '\t', '\n', '\r'])
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "null" => Some(Value::Null),
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "NaN" | "Infinity" | "-Infinity" => Some(Value::from(word)),
            _ => number(word),
        }
    }
}

fn number(word: &str) -> Option<Value> {
    let first = word.bytes().next()?;
    let is_number = (first == b'-' || first.is_ascii_digit())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
    if !is_number {
        return None;
    }
    // A whole number has no negative zero; a double has.
    if let Ok(whole) = word.parse::<i64>()
        && word != "-0"
    {
        return Some(Value::from(whole));
    }
    if let Ok(whole) = word.parse::<u64>() {
        return Some(Value::from(whole));
    }
    let double = word.parse::<f64>().ok()?;
    let exact =
        Number::from_f64(double).filter(|number| significant(&number.to_string()) == significant(word));
    Some(exact.map_or_else(|| Value::from(word), Value::Number))
}

/// The digits that carry the value, to see whether a double kept them all.
fn significant(word: &str) -> String {
    let mantissa = word.split(['e', 'E']).next().unwrap_or(word);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}
