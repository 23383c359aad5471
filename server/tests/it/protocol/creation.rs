//! Creation is guarded; observation and delivery are not.

use super::play::{Play, verdict};
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;
use server::fixture::{JobScript, OutputScript};

crate::on_every_backend!(
    a_ready_operation_is_sent_once,
    each_reason_blocks_creation_alone,
    two_dispatches_race_for_one_budget,
    an_id_that_arrives_before_the_permit_stops_it,
    an_operator_may_not_create,
    a_competing_job_blocks,
);

const RECOVERIES: &str = "/api/v1/operations/op_1/recoveries";

async fn a_ready_operation_is_sent_once(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.ready("op_1").await;
    let plan = play.plan("op_1").await;
    assert_eq!(
        (&plan["action"], &plan["allowed"]),
        (&json!("dispatch"), &json!(true)),
        "{plan:#}"
    );
    let ended = play.recover("op_1", "dispatch").await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["phase"], &record["dispatch"]),
        (&json!("accepted"), &json!("sent"))
    );
    assert_eq!(record["attempts"].as_array().map(Vec::len), Some(1));
    assert_eq!(record["plan"]["action"], "observe");
    let posts = play.fixture.posts();
    assert_eq!(posts.len(), 1);
    assert_eq!(posts[0].client_reference.as_deref(), Some("op_1"));
}

async fn each_reason_blocks_creation_alone(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.ready("op_1").await;
    play.fixture
        .put_job("gj_7", JobScript::succeeded(vec![OutputScript::new("video/mp4")]));
    play.accepted("op_2", "gj_7").await;
    let stale = "2020-01-01T00:00:00Z";
    let old = json!({ "current_revision": 3, "model": "aurora-video-2", "model_available": true, "active": true, "estimated_credits": "12", "body": {} });
    let cases = [
        ("specification_current", json!({ "current_revision": 4 }), "100"),
        ("specification_current", json!({ "active": false }), "100"),
        ("model_available", json!({ "model_available": false }), "100"),
        ("budget_sufficient", json!({}), "11.99"),
    ];
    for (guard, specification, remaining) in cases {
        play.facts(remaining).await;
        play.specification(specification).await;
        let plan = play.plan("op_1").await;
        assert_eq!(verdict(&plan, guard), "block", "{guard}: {plan:#}");
        let order = play.order("op_1", "dispatch").await;
        let refused = play
            .app
            .post(Role::Approver, RECOVERIES, &order)
            .await
            .refused(422, "guard_blocked");
        assert_eq!(verdict(&refused, guard), "block");
    }
    play.specification(old).await;
    let owner =
        json!({ "authorized": false, "remaining_credits": "100", "as_of": chrono::Utc::now().to_rfc3339() });
    play.app
        .send(play.put("/api/v1/owners/studio", &owner))
        .await
        .expect(200);
    assert_eq!(verdict(&play.plan("op_1").await, "owner_authorized"), "block");
    play.operation(
        "op_3",
        json!({ "dispatch": "confirmed_not_sent", "owner": "stranger" }),
    )
    .await;
    let ancient = json!({ "authorized": true, "remaining_credits": "100", "as_of": stale });
    play.app
        .send(play.put("/api/v1/owners/stranger", &ancient))
        .await
        .expect(200);
    assert_eq!(verdict(&play.plan("op_3").await, "facts_fresh"), "block");
    assert_eq!(play.posts(), 0);
    // None of it holds back what is paid already.
    play.specification(json!({ "active": false, "current_revision": 9 }))
        .await;
    assert_eq!(play.recover("op_2", "observe").await["state"], "succeeded");
    assert_eq!(play.recover("op_2", "deliver").await["state"], "succeeded");
}

async fn two_dispatches_race_for_one_budget(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, super::play::NO_WORKER, "").await;
    play.facts("20").await;
    play.ready("op_1").await;
    play.ready("op_2").await;
    let (first, second) = (
        play.order("op_1", "dispatch").await,
        play.order("op_2", "dispatch").await,
    );
    let (first, second) = tokio::join!(
        play.app.post(Role::Approver, RECOVERIES, &first),
        play.app
            .post(Role::Approver, "/api/v1/operations/op_2/recoveries", &second),
    );
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [202, 422], "{} {}", first.body, second.body);
    let refused = if first.status.as_u16() == 422 {
        first
    } else {
        second
    }
    .refused(422, "guard_blocked");
    assert_eq!(verdict(&refused, "budget_sufficient"), "block");
}

async fn an_id_that_arrives_before_the_permit_stops_it(backend: Backend, database: Database) {
    // Confirmed while nobody works; then a dead letter names a job; then the worker comes.
    let play = Play::start_with(backend, database, super::play::NO_WORKER, "").await;
    play.ready("op_1").await;
    let recovery = play.confirm("op_1", "dispatch").await;
    play.dead_letter(
        "render.poll",
        &json!({ "operation_id": "op_1", "job_id": "gj_9" }),
    )
    .await;
    let stop = tokio_util::sync::CancellationToken::new();
    let duties = server::background::Duties {
        worker: true,
        housekeeping: false,
    };
    let working = server::background::start(&play.app.office, duties, &stop).expect("the worker starts");
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "refused", "{ended:#}");
    assert_eq!(play.posts(), 0);
    let plan = play.plan("op_1").await;
    assert_eq!(
        (&plan["action"], &plan["job_id"]),
        (&json!("observe"), &json!("gj_9"))
    );
    stop.cancel();
    drop(working);
}

async fn an_operator_may_not_create(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.ready("op_1").await;
    let mut order = play.order("op_1", "dispatch").await;
    play.app
        .post(Role::Operator, RECOVERIES, &order)
        .await
        .refused(403, "role_required");
    order["confirm"] = "op_2".into();
    play.app
        .post(Role::Approver, RECOVERIES, &order)
        .await
        .refused(422, "confirm_mismatch");
    assert_eq!(play.posts(), 0);
    let seen = play
        .app
        .get(Role::Operator, "/api/v1/operations/op_1/plan")
        .await
        .expect(200)
        .json();
    assert_eq!(seen["allowed"], false);
    assert_eq!(verdict(&seen, "operator_permitted"), "block");
}

async fn a_competing_job_blocks(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.ready("op_1").await;
    play.sql(
        "INSERT INTO soniq_jobs (id, job_name, args, status, queue, created_at, updated_at) VALUES \
         ('00000000-0000-4000-8000-0000000000a1', 'render.submit', '{\"operation_id\": \"op_1\"}', 'queued', 'render', \
         '2026-01-02T03:04:05.678901+00:00', '2026-01-02T03:04:05.678901+00:00')",
    )
    .await;
    assert_eq!(verdict(&play.plan("op_1").await, "no_competing_job"), "block");
    play.sql("DELETE FROM soniq_jobs").await;
    assert_eq!(verdict(&play.plan("op_1").await, "no_competing_job"), "pass");
    // A submission that died after the evidence was given may have been sent by somebody.
    let letter = play
        .dead_letter("render.submit", &json!({ "operation_id": "op_1" }))
        .await;
    play.until(&format!("/api/v1/dead-letters/{letter}"), |seen| {
        seen["operation_id"] == "op_1"
    })
    .await;
    let plan = play.plan("op_1").await;
    assert_eq!(verdict(&plan, "no_competing_job"), "block", "{plan:#}");
    let through = chrono::Utc::now().to_rfc3339();
    play.decide("op_1", json!({ "decision": "outside_send_excluded", "evidence": "the log of the gateway", "through": through }))
        .await
        .expect(200);
    assert_eq!(verdict(&play.plan("op_1").await, "no_competing_job"), "pass");
}
