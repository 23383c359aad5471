//! Whatever stands around it: nothing panics, a planted secret never shows, a second pass changes nothing.

use crate::domain::redact::reveal::fields;
use crate::domain::redact::{MAX_TEXT, lenient_json, redact_json, redact_text, safe_error, visible};
use crate::fuzzing::cases;
use proptest::prelude::*;
use serde_json::Value;

/// Long enough that it cannot stand in a text by chance.
fn secret() -> impl Strategy<Value = String> {
    "[A-Za-z]{6}[0-9][A-Za-z0-9]{13,30}"
}

/// The ways in which secrets are found in real error texts.
fn planted(secret: &str) -> Vec<String> {
    vec![
        format!("Authorization: Bearer {secret}"),
        format!("bearer {secret}"),
        format!("{{\"api_key\": \"{secret}\"}}"),
        format!("{{\\\"api_key\\\": \\\"{secret}\\\"}}"),
        format!("{{'password': '{secret}'}}"),
        format!("access_token={secret}"),
        format!("https://cdn.example.com/a/b.mp4?X-Amz-Signature={secret}"),
        format!("https://cdn.example.com/a?x=1#t={secret}"),
        format!("https://user:{secret}@example.com/a"),
        format!("sk-{secret}"),
        format!("dlo_{secret}"),
        format!("prompt='{secret} by night'"),
        format!("{secret}@example.com"),
        format!("Cookie: sid={secret}"),
    ]
}

/// Words and marks that rules look at, so that they meet.
fn noise() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "prompt",
        "key",
        "=",
        ":",
        "\"",
        "'",
        "\\",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ";",
        " ",
        "\n",
        "?",
        "&",
        "#",
        "/",
        "://",
        "https",
        "Bearer ",
        "Authorization",
        "token",
        "@",
        ".",
        "\u{202e}",
        "\0",
        "\u{1b}[31m",
        "‹redacted›",
        "‹",
        "›",
        "…",
        "op_1",
        "é",
        "退",
        "sk-",
        "eyJ",
        "%3A%2F%2F",
        "a1B2",
        "-----BEGIN X-----",
        "input_value=",
        "\r",
    ]);
    let piece = prop_oneof![4 => words.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A text that holds the secret, put inside others: objects, lists, strings of JSON, URLs, tracebacks.
fn nested(text: &str, wrappings: &[u8]) -> String {
    wrappings
        .iter()
        .fold(text.to_owned(), |text, wrapping| match wrapping % 7 {
            0 => serde_json::json!({ "detail": text }).to_string(),
            1 => serde_json::json!([1, [text], null]).to_string(),
            2 => serde_json::json!({ "prompt": "x", "error": { "message": text } }).to_string(),
            3 => format!("Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: {text}"),
            4 => format!("GET https://api.example.com/v1/jobs?error={text} failed"),
            5 => format!("RuntimeError({text:?})"),
            _ => format!("before\n{text}\nafter"),
        })
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn any_text(text in noise()) {
        let shown = redact_text(&text);
        prop_assert!(shown.len() <= MAX_TEXT);
        prop_assert_eq!(&redact_text(&shown), &shown);
        prop_assert_eq!(&visible(&shown), &shown);
        prop_assert!(safe_error(&text).1.len() <= MAX_TEXT);
    }

    #[test]
    fn planted_secrets_never_show(
        before in "[ -~\n]{0,40}", secret in secret(), after in "[ -~\n]{0,40}", which in any::<prop::sample::Index>()
    ) {
        // A quote or a backslash right before would make the secret part of another value; a space or a line ends it.
        let all = planted(&secret);
        let chosen: &String = which.get(&all);
        let shown = redact_text(&format!("{before} {chosen} {after}"));
        prop_assert!(!shown.contains(&secret), "{} in {}", secret, shown);
    }

    #[test]
    fn planted_secrets_never_show_at_any_depth(
        secret in secret(), wrappings in prop::collection::vec(any::<u8>(), 0..5), which in any::<prop::sample::Index>()
    ) {
        let all = planted(&secret);
        let chosen: &String = which.get(&all);
        let text = nested(chosen, &wrappings);
        let shown = redact_text(&text);
        prop_assert!(!shown.contains(&secret), "{} in {}", text, shown);
        let (shown, _) = redact_json(&lenient_json(text.as_bytes()));
        prop_assert!(!shown.to_string().contains(&secret), "{} in {}", text, shown);
        prop_assert!(!safe_error(&text).1.contains(&secret), "{}", text);
    }

    /// What a customer wrote may be revealed; what opens doors is not, wherever it stands in it.
    #[test]
    fn keys_never_show_in_what_is_revealed(
        secret in secret(), wrappings in prop::collection::vec(any::<u8>(), 0..5), which in any::<prop::sample::Index>()
    ) {
        let written = [format!("prompt='{secret} by night'"), format!("{secret}@example.com")];
        let all: Vec<String> = planted(&secret).into_iter().filter(|text| !written.contains(text)).collect();
        let chosen: &String = which.get(&all);
        let text = nested(chosen, &wrappings);
        let args = serde_json::json!({ "prompt": text, "note": [lenient_json(text.as_bytes())] });
        for (field, shown) in fields(&args, Some(&text)) {
            prop_assert!(!shown.contains(&secret), "{}: {:?}: {}", text, field, shown);
        }
    }

    #[test]
    fn any_bytes_as_json(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (shown, _) = redact_json(&lenient_json(&bytes));
        prop_assert_eq!(&redact_json(&shown).0, &shown);
    }

    #[test]
    fn any_json_like_text(text in "[\\[\\]{}\",:0-9eE.+\\-a-zA\\\\u \n]{0,60}") {
        let read = lenient_json(text.as_bytes());
        if let Ok(strict) = serde_json::from_str::<Value>(&text) && !text.contains(['.', 'e', 'E']) && text.len() < 15 {
            prop_assert_eq!(read, strict);
        }
    }

    #[test]
    fn secrets_in_fields_never_show(
        secret in secret(), name in "[a-z_]{1,12}", which in any::<prop::sample::Index>()
    ) {
        let all = planted(&secret);
        let chosen: &String = which.get(&all);
        let (shown, _) = redact_json(&serde_json::json!({ name.as_str(): chosen, "url": chosen, "operation_id": chosen }));
        prop_assert!(!shown.to_string().contains(&secret), "{} in {}", secret, shown);
    }
}
