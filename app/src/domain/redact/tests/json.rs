use crate::domain::redact::{lenient_json, redact_json};
use serde_json::{Value, json};

#[track_caller]
fn shown(value: &Value) -> (Value, u32) {
    let (once, hidden) = redact_json(value);
    assert_eq!(redact_json(&once).0, once, "once is enough");
    (once, hidden)
}

#[test]
fn known_fields_are_shown_and_other_texts_are_not() {
    let args = json!({
        "operation_id": "op_1", "owner": "studio", "model": "motion-xl-2", "prompt": "a red fox", "seed": 1, "note": "x",
        "empty": "", "owner_note": "call me",
        "credits": 12.5, "ok": true, "nothing": null, "pin": 1234, "session_token": false,
        "url": "https://u:p@hooks.example.net/x?sig=1", "job_ids": ["a", "b"],
        "body": {"frames": ["zzz"], "id": 3, "text": "secret"}, "__proto__": {"x": 1}
    });
    let (value, hidden) = shown(&args);
    assert_eq!(
        value,
        json!({
            "operation_id": "op_1", "owner": "studio", "model": "motion-xl-2", "prompt": "redacted, 9 characters",
            "seed": 1, "note": "redacted, 1 character", "empty": "", "owner_note": "redacted, 7 characters", "credits": 12.5, "ok": true, "nothing": null,
            "pin": "redacted", "session_token": "redacted",
            "url": "https://hooks.example.net/x?…", "job_ids": ["a", "b"],
            "body": {"frames": ["zzz"], "id": 3, "text": "redacted, 6 characters"}, "__proto__": {"x": 1}
        })
    );
    assert_eq!(hidden, 7);
}

#[test]
fn values_without_a_name_are_hidden() {
    assert_eq!(shown(&json!("op_1")), (json!("redacted, 4 characters"), 1));
    assert_eq!(
        shown(&json!(["op_1", 3.0])),
        (json!(["redacted, 4 characters", 3.0]), 1)
    );
    assert_eq!(shown(&Value::Null), (Value::Null, 0));
}

#[test]
fn names_are_safe_too_and_kept_apart() {
    let (value, _) = shown(&json!({"a\u{202e}": 1, "sk-abcdef1234567890": 2, "sk-abcdef1234567891": 3}));
    assert_eq!(
        value,
        json!({"a⟨U+202E⟩": 1, "‹redacted›": 2, "‹redacted› #2": 3})
    );
}

#[test]
fn huge_and_deep_values_are_bounded() {
    let wide = json!({"frames": vec!["x".repeat(2000); 5000], "rest": 1});
    assert!(shown(&wide).0.to_string().len() < 2_000_000);
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!({ "a": deep });
    }
    assert!(shown(&deep).0.to_string().contains("… cut"));
}

#[test]
fn what_queues_really_hold_is_read() {
    let read = |text: &str| lenient_json(text.as_bytes());
    assert_eq!(
        read(r#"{"operation_id": "op_1", "credits": NaN, "x": [Infinity, -Infinity]}"#),
        json!({"operation_id": "op_1", "credits": "NaN", "x": ["Infinity", "-Infinity"]})
    );
    assert_eq!(
        read(r#"{"s": "\ud83d", "nul": "\u0000", "pair": "\ud83e\uddfe", "half": "\ud83dx\u0041"}"#),
        json!({"s": "\u{fffd}", "nul": "\0", "pair": "🧾", "half": "\u{fffd}xA"})
    );
    assert_eq!(read("null"), Value::Null);
    assert_eq!(
        read(r#" ["op", 3.0, "é", 1234567890123456789, 0.1, -2, 1e3] "#),
        json!(["op", 3.0, "é", 1234567890123456789_i64, 0.1, -2, 1e3])
    );
    assert_eq!(
        read("[12345678901234567890123, 0.1234567890123456789, 1e999]"),
        json!(["12345678901234567890123", "0.1234567890123456789", "1e999"])
    );
    assert_eq!(read("[-0, 0, -0.0]"), json!([-0.0, 0, -0.0]));
    assert_eq!(read(r#"{"a": 1} trailing"#), json!(r#"{"a": 1} trailing"#));
    assert_eq!(read("no json"), json!("no json"));
    assert_eq!(read(""), json!(""));
    assert_eq!(read("{\"raw\": \"a\nb\"}"), json!({"raw": "a\nb"}));
    assert_eq!(
        lenient_json(b"{\"a\": \"\xff\xfe\"}"),
        json!({"a": "\u{fffd}\u{fffd}"})
    );
    assert_eq!(lenient_json(b"\xff"), json!("\u{fffd}"));
    let deep = "[".repeat(100_000);
    assert_eq!(read(&deep), json!(deep));
}

#[test]
fn plain_json_is_read_as_by_the_strict_reader() {
    let text =
        r#"{"a": [1, -2, 0.5, 1.5e-3, true, false, null, "x\"\\\/\b\f\n\r\t\u00e4"], "b": {}, "c": []}"#;
    assert_eq!(
        lenient_json(text.as_bytes()),
        serde_json::from_str::<Value>(text).unwrap_or_default()
    );
}
