use super::classify;
use crate::config::{Config, Flags, ProviderConfig};
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::money::ChargeState;
use app::domain::operation::ErrorCategory;
use http::{HeaderMap, HeaderValue};

fn genace() -> ProviderConfig {
    let text = "[providers.genace]\nprofile = \"genace\"\n[providers.genace.create]\njob_id_headers = [\"X-Job-Id\"]\n";
    match Config::from_parts(Some(text), &[], &Flags::default()) {
        Ok(mut config) => config.providers.remove("genace").unwrap_or_default(),
        Err(error) => panic!("{error}"),
    }
}

fn judge(status: u16, body: &str) -> Receipt {
    classify(status, &HeaderMap::new(), body.as_bytes(), true, &genace())
}

#[test]
fn a_job_id_is_an_acceptance_at_any_status() {
    for status in [200, 201, 202, 302, 400, 409, 422, 429, 500, 502, 503] {
        for (body, at) in [
            (r#"{"job":{"id":"gj_1"}}"#, "/job/id"),
            (r#"{"id":"gj_1"}"#, "/id"),
            (
                r#"{"error":{"code":"bad_gateway","job_id":"gj_1"}}"#,
                "/error/job_id",
            ),
        ] {
            let receipt = judge(status, body);
            assert_eq!(receipt.kind, ReceiptKind::Accepted, "{status} {body}");
            assert_eq!(receipt.job_id.as_ref().map(|id| id.as_str()), Some("gj_1"));
            assert_eq!(
                (receipt.job_id_at.as_deref(), receipt.status),
                (Some(at), Some(status))
            );
        }
    }
}

#[test]
fn a_job_id_in_a_header_counts_whatever_the_body() {
    let mut headers = HeaderMap::new();
    headers.insert("x-job-id", HeaderValue::from_static("gj_1"));
    for (body, whole) in [("<html>", true), ("", true), ("{\"er", false)] {
        let receipt = classify(502, &headers, body.as_bytes(), whole, &genace());
        assert_eq!(
            (receipt.kind, receipt.job_id_at.as_deref()),
            (ReceiptKind::Accepted, Some("X-Job-Id")),
            "{body}"
        );
    }
}

#[test]
fn a_bad_byte_elsewhere_hides_no_job_id() {
    let provider = genace();
    let receipt = classify(
        200,
        &HeaderMap::new(),
        b"\xef\xbb\xbf{\"note\":\"\xff\\ud800\",\"id\":\"gj_1\"}",
        true,
        &provider,
    );
    assert_eq!(receipt.kind, ReceiptKind::Accepted);
}

#[test]
fn a_listed_status_with_an_object_and_no_id_is_a_refusal() {
    for status in [400, 401, 402, 403, 404, 422] {
        for body in [
            r#"{"error":{"code":"nope"}}"#,
            "{}",
            r#"{"id":null,"job":{}}"#,
            r#"{"id":""}"#,
        ] {
            let receipt = judge(status, body);
            assert_eq!(receipt.kind, ReceiptKind::Rejected, "{status} {body}");
            let free = [400, 401, 422].contains(&status);
            assert_eq!(
                receipt.charge.map(|charge| charge.state),
                free.then_some(ChargeState::None),
                "{status}"
            );
        }
    }
    assert_eq!(judge(401, "{}").category, Some(ErrorCategory::Unauthorized));
    assert_eq!(
        judge(422, r#"{"error":{"code":"moderation_blocked"}}"#).category,
        Some(ErrorCategory::Moderation)
    );
    assert_eq!(judge(422, "{}").category, Some(ErrorCategory::Rejected));
}

#[test]
fn a_refusal_that_costs_says_so() {
    let receipt = judge(
        422,
        r#"{"error":{"code":"moderation"},"credits":{"charged":"2.50"}}"#,
    );
    assert_eq!(receipt.kind, ReceiptKind::Rejected);
    let charge = receipt.charge.unwrap_or_default();
    assert_eq!(
        (charge.state, charge.charged.map(|amount| amount.to_string())),
        (ChargeState::Charged, Some("2.5".to_owned()))
    );
}

#[test]
fn everything_else_is_unknown() {
    for (status, body) in [
        (200, "{}"),
        (201, r#"{"status":"ok"}"#),
        (202, ""),
        (204, ""),
        (301, "{}"),
        (303, ""),
        (400, "<html>refused</html>"),
        (422, r#"["refused"]"#),
        (422, r#"{"error":"#),
        (404, "not found"),
        (409, "{}"),
        (429, "{}"),
        (500, "{}"),
        (502, r#"{"error":{"code":"bad_gateway"}}"#),
        (502, "<html>"),
        (503, ""),
        (422, r#"{"id":{"a":1}}"#),
        (422, r#"{"id":1.5}"#),
        (422, "{\"id\":\"a\\u0000b\"}"),
        (201, r#"{"job":{"id":"gj_"#),
    ] {
        let receipt = judge(status, body);
        assert_eq!(receipt.kind, ReceiptKind::Unknown, "{status} {body}");
        assert_eq!((receipt.job_id, receipt.charge), (None, None), "{status} {body}");
        assert!(receipt.category.is_some());
    }
}

#[test]
fn a_refusal_that_was_cut_off_proves_nothing() {
    let receipt = classify(422, &HeaderMap::new(), b"{}", false, &genace());
    assert_eq!(receipt.kind, ReceiptKind::Unknown);
    let receipt = classify(502, &HeaderMap::new(), br#"{"id":"gj_1"}"#, false, &genace());
    assert_eq!(
        receipt.kind,
        ReceiptKind::Accepted,
        "but an id that came is an id"
    );
}
