use super::{read, reason_of_code};
use crate::config::{Config, Flags, ProviderConfig};
use crate::provider::Answer;
use app::domain::ids::JobId;
use app::domain::money::ChargeState;
use app::domain::remote::{Execution, Fetch, Reason};
use chrono::DateTime;
use url::Url;

fn genace(more: &str) -> ProviderConfig {
    let text =
        format!("[providers.genace]\nprofile = \"genace\"\nbase_url = \"https://api.example.test\"\n{more}");
    match Config::from_parts(Some(&text), &[], &Flags::default()) {
        Ok(mut config) => config.providers.remove("genace").unwrap_or_default(),
        Err(error) => panic!("{error}"),
    }
}

fn answer(body: &str, more: &str) -> Answer {
    let Ok(url) = Url::parse("https://api.example.test/v1/jobs/gj_1") else {
        panic!("it is a URL")
    };
    read(
        body.as_bytes(),
        &JobId::from("gj_1"),
        &url,
        &genace(more),
        DateTime::UNIX_EPOCH,
    )
}

#[test]
fn a_succeeded_job_is_read_whole() {
    let answer = answer(
        r#"{"id":"gj_1","state":"succeeded","client_reference":"a/b c","error":null,
            "outputs":[{"url":"https://cdn.example.test/o/0?sig=x","content_type":"video/mp4","hash":"AB"},{"url":"/o/1","content_type":null},{}],
            "credits":{"reserved":0,"charged":0.1,"refunded":"0.00"}}"#,
        "[providers.genace.observe]\noutput_sha256 = \"/hash\"\n",
    );
    let seen = &answer.observation;
    assert_eq!(
        (seen.fetch, seen.execution, seen.reason),
        (Fetch::Ok, Some(Execution::Succeeded), Some(Reason::None))
    );
    assert_eq!(seen.raw_status, None);
    assert_eq!(seen.outputs.as_ref().map(Vec::len), Some(3));
    assert_eq!(
        answer.links.len(),
        2,
        "an output without a URL is listed and cannot be fetched"
    );
    assert_eq!(answer.links[0].sha256.as_deref(), Some("ab"));
    assert_eq!(answer.links[1].url.as_str(), "https://api.example.test/o/1");
    assert_eq!(answer.client_reference.as_deref(), Some("a/b c"));
    let charge = seen.charge.clone().unwrap_or_default();
    assert_eq!(charge.state, ChargeState::Charged);
    assert_eq!(
        charge.charged.map(|amount| amount.to_string()).as_deref(),
        Some("0.1")
    );
    assert!(
        !format!("{answer:?}").contains("sig"),
        "a signed URL is never shown"
    );
}

#[test]
fn not_stated_and_none_are_told_apart() {
    let outputs = |body: &str| answer(body, "").observation.outputs;
    assert_eq!(
        outputs(r#"{"id":"gj_1","state":"succeeded","outputs":null}"#),
        None
    );
    assert_eq!(outputs(r#"{"id":"gj_1","state":"succeeded"}"#), None);
    assert_eq!(
        outputs(r#"{"id":"gj_1","state":"succeeded","outputs":[]}"#),
        Some(Vec::new())
    );
    assert_eq!(
        answer(r#"{"id":"gj_1","state":"queued"}"#, "").observation.charge,
        None
    );
}

#[test]
fn an_unknown_word_is_kept_and_cut() {
    let long = "ü".repeat(80);
    let seen = answer(&format!(r#"{{"id":"gj_1","state":"{long}"}}"#), "").observation;
    assert_eq!(
        (seen.execution, seen.reason),
        (Some(Execution::Unknown), Some(Reason::Unrecognised))
    );
    assert_eq!(seen.raw_status.map(|raw| raw.chars().count()), Some(64));
    assert_eq!(
        answer(r#"{"id":"gj_1","state":7}"#, "")
            .observation
            .raw_status
            .as_deref(),
        Some("7")
    );
}

#[test]
fn the_marker_and_the_code_give_the_reason() {
    let reason = |error: &str| {
        answer(
            &format!(r#"{{"id":"gj_1","state":"failed","error":{error}}}"#),
            "",
        )
        .observation
        .reason
    };
    assert_eq!(
        reason(r#"{"code":"provider_error","submission_failure":true}"#),
        Some(Reason::SubmissionFailure)
    );
    assert_eq!(
        reason(r#"{"code":"moderation","submission_failure":false}"#),
        Some(Reason::Moderation)
    );
    assert_eq!(
        reason(r#"{"code":"operator_marked"}"#),
        Some(Reason::OperatorMarked)
    );
    assert_eq!(reason("null"), Some(Reason::None));
    assert_eq!(reason_of_code("TIMEOUT"), Reason::Timeout);
    assert_eq!(
        reason_of_code("submission_failure"),
        Reason::ProviderError,
        "a word is not the marker"
    );
    assert_eq!(reason_of_code("gpu_on_fire"), Reason::ProviderError);
}

#[test]
fn a_pending_compensation_is_a_refund_on_its_way() {
    let seen = answer(
        r#"{"id":"gj_1","state":"failed","credits":{"charged":"12","refunded":0,"compensation":"pending"}}"#,
        "",
    );
    assert_eq!(
        seen.observation.charge.map(|charge| charge.state),
        Some(ChargeState::RefundPending)
    );
}

#[test]
fn what_is_no_answer_about_this_job_is_dropped() {
    for body in [
        "<html><title>gj_1</title></html>",
        "",
        "[]",
        "null",
        r#"{"id":"gj_1","state":"succ"#,
        r#"{"id":"gj_2","state":"failed"}"#,
        r#"{"state":"failed"}"#,
        r#"{"id":"gj_1"}"#,
        r#"{"id":"gj_1","state":null}"#,
        r#"{"id":"gj_1","state":"succeeded","outputs":{"0":1}}"#,
    ] {
        let seen = answer(body, "").observation;
        assert_eq!(seen.fetch, Fetch::BadPayload, "{body}");
        assert_eq!(
            (seen.execution, seen.outputs, seen.charge),
            (None, None, None),
            "{body}"
        );
    }
}
