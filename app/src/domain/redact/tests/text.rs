//! Texts as real consumers leave them; every credential in here is made up.

use crate::domain::operation::ErrorCategory;
use crate::domain::redact::{MAX_TEXT, REDACTED, redact_text, redact_url, safe_error, visible};

const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJleGFtcGxlLW9ubHkifQ.c2lnbmF0dXJlLW5vdC1yZWFsLWV4YW1wbGU";

#[track_caller]
fn hides(text: &str, secrets: &[&str]) -> String {
    let shown = redact_text(text);
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret:?} is left in {shown:?}");
    }
    assert_eq!(redact_text(&shown), shown, "once is enough");
    shown
}

#[test]
fn a_real_delivery_error() {
    let text = format!(
        "Max retries exceeded: DeliveryFailed: copy failed: HTTP 403 for https://media-bucket.s3.example.net/renders/op_01J00013MEDIAGEN02956/out.mp4?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20260801%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signature=0f1e2d3c4b5a6978 (Authorization: Bearer {JWT}) -> s3://customer-13/outputs/op_01J00013MEDIAGEN02956.mp4\nTraceback (most recent call last):\n  File \"/srv/media/app/media_jobs.py\", line 58, in deliver\n"
    );
    let shown = hides(&text, &["X-Amz", "AKIA", "0f1e2d3c", "eyJ", "c2lnbmF0"]);
    assert!(
        shown.contains(
            "HTTP 403 for https://media-bucket.s3.example.net/renders/op_01J00013MEDIAGEN02956/out.mp4?… "
        ),
        "{shown}"
    );
    assert!(
        shown.contains(") -> s3://customer-13/outputs/op_01J00013MEDIAGEN02956.mp4\nTraceback"),
        "{shown}"
    );
    assert!(
        shown.contains("File \"/srv/media/app/media_jobs.py\", line 58, in deliver"),
        "{shown}"
    );
    assert_eq!(safe_error(&text).0, ErrorCategory::Unauthorized);
}

#[test]
fn an_escape_that_is_written_out_ends_before_the_word() {
    let secrets = [
        "sk-SECRET1aBcDeFgHiJ",
        "prompt='SECRET1 by night'",
        "api_key=SECRET1",
        "key: SECRET1aBcDeF22",
    ];
    let starts = [
        r"before\n",
        r"\t",
        r"\r\n",
        r"\u000a",
        r"\x0a",
        "%0A",
        "%250a",
        "\u{1b}[31m",
    ];
    for secret in secrets {
        for start in starts {
            hides(&format!("{start}{secret}"), &["SECRET1"]);
            hides(&format!("{{\"detail\":\"{start}{secret}\"}}"), &["SECRET1"]);
        }
    }
}

#[test]
fn signed_urls_of_any_vendor_keep_host_and_path() {
    let urls = [
        "https://acct.blob.core.windows.net/c/a.mp4?sv=2022&se=2030&sr=b&sp=r&sig=SECRET1%3D",
        "https://storage.googleapis.com/b/a.mp4?X-Goog-Signature=SECRET1&GoogleAccessId=x@y.iam.gserviceaccount.com",
        "https://d111.cloudfront.net/a.mp4?Expires=1&Signature=SECRET1~&Key-Pair-Id=K2",
        "https://cdn.example.com/a.mp4#token=SECRET1",
        "https://user:SECRET1@cdn.example.com/a.mp4",
        "https://user:SECRET1/x@y@cdn.example.com/a.mp4",
        "postgres://dlo:SECRET1@db.example.com:5432/dlo",
        "https://cdn.example.com/exp=99~acl=/*~hmac=SECRET1/a.mp4",
        "https://cdn.example.com/bcdn_token=SECRET1&expires=9/a.mp4",
        r"https:\/\/cdn.example.com\/a.mp4?token=SECRET1",
        "https%3A%2F%2Fcdn.example.com%2Fa.mp4%3Fsig%3DSECRET1",
        "cdn.example.com/a.mp4?sig=SECRET1&x=1",
        "/v1/jobs/gj_1?api_key=SECRET1",
        "wss://x.example.com/s;jsessionid=SECRET1",
        "https://hooks.example.com/services/T0123/B0456/SECRET1aBcDeFgHiJkLmNoP99",
    ];
    for url in urls {
        let shown = hides(&format!("GET {url} failed"), &["SECRET1"]);
        assert!(shown.starts_with("GET ") && shown.ends_with(" failed"), "{shown}");
    }
    assert_eq!(
        redact_url("https://u:p@h.example:8443/a/b.mp4?x=1#y"),
        "https://h.example:8443/a/b.mp4?…"
    );
    assert_eq!(
        redact_url("https://h.example/a/b.mp4"),
        "https://h.example/a/b.mp4"
    );
    assert_eq!(
        redact_url("s3://customer-1/outputs/op_01J00013MEDIAGEN02956.mp4"),
        "s3://customer-1/outputs/op_01J00013MEDIAGEN02956.mp4"
    );
    assert_eq!(
        redact_text("see (https://h.example/a?b=c)."),
        "see (https://h.example/a?…)."
    );
}

#[test]
fn keys_in_every_dress() {
    let dressed = [
        "Authorization: Bearer SECRET1-abc",
        "authorization=Basic U0VDUkVUMTpTRUNSRVQx",
        "{'Authorization': 'Bearer SECRET1-abc', 'Accept': '*/*'}",
        r#"{"authorization": "Token SECRET1-abc"}"#,
        r#"{\"api_key\": \"SECRET1\\\"more SECRET1\", \"model\": \"m\"}"#,
        "Authorization: AWS4-HMAC-SHA256 Credential=SECRET1/x, SignedHeaders=host, Signature=SECRET1",
        "Cookie: a=SECRET1; b=SECRET1",
        "api_key=SECRET1",
        "GENACE_API_KEY = SECRET1",
        "apikey:SECRET1",
        "x-api-key: SECRET1",
        "password='SECRET1 with spaces'",
        "client_secret=>SECRET1",
        "DB_PASSWORD=SECRET1",
        "refresh_token: SECRET1",
        "token=SECRET1&next=1",
        "aws_secret_access_key=SECRET1",
        "Bearer SECRET1abcdef",
        "\u{1b}[31mbearer SECRET1abcdef\u{1b}[0m",
        "key 'sk-SECRET1abcdefgh' is invalid",
        "token dlo_SECRET1abcdefghijklm was refused",
        "ghp_SECRET1abcdefghijklmnop",
        "-----BEGIN PRIVATE KEY-----\nSECRET1\nSECRET1==\n-----END PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nSECRET1 and then cut",
        "session_id=SECRET1",
    ];
    for text in dressed {
        hides(text, &["SECRET1", "U0VDUkVUMTpTRUNSRVQx"]);
    }
    hides(&format!("cookie was {JWT}"), &["eyJ"]);
    hides("key AKIAIOSFODNN7EXAMPLE is not allowed", &["AKIA"]);
    hides("opaque aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5 here", &["aB3dE5"]);
}

#[test]
fn prompts_and_addresses() {
    let texts = [
        r#"submit(operation_id='op_1', prompt='a red fox, 35mm', seed=1)"#,
        r#"{"prompt": "a red fox, 35mm", "seed": 1}"#,
        r#"{\"negative_prompt\": \"a red fox, 35mm\"}"#,
        "prompt: a red fox, 35mm",
        "width\n  Input should be a valid integer [type=int_parsing, input_value='a red fox, 35mm', input_type=str]",
    ];
    for text in texts {
        hides(text, &["red fox", "35mm"]);
    }
    let shown = hides("mail ada.lovelace+x@example.co.uk now", &["ada", "example"]);
    assert_eq!(shown, format!("mail {REDACTED} now"));
}

#[test]
fn plain_words_stay() {
    let plain = [
        "",
        "Job render.upscale.v2 not registered.",
        "Job timed out after 300.0s",
        "Retry policy declined: RenderError: job gen_0008 failed",
        "POST /v1/generations -> 502 (operation op_01J00001MEDIAGEN07919); upstream response lost, acceptance unknown",
        "ledger entry for op_01J00017MEDIAGEN34632: compensation of 12.5 credits still pending — möglicherweise doppelt 退款 🧾",
        "sha256 mismatch: expected e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "row 77e69897-b2f7-477e-8564-8b01789846c5 of dlo_operations and dlo_recoveries",
        "  File \"/usr/lib/python3.11/asyncio/tasks.py\", line 489, in wait_for\n    return fut.result()\n           ^^^^",
        "basic authentication failed: the bearer tokens are old",
        "KeyError: 'operation_id'",
        "ratio 4:3, time 12:30, a?b",
    ];
    for text in plain {
        assert_eq!(redact_text(text), text);
    }
}

#[test]
fn hidden_characters_are_shown() {
    assert_eq!(visible("a\0b\u{1b}[31m\r\n\tc\u{7f}"), "a␀b␛[31m␍\n\tc␡");
    assert_eq!(
        visible("https://hooks.example.net/\u{202e}gpj.x"),
        "https://hooks.example.net/⟨U+202E⟩gpj.x"
    );
    assert_eq!(
        visible("z\u{200b}w\u{feff}\u{2066}\u{85}\u{e0041}"),
        "z⟨U+200B⟩w⟨U+FEFF⟩⟨U+2066⟩⟨U+0085⟩⟨U+E0041⟩"
    );
    assert_eq!(visible("möglich 退款 🧾"), "möglich 退款 🧾");
}

#[test]
fn long_texts_are_cut_and_stay_so() {
    let shown = hides(&"word ".repeat(100_000), &[]);
    assert!(shown.len() <= MAX_TEXT && shown.ends_with("… cut"));
    let url = format!("https://h.example/{}?sig=SECRET1", "a/".repeat(100_000));
    assert!(hides(&format!("x {url}"), &["SECRET1"]).len() <= MAX_TEXT);
    assert!(hides(&"é".repeat(40_000), &[]).len() <= MAX_TEXT);
}

#[test]
fn categories_are_guessed() {
    let guesses = [
        ("Job render.x not registered.", ErrorCategory::HandlerMissing),
        (
            "Max retries exceeded: Job timed out after 300.0s",
            ErrorCategory::Timeout,
        ),
        (
            "Max retries exceeded: ProviderUnavailable: POST /v1/generations -> 502 (op)",
            ErrorCategory::Http5xx,
        ),
        (
            "ConnectionError: POST https://hooks.example.net/x: connection reset",
            ErrorCategory::Connection,
        ),
        ("HTTP 404 for https://x/y", ErrorCategory::NotFound),
        ("got 429 Too Many Requests", ErrorCategory::RateLimited),
        ("status code: 422", ErrorCategory::Http4xx),
        ("504 Gateway Timeout", ErrorCategory::Http5xx),
        (
            "OSError: [Errno 28] No space left on device: '/x'",
            ErrorCategory::StorageFull,
        ),
        (
            "ssl.SSLCertVerificationError: certificate verify failed",
            ErrorCategory::Tls,
        ),
        ("sha256 mismatch for output 2", ErrorCategory::OutputMismatch),
        ("the signed URL expired", ErrorCategory::OutputExpired),
        ("rejected by content policy", ErrorCategory::Moderation),
        (
            "asyncpg.exceptions.DeadlockDetectedError",
            ErrorCategory::Database,
        ),
        (
            "Corrupted argument data: 1 validation error for SubmitArgs\nwidth",
            ErrorCategory::BadPayload,
        ),
        ("CancelledError", ErrorCategory::Cancelled),
        ("CUDA out of memory", ErrorCategory::Other),
        ("", ErrorCategory::Other),
        ("x/403/y 5021", ErrorCategory::Other),
        (
            "Boom\n  File \"timeout.py\"\nTimeoutError: timed out",
            ErrorCategory::Timeout,
        ),
    ];
    for (text, category) in guesses {
        assert_eq!(safe_error(text).0, category, "{text}");
    }
    let (_, line) = safe_error("\nfirst Bearer abcdef123456\nsecond");
    assert_eq!(line, format!("first Bearer {REDACTED}"));
}
