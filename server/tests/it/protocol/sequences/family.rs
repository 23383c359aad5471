//! A parent and the operation that was prepared in its stead: one of the two spends.

use crate::protocol::play::{NO_WORKER, Play, verdict};
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(
    a_reopened_parent_is_held_back_by_its_child,
    a_paid_extra_render_is_adopted_after_delivery,
    silence_about_sending_is_never_not_submitted,
    an_id_reported_before_the_permit_stops_it,
);

async fn a_reopened_parent_is_held_back_by_its_child(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.operation(
        "op_1",
        json!({ "phase": "submitting", "dispatch": "outcome_unknown" }),
    )
    .await;
    let close = json!({ "decision": "close_unresolved" });
    let prepare = json!({ "decision": "prepare_new_operation", "id": "op_2" });
    let not_sent = json!({ "decision": "confirm_not_sent", "evidence": "the provider was asked" });
    play.decide("op_1", close.clone()).await.expect(200);
    play.decide("op_1", prepare).await.expect(200);
    assert_eq!(play.recover("op_2", "dispatch").await["state"], "succeeded");
    assert_eq!(play.posts(), 1);
    // The parent comes back, and a person finds out that nothing was sent for it: the child has spent in its stead.
    play.decide("op_1", json!({ "decision": "reopen" }))
        .await
        .expect(200);
    play.decide("op_1", not_sent).await.expect(200);
    let plan = play.plan("op_1").await;
    assert_eq!(
        (&plan["action"], &plan["allowed"]),
        (&json!("dispatch"), &json!(false)),
        "{plan:#}"
    );
    assert_eq!(verdict(&plan, "no_rival_operation"), "block", "{plan:#}");
    assert!(
        plan["guards"].to_string().contains("close op_2"),
        "it says what can be done: {plan:#}"
    );
    let order = play.order("op_1", "dispatch").await;
    let refused = play
        .app
        .post(Role::Approver, "/api/v1/operations/op_1/recoveries", &order)
        .await
        .refused(422, "guard_blocked");
    assert_eq!(verdict(&refused, "no_rival_operation"), "block");
    // The way out: the child is closed, and the parent may go on; then the child may not.
    play.decide("op_2", close).await.expect(200);
    assert_eq!(verdict(&play.plan("op_1").await, "no_rival_operation"), "absent");
    assert_eq!(play.recover("op_1", "dispatch").await["state"], "succeeded");
    assert_eq!(play.posts(), 2);
}

async fn a_paid_extra_render_is_adopted_after_delivery(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    let report = json!({ "remote": { "job_id": "gj_2" } });
    let path = "/api/v1/operations/op_1";
    play.app.patch(Role::Reporter, path, 1, &report).await.expect(200);
    play.app
        .patch(Role::Reporter, path, 2, &json!({ "phase": "delivered" }))
        .await
        .expect(200);
    play.decide(
        "op_1",
        json!({ "decision": "adopt_as_operation", "job_id": "gj_2", "id": "op_1b" }),
    )
    .await
    .expect(200);
    let child = play.record("op_1b").await;
    assert_eq!(
        (&child["remote"]["job_id"], &child["plan"]["action"]),
        (&json!("gj_2"), &json!("observe")),
        "{child:#}"
    );
    assert_eq!(play.record("op_1").await["phase"], "delivered");
}

async fn silence_about_sending_is_never_not_submitted(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    for phase in ["submitting", "accepted", "succeeded", "failed"] {
        let id = format!("op_{phase}");
        play.ready(&id).await;
        let path = format!("/api/v1/operations/{id}");
        play.app
            .patch(Role::Reporter, &path, 1, &json!({ "phase": phase }))
            .await
            .expect(200);
        let record = play.record(&id).await;
        assert_ne!(record["label"], "not_submitted", "{record:#}");
        assert_ne!(record["plan"]["action"], "dispatch", "{record:#}");
    }
}

async fn an_id_reported_before_the_permit_stops_it(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.ready("op_1").await;
    let recovery = play.confirm("op_1", "dispatch").await;
    let report = json!({ "remote": { "job_id": "gj_5" } });
    play.app
        .patch(Role::Reporter, "/api/v1/operations/op_1", 1, &report)
        .await
        .expect(200);
    let stop = tokio_util::sync::CancellationToken::new();
    let duties = server::background::Duties {
        worker: true,
        housekeeping: false,
    };
    let _working = server::background::start(&play.app.office, duties, &stop).expect("the worker starts");
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "refused", "{ended:#}");
    assert_eq!(play.posts(), 0);
    let reserved = "SELECT COUNT(*) AS n FROM dlo_recoveries WHERE reservation_open";
    assert_eq!(play.count(reserved).await, 0);
    stop.cancel();
}
