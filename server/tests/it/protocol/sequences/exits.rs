//! Every row has an exit that a person can take, whatever the configuration has become.

use crate::protocol::play::{NO_WORKER, Play};
use crate::support::backend::Backend;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(every_row_has_an_exit, an_id_that_is_never_found_can_be_closed);

async fn every_row_has_an_exit(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    let job = |execution: &str| json!({ "job_id": "", "fetch": "ok", "execution": execution });
    let rows = [
        (1, json!({ "phase": "delivered" })),
        (5, json!({ "phase": "succeeded" })),
        (6, json!({ "phase": "succeeded", "remote": job("succeeded") })),
        (
            8,
            json!({ "phase": "succeeded",
                "remote": { "job_id": "", "fetch": "ok", "execution": "succeeded", "outputs": [{ "index": 0 }] } }),
        ),
        (
            10,
            json!({ "phase": "accepted", "remote": { "job_id": "", "fetch": "not_found" } }),
        ),
        (11, json!({ "phase": "accepted", "remote": job("unknown") })),
        (12, json!({ "phase": "failed", "remote": job("running") })),
        (13, json!({ "phase": "failed" })),
        (14, json!({ "phase": "failed", "dispatch": "confirmed_not_sent" })),
        (15, json!({ "phase": "failed", "dispatch": "sent" })),
        (
            16,
            json!({ "phase": "failed", "dispatch": "sent", "charge": { "state": "none" } }),
        ),
        (17, json!({ "phase": "accepted", "remote": job("running") })),
        (18, json!({ "phase": "submitting" })),
        (
            19,
            json!({ "phase": "prepared", "dispatch": "confirmed_not_sent" }),
        ),
        (20, json!({ "phase": "prepared" })),
    ];
    for (row, mut fields) in rows {
        let id = format!("op_{row}");
        // The provider has another name by now, and the specification is gone.
        fields["provider"] = "renamed".into();
        fields["specification"] = json!({ "id": "gone", "revision": 1 });
        if fields["remote"]["job_id"].is_string() {
            fields["remote"]["job_id"] = format!("gj_{row}").into();
        }
        play.operation(&id, fields).await;
        let plan = play.plan(&id).await;
        assert_eq!(plan["row"], row, "{plan:#}");
        if plan["action"] != "acknowledge" {
            play.decide(&id, json!({ "decision": "close_unresolved" }))
                .await
                .expect(200);
        }
        play.decide(&id, json!({ "decision": "acknowledge_obsolete" }))
            .await
            .expect(200);
        assert_eq!(play.plan(&id).await["action"], "acknowledge", "{row}");
    }
}

async fn an_id_that_is_never_found_can_be_closed(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.accepted("op_1", "gj_nowhere").await;
    play.recover("op_1", "observe").await;
    assert_eq!(play.plan("op_1").await["row"], 10);
    play.decide("op_1", json!({ "decision": "close_unresolved" }))
        .await
        .expect(200);
    // Read again beside the closure: the same absence does not void it.
    let order = json!({ "revision": 1, "action": "observe", "reason": "once more", "job_id": "gj_nowhere" });
    let answer = play
        .app
        .post(
            app::domain::role::Role::Operator,
            "/api/v1/operations/op_1/recoveries",
            &order,
        )
        .await
        .expect(202)
        .json();
    play.ended(answer["recovery_id"].as_str().expect("an id")).await;
    assert_eq!(play.record("op_1").await["label"], "closed");
}
