//! Claims: taken, taken over and said so, released by hand, and over by themselves.

use crate::support::app::TestApp;
use crate::support::backend::Backend;
use crate::web_pages::{form, reported, send, start};
use app::domain::role::Role;
use serde_json::{Value, json};
use server::database::Database;
use server::values;

crate::on_every_backend!(an_operation_is_handed_over, a_claim_is_over_by_itself);

async fn actions(app: &TestApp) -> Vec<String> {
    let audit = app.get(Role::Viewer, "/api/v1/audit?operation=op_1").await.json();
    let items = audit["items"].as_array().cloned().unwrap_or_default();
    let action = |entry: &Value| entry["action"].as_str().map(str::to_owned);
    items.iter().rev().filter_map(action).collect()
}

async fn an_operation_is_handed_over(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    reported(&app, "/api/v1/operations/op_1", json!({"phase": "prepared"})).await;
    let mut first = app.signed_in(Role::Operator).await;
    let mut second = app.signed_in(Role::Operator).await;

    let page = first.get("/operations/op_1").await.expect(200);
    assert!(!page.has("[data-claimed-by]"), "{}", page.body);
    let done = send(&mut first, &form(&page, "form[data-action=claim]"), &[]).await;
    assert_eq!(done, "/operations/op_1?done=claimed");
    let mine = first.get("/operations/op_1").await.expect(200);
    assert!(mine.body.contains("Claimed by <b>you"), "{}", mine.body);

    let theirs = second.get("/operations/op_1").await.expect(200);
    assert!(
        theirs.body.contains("Take over from operator-"),
        "taking over is said: {}",
        theirs.body
    );
    assert!(!theirs.has("form[data-action=release]"), "{}", theirs.body);
    send(&mut second, &form(&theirs, "form[data-action=claim]"), &[]).await;
    let lost = first.get("/operations/op_1").await.expect(200);
    assert!(lost.body.contains("Take over from"), "{}", lost.body);
    let held = second.get("/operations/op_1").await.expect(200);
    send(&mut second, &form(&held, "form[data-action=release]"), &[]).await;
    let free = first.get("/operations/op_1").await.expect(200);
    assert!(!free.has("[data-claimed-by]"), "{}", free.body);
    assert_eq!(
        actions(&app).await,
        ["claim", "claim_taken_over", "claim_released"]
    );

    let claim = "/api/v1/operations/op_1/claim";
    let held = app
        .post(Role::Operator, claim, &json!({}))
        .await
        .expect(200)
        .json();
    assert_eq!(held["by"], "test-operator");
    let seen = app.get(Role::Viewer, "/api/v1/operations/op_1").await.json();
    assert_eq!(
        (&seen["claim"]["by"], &seen["revision"]),
        (&json!("test-operator"), &json!(1))
    );
    app.post(Role::Viewer, claim, &json!({}))
        .await
        .refused(403, "role_required");
    app.post(Role::Operator, claim, &json!({"for": "ever"}))
        .await
        .refused(400, "invalid_request");
    let release = "/api/v1/operations/op_1/release";
    for released in [true, false] {
        let answer = app
            .post(Role::Operator, release, &json!({}))
            .await
            .expect(200)
            .json();
        assert_eq!(answer["released"], released);
    }
}

async fn a_claim_is_over_by_itself(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    reported(&app, "/api/v1/operations/op_1", json!({"phase": "prepared"})).await;
    let claim = "/api/v1/operations/op_1/claim";
    app.post(Role::Operator, claim, &json!({})).await.expect(200);
    let mut tx = app.office.database.write().await.expect("begin");
    let past = tx.now() - chrono::TimeDelta::seconds(1);
    tx.execute("UPDATE dlo_claims SET ends_at = $1", values![past])
        .await
        .expect("time passes");
    tx.commit().await.expect("commit");
    let seen = app.get(Role::Viewer, "/api/v1/operations/op_1").await.json();
    assert_eq!(seen["claim"], Value::Null);
    app.post(Role::Approver, claim, &json!({})).await.expect(200);
    assert_eq!(
        actions(&app).await,
        ["claim", "claim"],
        "nobody was there to take over from"
    );
}
