mod fuzz;
mod patch;
mod put;

use super::*;
use crate::desk::error::Code;
use serde_json::{Value, json};

/// The smallest valid body of a `PUT`.
fn least() -> Value {
    json!({"provider": "genace", "owner": "user_42", "specification": {"id": "spec_9", "revision": 3}, "phase": "accepted"})
}

/// The same with a field set.
fn with(field: &str, value: Value) -> Value {
    let mut body = least();
    body[field] = value;
    body
}

/// Where a body is refused.
fn refused_at(parsed: Result<impl Sized, Invalid>) -> Option<String> {
    parsed.err().map(|invalid| {
        assert_eq!(invalid.code, Code::InvalidRecord);
        assert!(!invalid.detail.is_empty());
        invalid.field
    })
}
