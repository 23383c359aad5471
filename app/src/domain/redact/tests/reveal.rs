use crate::domain::redact::redact_json;
use crate::domain::redact::reveal::{MAX_FIELDS, fields};
use serde_json::{Value, json};

fn offered(args: &Value, error: Option<&str>) -> Vec<(String, String, String)> {
    fields(args, error)
        .into_iter()
        .map(|(field, text)| (field.name(), field.path, text))
        .collect()
}

fn one(name: &str, path: &str, text: &str) -> (String, String, String) {
    (name.to_owned(), path.to_owned(), text.to_owned())
}

#[test]
fn what_a_customer_wrote_is_offered_and_what_opens_doors_is_not() {
    let args = json!({
        "operation_id": "op_1", "prompt": "a red fox", "seed": 1, "api_key": "abc", "pin": 1234,
        "body": {"note": "call ada@example.test", "session": {"note": "x"}, "frames": [{"caption": "dusk"}]},
        "credentials": {"note": "hidden with all below"},
    });
    let error = "ValueError: prompt='a red fox' of ada@example.test, Authorization: Bearer abcdef1234567890";
    assert_eq!(
        offered(&args, Some(error)),
        [
            one(
                "error",
                "the error text",
                "ValueError: prompt='a red fox' of ada@example.test, Authorization: ‹redacted›"
            ),
            one("args.1", "prompt", "a red fox"),
            one("args.3", "body.note", "call ada@example.test"),
            one("args.4", "body.frames[0].caption", "dusk"),
        ]
    );
}

/// Whatever any list calls a secret, in each way in which programs write names.
#[test]
fn no_name_of_a_secret_is_ever_offered() {
    for name in [
        "pwd",
        "sig",
        "hmac",
        "sas",
        "otp",
        "auth",
        "pass",
        "passcode",
        "clientKey",
        "signingKey",
        "RSAKey",
        "key1",
        "sid",
        "db_pwd",
        "userPwd",
        "PWD",
        "urlSig",
        "x-auth",
        "x-key",
        "key-pair-id",
        "GoogleAccessId",
        "AWSAccessKeyId",
        "api_key",
        "apiKey",
        "client_secret",
        "passwd",
        "passphrase",
        "refreshToken",
        "credential",
        "signature",
        "X-Amz-Security-Token",
        "x-goog-credential",
        "access_key",
        "private-key",
        "accountKey",
        "encryption_key",
        "shared_key",
        "subscriptionKey",
        "licenseKey",
        "sshKey",
        "session_id",
        "bearer",
        "jwt",
        "Proxy-Authorization",
        "Set-Cookie",
        "cookie2",
        "x-api-version",
        "pin",
        "userPIN",
        "cvv",
        "cvc",
        "ssn",
        "iban",
        "card",
        "nonce",
    ] {
        let args = json!({ name: "hunter2 and more", "body": { name: { "note": "hunter2 and more" } } });
        assert_eq!(offered(&args, None), [], "{name}");
        let number = json!({ name: 4711 });
        assert_eq!(offered(&number, None), [], "{name}");
        assert!(
            !redact_json(&number).0.to_string().contains("4711"),
            "{name} is hidden by default too"
        );
    }
    for name in [
        "author",
        "design",
        "monkey",
        "compass",
        "keyboard",
        "pinned",
        "note",
        "signed_by",
    ] {
        assert_eq!(offered(&json!({ name: "a red fox" }), None).len(), 1, "{name}");
    }
}

#[test]
fn what_is_shown_already_is_not_offered() {
    let args = json!({"operation_id": "op_1", "seed": 3, "ok": true, "nothing": null, "empty": ""});
    assert_eq!(offered(&args, Some("Connection refused")), []);
    assert_eq!(
        offered(&json!("a word"), None),
        [one("args.0", "the arguments", "a word")]
    );
}

/// A value that is revealed may itself hold what opens doors.
#[test]
fn keys_inside_a_revealed_value_stay_hidden() {
    let secret = "Qz01Xk7Vb2Mw9Rt4Yp6Hd3Lf8Sj";
    for text in [
        format!("Authorization: Bearer {secret}"),
        format!("Cookie: session={secret}; theme=dark"),
        format!("invalid api_key={secret} for a fox"),
        format!("password={secret} rejected"),
        format!("{{\"api_key\": \"{secret}\", \"prompt\": \"a fox\"}}"),
        format!("{{\\\"refresh_token\\\": \\\"{secret}\\\"}}"),
        format!("sk-{secret}"),
        format!("dlo_{secret}"),
        format!("eyJhbGciOiJSUzI1NiJ9.eyJ{secret}.{secret}"),
        format!("-----BEGIN PRIVATE KEY-----\n{secret}\n-----END PRIVATE KEY-----"),
        format!("https://b.s3.amazonaws.com/k.mp4?X-Amz-Signature={secret}"),
        format!("https://user:{secret}@example.com/a"),
        format!("https://cdn.example.com/signed/{secret}/v.mp4"),
        format!("next=https%3A%2F%2Fcdn.example.com%2Fv.mp4%3Fsig%3D{secret}"),
        format!("prompt: a fox, api_key={secret}"),
        format!("prompt='a fox' token={secret}"),
    ] {
        let args =
            json!({"prompt": text, "note": [text], "nested": {"text": json!({"prompt": text}).to_string()}});
        let found = fields(&args, Some(&text));
        assert!(found.len() >= 3, "{text}: {found:?}");
        for (field, shown) in found {
            assert!(!shown.contains(secret), "{text}: {field:?}: {shown}");
        }
    }
}

#[test]
fn a_name_that_is_a_secret_is_not_written_down() {
    let args = json!({"sk-abcdef1234567890": "x y z", "a\u{202e}": "x y z"});
    let paths: Vec<String> = fields(&args, None)
        .into_iter()
        .map(|(field, _)| field.path)
        .collect();
    assert_eq!(paths, ["‹redacted›", "a⟨U+202E⟩"]);
}

#[test]
fn huge_and_deep_arguments_are_bounded() {
    let wide = json!({"notes": vec!["x y"; 5000]});
    assert_eq!(fields(&wide, None).len(), MAX_FIELDS);
    let mut deep = json!("x y");
    for _ in 0..100 {
        deep = json!({ "note": deep });
    }
    assert!(fields(&deep, None).is_empty());
}
