//! Bad input gets a clear 4xx with a stable code, and loses nothing.

use super::play::Play;
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(bad_input_is_refused_clearly);

async fn bad_input_is_refused_clearly(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.accepted("op_1", "gj_1").await;
    let reads = [
        ("/api/v1/operations/nobody", 404, "not_found"),
        ("/api/v1/operations/nobody/plan", 404, "not_found"),
        ("/api/v1/dead-letters/not-a-uuid", 400, "bad_id"),
        (
            "/api/v1/dead-letters/00000000-0000-4000-8000-00000000dead",
            404,
            "not_found",
        ),
        ("/api/v1/recoveries/xyz", 400, "bad_id"),
        ("/api/v1/dead-letters?label=nonsense", 400, "invalid_request"),
        ("/api/v1/dead-letters?colour=red", 400, "invalid_request"),
        ("/api/v1/dead-letters?limit=0", 400, "invalid_request"),
        ("/api/v1/dead-letters?limit=201", 400, "invalid_request"),
        ("/api/v1/dead-letters?cursor=!!", 400, "invalid_request"),
        (
            "/api/v1/dead-letters?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z",
            400,
            "invalid_request",
        ),
        ("/api/v1/operations?phase=asleep", 400, "invalid_request"),
        ("/api/v1/recoveries?state=asleep", 400, "invalid_request"),
        ("/api/v1/nothing", 404, "not_found"),
    ];
    for (path, status, code) in reads {
        let answer = play.app.get(Role::Viewer, path).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["code"].as_str()),
            (status, Some(code)),
            "{path}: {}",
            answer.body
        );
    }
    let order = json!({ "revision": 1, "action": "observe", "reason": "r" });
    let change = |key: &str, value: serde_json::Value| {
        let mut order = order.clone();
        order[key] = value;
        order
    };
    let orders = [
        change("reason", "x".repeat(501).into()),
        change("reason", "  ".into()),
        change("revision", "one".into()),
        change("action", "explode".into()),
        change("dead_letter_id", "nope".into()),
        change("colour", "red".into()),
        json!([]),
        json!({}),
    ];
    for order in orders {
        play.app
            .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &order)
            .await
            .refused(400, "invalid_request");
    }
    let records = [
        json!({ "provider": "genace", "owner": "o", "specification": { "id": "s", "revision": 1 }, "phase": "asleep" }),
        json!({ "provider": "genace", "owner": "o", "specification": { "id": "s", "revision": 1 } }),
        json!({ "provider": "genace", "owner": "o", "specification": { "id": "s", "revision": 1 }, "phase": "prepared", "colour": 1 }),
        json!({ "provider": 1, "owner": "o", "specification": { "id": "s", "revision": 1 }, "phase": "prepared" }),
        json!({ "provider": "genace", "owner": "o", "specification": { "id": "s", "revision": 1 }, "phase": "prepared",
                "charge": { "state": "charged", "charged": "twelve" } }),
        json!({ "provider": "genace", "owner": "o", "specification": { "id": "s", "revision": 1 }, "phase": "prepared",
                "outputs": [{ "index": 0, "state": "pending" }, { "index": 0, "state": "pending" }] }),
    ];
    for record in records {
        play.app
            .put(Role::Reporter, "/api/v1/operations/op_9", &record)
            .await
            .refused(422, "invalid_record");
    }
    play.app
        .get(Role::Viewer, "/api/v1/operations/op_9")
        .await
        .refused(404, "not_found");
    let path = "/api/v1/operations/op_1";
    play.app
        .patch(Role::Reporter, path, 7, &json!({ "phase": "failed" }))
        .await
        .refused(412, "revision_mismatch");
    play.app
        .patch(Role::Reporter, path, 1, &json!({ "phase": "prepared" }))
        .await
        .refused(422, "phase_regression");
    play.app
        .patch(Role::Reporter, path, 1, &json!({ "dispatch": "not_recorded" }))
        .await
        .refused(422, "evidence_regression");
    let huge = "x".repeat(10 * 1024 * 1024);
    let body = json!({ "revision": 1, "action": "observe", "reason": huge });
    play.app
        .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &body)
        .await
        .refused(413, "body_too_large");
    assert_eq!(play.record("op_1").await["revision"], 1, "nothing was changed");
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM dlo_recoveries").await, 0);
}
