//! Confirming: at a revision, once, under one key.

use super::play::{NO_WORKER, Play};
use crate::support::app::fresh_key;
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(
    a_moved_record_makes_the_plan_stale,
    the_same_key_gives_the_same_answer,
    an_observe_of_a_known_id_is_always_permitted,
    a_cancelled_recovery_ends_with_its_job,
    a_second_person_approves,
);

const RECOVERIES: &str = "/api/v1/operations/op_1/recoveries";

async fn a_moved_record_makes_the_plan_stale(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    let order = play.order("op_1", "observe").await;
    let revision = order["revision"].as_i64().expect("a revision");
    play.app
        .patch(
            Role::Reporter,
            "/api/v1/operations/op_1",
            revision,
            &json!({ "phase": "failed" }),
        )
        .await
        .expect(200);
    let refused = play
        .app
        .post(Role::Operator, RECOVERIES, &order)
        .await
        .refused(409, "plan_stale");
    assert_eq!(refused["plan"]["revision"], revision + 1);
    assert_eq!(refused["plan"]["operation_id"], "op_1");
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM soniq_jobs").await, 0);
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM dlo_recoveries").await, 0);
}

async fn the_same_key_gives_the_same_answer(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    let mut order = play.order("op_1", "observe").await;
    let key = fresh_key();
    let first = play
        .app
        .post_with_key(Role::Operator, RECOVERIES, &order, &key)
        .await
        .expect(202)
        .json();
    let second = play
        .app
        .post_with_key(Role::Operator, RECOVERIES, &order, &key)
        .await
        .expect(202)
        .json();
    assert_eq!(first, second);
    order["reason"] = "another reason".into();
    play.app
        .post_with_key(Role::Operator, RECOVERIES, &order, &key)
        .await
        .refused(422, "idempotency_conflict");
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM dlo_recoveries").await, 1);
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM soniq_jobs").await, 1);
}

async fn an_observe_of_a_known_id_is_always_permitted(backend: Backend, database: Database) {
    use server::fixture::JobScript;
    let play = Play::start(backend, database).await;
    play.fixture.put_job("gj_1", JobScript::resting("failed"));
    play.operation(
        "op_1",
        json!({ "phase": "delivered", "dispatch": "sent", "remote": { "job_id": "gj_1", "fetch": "ok", "execution": "succeeded" } }),
    )
    .await;
    let order = json!({ "revision": 999, "action": "observe", "reason": "look again", "job_id": "gj_1" });
    let answer = play
        .app
        .post(Role::Operator, RECOVERIES, &order)
        .await
        .expect(202)
        .json();
    play.ended(answer["recovery_id"].as_str().expect("an id")).await;
    let record = play.record("op_1").await;
    assert_eq!(
        record["phase"], "delivered",
        "a read of a delivered job changes only its charge"
    );
    assert_eq!(record["remote"]["execution"], "succeeded");
    let unknown = json!({ "revision": 1, "action": "observe", "reason": "look", "job_id": "gj_2" });
    play.app
        .post(Role::Operator, RECOVERIES, &unknown)
        .await
        .refused(422, "guard_blocked");
}

async fn a_cancelled_recovery_ends_with_its_job(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    let recovery = play.confirm("op_1", "observe").await;
    let path = format!("/api/v1/recoveries/{recovery}/cancel");
    let ended = play
        .app
        .post(Role::Operator, &path, &json!({ "reason": "not now" }))
        .await
        .expect(200)
        .json();
    assert_eq!(ended["state"], "cancelled");
    assert_eq!(
        play.count("SELECT COUNT(*) AS n FROM soniq_jobs WHERE status = 'cancelled'")
            .await,
        1
    );
    play.confirm("op_1", "observe").await;
}

async fn a_second_person_approves(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, super::play::ALL, "[approvals]\ndispatch = 2").await;
    play.ready("op_1").await;
    let order = play.order("op_1", "dispatch").await;
    let answer = play
        .app
        .post(Role::Approver, RECOVERIES, &order)
        .await
        .expect(202)
        .json();
    assert_eq!(
        (&answer["state"], &answer["job_id"]),
        (&json!("awaiting_approval"), &json!(null))
    );
    let path = format!(
        "/api/v1/recoveries/{}/approve",
        answer["recovery_id"].as_str().expect("an id")
    );
    play.app
        .post(Role::Approver, &path, &json!({ "reason": "mine" }))
        .await
        .refused(403, "role_required");
    assert_eq!(play.posts(), 0);
    play.app
        .post(Role::Admin, &path, &json!({ "reason": "I agree" }))
        .await
        .expect(200);
    let ended = play.ended(answer["recovery_id"].as_str().expect("an id")).await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    assert_eq!(play.posts(), 1);
    // A record that moves while the second person is awaited ends the wait.
    play.ready("op_2").await;
    let order = play.order("op_2", "dispatch").await;
    let waiting = play
        .app
        .post(Role::Approver, "/api/v1/operations/op_2/recoveries", &order)
        .await
        .expect(202)
        .json();
    play.app
        .patch(
            Role::Reporter,
            "/api/v1/operations/op_2",
            1,
            &json!({ "model": "another" }),
        )
        .await
        .expect(200);
    let ended = play.ended(waiting["recovery_id"].as_str().expect("an id")).await;
    assert_eq!(ended["state"], "refused", "{ended:#}");
    assert_eq!(play.posts(), 1);
}
