use super::{least, refused_at, with};
use crate::domain::ids::{JobId, OperationId};
use crate::domain::money::ChargeState;
use crate::domain::operation::{Dispatch, ErrorCategory, Operation, Phase};
use crate::domain::remote::{CopyState, Execution, Output, Source};
use crate::domain::transition::report::{Invalid, parse_patch, parse_put, parse_recovery_report};
use crate::domain::transition::sample::{at, nobody};
use serde_json::{Value, json};

fn put(body: &Value) -> Result<Operation, Invalid> {
    Ok(parse_put(body)?.into_record(OperationId::from("op_1"), Some("f".to_owned()), at(0), nobody))
}

#[test]
fn what_is_absent_is_unknown_and_not_recorded() -> Result<(), Invalid> {
    let record = put(&least())?;
    assert_eq!(
        (record.revision, record.phase, record.dispatch),
        (1, Phase::Accepted, Dispatch::NotRecorded)
    );
    assert_eq!(
        (record.account.as_str(), record.charge.state),
        ("", ChargeState::Unknown)
    );
    assert_eq!((record.remote.source, record.remote.observed_at), (None, None));
    assert_eq!(put(&with("remote", Value::Null))?, record, "null means absent");
    assert_eq!(
        put(&with("charge", json!({"state": null, "charged": null})))?,
        record
    );
    Ok(())
}

#[test]
fn everything_stated_is_stored() -> Result<(), Invalid> {
    let record = put(&json!({
        "provider": "genace", "account": "main", "owner": "user_42",
        "specification": {"id": "spec_9", "revision": 3}, "model": "aurora",
        "phase": "failed", "dispatch": "confirmed_not_sent",
        "remote": {
            "job_id": "gj/1 ä", "fetch": "not_found", "execution": "succeeded", "reason": "unrecognised",
            "raw_status": "hold", "outputs": [{"index": 2, "url": "https://x/y?sig=1"}, {"index": 0, "content_type": "video/mp4"}],
            "outputs_expected": 4, "empty_observations": 2, "observed_at": "2999-01-01T00:00:00+02:00"
        },
        "charge": {"state": "partially_refunded", "reserved": "0", "charged": "12.50", "refunded": 3},
        "outputs": [
            {"index": 1, "state": "failed", "category": "not_found"},
            {"index": 0, "state": "delivered", "storage_key": "op/0.mp4", "bytes": 1024, "sha256": "00"}
        ],
        "error": {"category": "http_5xx", "detail": "Bearer abcdef123456 at https://a:b@c/d?e=f"},
        "dispatch_proof": {"message_id": "77E69897-B2F7-477E-8564-8B01789846C5", "attempts": 3},
        "parent": "op_0"
    }))?;
    let remote = &record.remote;
    assert_eq!(record.job_id, Some(JobId::from("gj/1 ä")));
    assert_eq!(
        (remote.execution, remote.source),
        (Some(Execution::Succeeded), Some(Source::Reported))
    );
    assert_eq!(remote.observed_at, Some(at(0)), "clamped to now");
    let outputs = [
        Output {
            index: 0,
            content_type: Some("video/mp4".to_owned()),
        },
        Output {
            index: 2,
            content_type: None,
        },
    ];
    assert_eq!(remote.outputs.as_deref(), Some(&outputs[..]));
    assert_eq!((remote.outputs_expected, remote.empty_observations), (Some(4), 2));
    assert_eq!(
        record.charge.charged.map(|amount| amount.to_string()).as_deref(),
        Some("12.50"),
        "exact"
    );
    assert_eq!(
        record.outputs.iter().map(|copy| copy.state).collect::<Vec<_>>(),
        [CopyState::Delivered, CopyState::Failed]
    );
    assert_eq!(record.outputs[1].permanent_failures, 1);
    assert_eq!(record.not_sent_since, Some(at(0)));
    assert_eq!(
        record.dispatch_proof.as_ref().map(|proof| proof.attempts),
        Some(3)
    );
    assert_eq!(
        record.error.as_ref().map(|error| error.category),
        Some(ErrorCategory::Http5xx)
    );
    let stored = serde_json::to_string(&record).unwrap_or_default();
    for dropped in ["abcdef123456", "a:b@", "e=f", "sig=1"] {
        assert!(!stored.contains(dropped), "{dropped} in {stored}");
    }
    Ok(())
}

#[test]
fn an_id_held_elsewhere_joins_the_others_with_its_axes() -> Result<(), Invalid> {
    let mut body = with("remote", json!({"job_id": "gj_1", "execution": "succeeded"}));
    body["charge"] = json!({"state": "charged", "charged": "4"});
    body["outputs"] = json!([{"index": 0, "state": "delivered"}]);
    let record = parse_put(&body)?.into_record(OperationId::from("op_1"), None, at(0), |_| true);
    assert_eq!(
        (record.job_id, record.remote, record.outputs.len()),
        (None, Default::default(), 0)
    );
    let other = &record.other_jobs[0];
    assert_eq!(other.job_id, JobId::from("gj_1"));
    assert_eq!(other.job.remote.execution, Some(Execution::Succeeded));
    assert_eq!(
        (other.job.charge.state, other.job.outputs.len()),
        (ChargeState::Charged, 1)
    );
    assert_eq!(record.charge.state, ChargeState::Unknown);
    Ok(())
}

#[test]
fn required_fields() {
    for field in ["provider", "owner", "specification", "phase"] {
        assert_eq!(
            refused_at(parse_put(&with(field, Value::Null))),
            Some(format!("/{field}"))
        );
    }
    assert_eq!(
        refused_at(parse_put(&with("specification", json!({"id": "s"})))).as_deref(),
        Some("/specification/revision")
    );
    assert_eq!(
        refused_at(parse_put(&with("specification", json!({"revision": 1})))).as_deref(),
        Some("/specification/id")
    );
    assert!(parse_patch(&json!({})).is_ok());
}

#[test]
fn wrong_types_unknown_values_and_fields_are_refused_where_they_stand() {
    let long = "x".repeat(201);
    let wrong = [
        ("/provider", with("provider", json!(""))),
        ("/provider", with("provider", json!(3))),
        ("/owner", with("owner", json!("a\nb"))),
        ("/model", with("model", json!(long))),
        ("/phase", with("phase", json!("done"))),
        ("/phase", with("phase", json!(1))),
        ("/dispatch", with("dispatch", json!("unknown"))),
        ("/surprise", with("surprise", json!(1))),
        ("/a~1b~0c", with("a/b~c", json!(null))),
        ("/specification", with("specification", json!("spec"))),
        (
            "/specification/revision",
            with("specification", json!({"id": "s", "revision": -1})),
        ),
        (
            "/specification/revision",
            with("specification", json!({"id": "s", "revision": 1.5})),
        ),
        (
            "/specification/revision",
            with("specification", json!({"id": "s", "revision": "1"})),
        ),
        (
            "/specification/body",
            with("specification", json!({"id": "s", "revision": 1, "body": {}})),
        ),
        ("/remote", with("remote", json!([]))),
        ("/remote/job_id", with("remote", json!({"job_id": ""}))),
        ("/remote/job_id", with("remote", json!({"job_id": long}))),
        ("/remote/job_id", with("remote", json!({"job_id": 12}))),
        ("/remote/fetch", with("remote", json!({"fetch": "OK"}))),
        ("/remote/execution", with("remote", json!({"execution": "done"}))),
        ("/remote/reason", with("remote", json!({"reason": ""}))),
        (
            "/remote/raw_status",
            with("remote", json!({"raw_status": "ä".repeat(65)})),
        ),
        ("/remote/outputs", with("remote", json!({"outputs": {}}))),
        ("/remote/outputs/0", with("remote", json!({"outputs": [3]}))),
        (
            "/remote/outputs/0/index",
            with("remote", json!({"outputs": [{}]})),
        ),
        (
            "/remote/outputs/0/index",
            with("remote", json!({"outputs": [{"index": -1}]})),
        ),
        (
            "/remote/outputs/0/index",
            with("remote", json!({"outputs": [{"index": 4_000_000_000_u32}]})),
        ),
        (
            "/remote/outputs/1/index",
            with("remote", json!({"outputs": [{"index": 2}, {"index": 2}]})),
        ),
        (
            "/remote/outputs/0/size",
            with("remote", json!({"outputs": [{"index": 0, "size": 1}]})),
        ),
        (
            "/remote/outputs_expected",
            with("remote", json!({"outputs_expected": 4_000_000_000_u32})),
        ),
        (
            "/remote/empty_observations",
            with("remote", json!({"empty_observations": -1})),
        ),
        (
            "/remote/observed_at",
            with("remote", json!({"observed_at": "yesterday"})),
        ),
        (
            "/remote/observed_at",
            with("remote", json!({"observed_at": 1_700_000_000})),
        ),
        ("/remote/source", with("remote", json!({"source": "get"}))),
        ("/charge/state", with("charge", json!({"state": "paid"}))),
        (
            "/charge/currency",
            with("charge", json!({"state": "none", "currency": "EUR"})),
        ),
        ("/outputs", with("outputs", json!("none"))),
        ("/outputs/0/state", with("outputs", json!([{"index": 0}]))),
        (
            "/outputs/0/state",
            with("outputs", json!([{"index": 0, "state": "lost"}])),
        ),
        (
            "/outputs/1/index",
            with(
                "outputs",
                json!([{"index": 0, "state": "pending"}, {"index": 0, "state": "pending"}]),
            ),
        ),
        (
            "/outputs/0/bytes",
            with(
                "outputs",
                json!([{"index": 0, "state": "delivered", "bytes": -5}]),
            ),
        ),
        (
            "/outputs/0/category",
            with(
                "outputs",
                json!([{"index": 0, "state": "failed", "category": "bad"}]),
            ),
        ),
        (
            "/outputs/0/url",
            with("outputs", json!([{"index": 0, "state": "failed", "url": "x"}])),
        ),
        ("/error", with("error", json!("boom"))),
        ("/error/category", with("error", json!({"detail": "boom"}))),
        (
            "/error/detail",
            with("error", json!({"category": "other", "detail": 5})),
        ),
        (
            "/dispatch_proof/message_id",
            with("dispatch_proof", json!({"message_id": "7", "attempts": 1})),
        ),
        (
            "/dispatch_proof/attempts",
            with(
                "dispatch_proof",
                json!({"message_id": "77e69897-b2f7-477e-8564-8b01789846c5"}),
            ),
        ),
        ("/parent", with("parent", json!(""))),
    ];
    for (field, body) in wrong {
        assert_eq!(refused_at(parse_put(&body)).as_deref(), Some(field), "PUT {body}");
        assert_eq!(
            refused_at(parse_patch(&body)).as_deref(),
            Some(field),
            "PATCH {body}"
        );
    }
    for body in [json!(null), json!([]), json!("x"), json!(3)] {
        assert_eq!(refused_at(parse_put(&body)).as_deref(), Some(""));
    }
}

#[test]
fn amounts_are_exact_decimals() {
    for good in [
        json!("0"),
        json!("12"),
        json!("12.50"),
        json!("999999999999999999.999999999"),
        json!(12),
        json!(0.1),
        json!(12.5),
    ] {
        assert!(
            parse_put(&with("charge", json!({"charged": good}))).is_ok(),
            "{good}"
        );
    }
    let bad = [
        json!(""),
        json!("-1"),
        json!("+1"),
        json!("1e5"),
        json!("1."),
        json!(".5"),
        json!("1,5"),
        json!(" 1"),
        json!("NaN"),
        json!("Infinity"),
        json!("0x10"),
        json!("1000000000000000000"),
        json!("0.0000000001"),
        json!("١"),
        json!(-1),
        json!(-0.5),
        json!(1e30),
        json!(0.123_456_789_012_345_67),
        json!(true),
        json!([]),
        json!({}),
    ];
    for bad in bad {
        let parsed = parse_put(&with("charge", json!({"charged": bad})));
        assert_eq!(refused_at(parsed).as_deref(), Some("/charge/charged"), "{bad}");
    }
}

#[test]
fn a_recovery_report_states_at_least_one_thing() -> Result<(), Invalid> {
    let seen = parse_recovery_report(&json!({"observation": {"fetch": "ok", "execution": "running"}}))?;
    assert_eq!(seen.as_patch().remote.execution, Some(Execution::Running));
    let copies =
        parse_recovery_report(&json!({"outputs": [{"index": 0, "state": "delivered", "storage_key": "k"}]}))?;
    assert_eq!(copies.as_patch().outputs.map(|outputs| outputs.len()), Some(1));
    let ended = parse_recovery_report(&json!({"outcome": "failed", "category": "storage_full"}))?;
    assert_eq!(
        (ended.done, ended.category),
        (Some(false), Some(ErrorCategory::StorageFull))
    );
    assert_eq!(refused_at(parse_recovery_report(&json!({}))).as_deref(), Some(""));
    assert_eq!(
        refused_at(parse_recovery_report(&json!({"outcome": "ok"}))).as_deref(),
        Some("/outcome")
    );
    assert_eq!(
        refused_at(parse_recovery_report(&json!({"phase": "failed"}))).as_deref(),
        Some("/phase")
    );
    Ok(())
}
