//! A failed state is no evidence of a refund.

use super::play::Play;
use crate::support::backend::Backend;
use serde_json::json;
use server::database::Database;
use server::fixture::{Credits, JobScript};

crate::on_every_backend!(
    marked_failed_by_hand_is_no_refund,
    a_submission_failure_is_seen_to_be_refunded,
    money_decisions_settle,
);

async fn marked_failed_by_hand_is_no_refund(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.fixture.put_job(
        "gj_1",
        JobScript::resting("running").with_credits(Credits::cost("12")),
    );
    play.accepted("op_1", "gj_1").await;
    play.recover("op_1", "observe").await;
    assert!(play.fixture.mark_failed_by_hand("gj_1"));
    play.recover("op_1", "observe").await;
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["phase"], &record["label"]),
        (&json!("failed"), &json!("remote_render_failed")),
        "{record:#}"
    );
    assert_eq!(record["remote"]["reason"], "operator_marked");
    assert_eq!(record["refund_unresolved"], true);
    assert_eq!(
        (&record["plan"]["action"], &record["plan"]["effect"]),
        (&json!("inspect_accounting"), &json!("reads_status"))
    );
    let ended = play.recover("op_1", "inspect_accounting").await;
    assert_eq!(ended["state"], "succeeded");
    assert_eq!(
        play.record("op_1").await["refund_unresolved"],
        true,
        "reading again refunds nothing"
    );
}

async fn a_submission_failure_is_seen_to_be_refunded(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.fixture.put_job(
        "gj_1",
        JobScript::submission_failed(3).with_credits(Credits::compensated("12", 3)),
    );
    play.accepted("op_1", "gj_1").await;
    play.recover("op_1", "observe").await;
    let record = play.record("op_1").await;
    assert_eq!(record["charge"]["state"], "refund_pending", "{record:#}");
    assert_eq!(record["remote"]["reason"], "submission_failure");
    for _ in 0..4 {
        if play.plan("op_1").await["action"] == "inspect_accounting" {
            play.recover("op_1", "inspect_accounting").await;
        }
    }
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["charge"]["state"], &record["refund_unresolved"]),
        (&json!("refunded"), &json!(false)),
        "{record:#}"
    );
    assert_eq!(record["plan"]["action"], "acknowledge");
    let audit = play.get("/api/v1/audit?operation=op_1").await;
    let actions: Vec<_> = audit["items"]
        .as_array()
        .expect("entries")
        .iter()
        .filter_map(|entry| entry["action"].as_str())
        .collect();
    assert!(actions.contains(&"inspect_accounting"), "{actions:?}");
    assert_eq!(play.posts(), 0, "refunds are never posted by us");
}

async fn money_decisions_settle(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    let failed = json!({
        "phase": "failed", "dispatch": "sent",
        "remote": { "job_id": "gj_1", "fetch": "ok", "execution": "failed" }, "charge": { "state": "charged", "charged": "12" },
    });
    play.operation("op_1", failed).await;
    play.decide("op_1", json!({ "decision": "refund_requested" }))
        .await
        .expect(200);
    assert_eq!(
        play.record("op_1").await["refund_unresolved"],
        true,
        "a request settles nothing"
    );
    play.decide(
        "op_1",
        json!({ "decision": "refund_confirmed", "reference": "R-1", "amount": "11.5" }),
    )
    .await
    .expect(200);
    assert_eq!(
        play.record("op_1").await["refund_unresolved"],
        true,
        "less than was charged"
    );
    play.decide(
        "op_1",
        json!({ "decision": "refund_confirmed", "reference": "R-2", "amount": "0.5" }),
    )
    .await
    .expect(200);
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["refund_unresolved"], &record["plan"]["action"]),
        (&json!(false), &json!("acknowledge")),
        "{record:#}"
    );
    assert_eq!(record["decisions"].as_array().map(Vec::len), Some(3));
    play.decide("op_1", json!({ "decision": "charge_accepted" }))
        .await
        .refused(422, "not_allowed_here");
}
