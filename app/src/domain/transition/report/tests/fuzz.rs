//! Any record that somebody sends: refused by the name of a field, or taken, and then every rule has an answer for it.

use super::*;
use crate::domain::evidence::Evidence;
use crate::domain::label::label;
use crate::domain::plan::decide;
use crate::fuzzing::cases;
use chrono::DateTime;
use proptest::prelude::*;
use serde_json::Map;

const NAMES: &[&str] = &[
    "provider",
    "account",
    "owner",
    "specification",
    "id",
    "revision",
    "model",
    "phase",
    "dispatch",
    "remote",
    "job_id",
    "fetch",
    "execution",
    "reason",
    "raw_status",
    "outputs",
    "outputs_expected",
    "empty_observations",
    "observed_at",
    "charge",
    "state",
    "reserved",
    "charged",
    "refunded",
    "index",
    "storage_key",
    "bytes",
    "sha256",
    "category",
    "error",
    "detail",
    "dispatch_proof",
    "message_id",
    "attempts",
    "parent",
    "url",
    "content_type",
    "other",
];

const TEXTS: &[&str] = &[
    "genace",
    "prepared",
    "submitting",
    "accepted",
    "succeeded",
    "failed",
    "delivered",
    "sent",
    "not_recorded",
    "outcome_unknown",
    "confirmed_not_sent",
    "ok",
    "queued",
    "running",
    "unknown",
    "none",
    "charged",
    "pending",
    "2026-11-30T10:00:00Z",
    "9999-12-31T23:59:59Z",
    "-1",
    "0.10",
    "1e9",
    "99999999999999999999999999999",
    "",
    "00000000-0000-4000-8000-000000000000",
    "other",
    "\0",
    "\u{202e}",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_i64..4).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(TEXTS).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(NAMES), inner), 0..6)
                .prop_map(|fields| object(fields).into()),
        ]
    })
}

fn object(fields: Vec<(&'static str, Value)>) -> Map<String, Value> {
    fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn changes() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((prop::sample::select(NAMES), tree()), 0..4).prop_map(object)
}

/// Values that stand where they may, so that many are taken.
fn axes() -> impl Strategy<Value = Value> {
    let word = |words: &'static [&'static str]| prop::sample::select(words).prop_map(Value::from);
    let fields = (
        word(&["ok", "not_found", "forbidden", "network", "blocked"]),
        word(&[
            "queued",
            "running",
            "succeeded",
            "failed",
            "cancelled",
            "expired",
            "unknown",
        ]),
        prop_oneof![
            Just(Value::Null),
            Just(json!([])),
            Just(json!([{ "index": 0 }, { "index": 1 }]))
        ],
        prop_oneof![Just(Value::Null), Just(json!("gj_1")), Just(json!("gj_2"))],
        0_u32..5,
    );
    fields.prop_map(|(fetch, execution, outputs, job, empty)| {
        json!({ "fetch": fetch, "execution": execution, "outputs": outputs, "job_id": job, "empty_observations": empty })
    })
}

fn record() -> impl Strategy<Value = Value> {
    let phase = prop::sample::select(vec![
        "prepared",
        "submitting",
        "accepted",
        "succeeded",
        "failed",
        "delivered",
    ]);
    let dispatch = prop::sample::select(vec![
        "not_recorded",
        "confirmed_not_sent",
        "outcome_unknown",
        "sent",
    ]);
    (phase, dispatch, axes(), changes(), any::<bool>()).prop_map(
        |(phase, dispatch, remote, changes, wild)| {
            let mut body = with("phase", json!(phase));
            body["dispatch"] = json!(dispatch);
            body["remote"] = remote;
            if wild && let Some(fields) = body.as_object_mut() {
                fields.extend(changes);
            }
            body
        },
    )
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn any_record_is_refused_by_a_field_or_decided(body in record()) {
        match parse_put(&body) {
            Err(invalid) => {
                prop_assert_eq!(invalid.code, Code::InvalidRecord);
                prop_assert!(!invalid.detail.is_empty());
            }
            Ok(new) => {
                let now = DateTime::UNIX_EPOCH + chrono::TimeDelta::days(20_000);
                let record = new.into_record("op_1".into(), None, now, |_| false);
                let evidence = Evidence::default();
                let plan = decide(&record, &evidence, now);
                prop_assert_eq!(plan.revision, record.revision);
                prop_assert_eq!(plan.label, label(&record, &evidence));
                prop_assert_eq!(&decide(&record, &evidence, now), &plan, "the same record, the same plan");
                if let Some(seen) = record.remote.observed_at {
                    prop_assert!(seen <= now, "nothing is seen in the future");
                }
            }
        }
    }

    #[test]
    fn any_change_is_refused_or_only_goes_forward(body in record(), change in changes()) {
        let now = DateTime::UNIX_EPOCH + chrono::TimeDelta::days(20_000);
        if let (Ok(new), Ok(patch)) = (parse_put(&body), parse_patch(&change.into())) {
            let record = new.into_record("op_1".into(), None, now, |_| false);
            if let Ok(change) = apply_patch(&record, &patch, now, |_| false) {
                let after = change.record;
                let plan = decide(&after, &Evidence::default(), now);
                prop_assert_eq!(plan.operation_id, record.id.clone());
                prop_assert!(record.job_id.is_none() || after.job_id == record.job_id, "a job id stays");
                prop_assert!(after.revision >= record.revision);
            }
        }
    }

    #[test]
    fn any_tree_is_read_or_refused(body in tree()) {
        for refused in [
            parse_put(&body).err(),
            parse_patch(&body).err(),
            parse_recovery_report(&body).err(),
        ]
        .into_iter()
        .flatten()
        {
            prop_assert!(!refused.detail.is_empty());
        }
    }
}
