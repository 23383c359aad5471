//! Operations that no dead letter shows, by the reason.

use crate::support::app::TestApp;
use crate::support::backend::Backend;
use crate::web_pages::{reported, start};
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;
use server::values;
use uuid::Uuid;

crate::on_every_backend!(nothing_is_out_of_sight);

/// A message of the operation, as the projector keeps it.
async fn message(app: &TestApp, operation: &str, purged: bool) {
    let id = Uuid::new_v4();
    let mut tx = app.office.database.write().await.expect("begin");
    let now = tx.now();
    let args = serde_json::value::to_raw_value(&json!({"operation_id": operation})).expect("json");
    tx.execute(
        "INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, \
         last_error, dead_letter_reason, original_created_at, moved_to_dead_letter_at, resurrection_count) \
         VALUES ($1, 'render.poll', $2, 'default', 100, 3, 3, 'timed out', 'max_retries_exceeded', $3, $4, 0)",
        values![id, args, now, now],
    )
    .await
    .expect("dead letter");
    tx.commit().await.expect("commit");
    let messages = &app.office.config.messages;
    server::storage::messages::project(&app.office.database, messages, 1000)
        .await
        .expect("projected");
    if purged {
        let path = format!("/api/v1/dead-letters/{id}/purge");
        app.post(Role::Approver, &path, &json!({"reason": "old", "confirm": id}))
            .await
            .expect(200);
    }
}

async fn listed(app: &TestApp, unseen: &str) -> Vec<String> {
    let path = format!("/api/v1/operations?unseen={unseen}");
    let list = app.get(Role::Viewer, &path).await.expect(200).json();
    let items = list["items"].as_array().cloned().unwrap_or_default();
    let mut ids: Vec<String> = items
        .iter()
        .filter_map(|item| item["id"].as_str().map(str::to_owned))
        .collect();
    ids.sort();
    ids
}

async fn nothing_is_out_of_sight(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    for (id, phase) in [
        ("dead", "accepted"),
        ("purged", "failed"),
        ("never", "prepared"),
        ("sent_long_ago", "submitting"),
        ("sent_now", "submitting"),
        ("accepted_long_ago", "accepted"),
    ] {
        reported(&app, &format!("/api/v1/operations/{id}"), json!({"phase": phase})).await;
    }
    message(&app, "dead", false).await;
    message(&app, "purged", true).await;
    let mut tx = app.office.database.write().await.expect("begin");
    let past = tx.now() - chrono::TimeDelta::minutes(16);
    tx.execute(
        "UPDATE dlo_operations SET updated_at = $1 WHERE id IN ('sent_long_ago', 'accepted_long_ago', 'dead')",
        values![past],
    )
    .await
    .expect("time passes");
    tx.commit().await.expect("commit");

    assert_eq!(listed(&app, "purged").await, ["purged"]);
    assert_eq!(
        listed(&app, "never_died").await,
        ["accepted_long_ago", "never", "sent_long_ago", "sent_now"]
    );
    assert_eq!(listed(&app, "stuck_submitting").await, ["sent_long_ago"]);
    assert_eq!(listed(&app, "stuck_accepted").await, ["accepted_long_ago"]);
    assert_eq!(
        listed(&app, "any").await.len(),
        5,
        "all but the one that a dead letter shows"
    );
    app.get(Role::Viewer, "/api/v1/operations?unseen=maybe")
        .await
        .refused(400, "invalid_request");

    let mut browser = app.signed_in(Role::Viewer).await;
    let page = browser.get("/operations?unseen=stuck_accepted").await.expect(200);
    assert!(page.has("tr[data-operation=accepted_long_ago]"), "{}", page.body);
    assert!(
        page.has("a[data-unseen=stuck_accepted][aria-current]"),
        "{}",
        page.body
    );
    assert!(page.has("a.chip[data-filter=unseen]"), "{}", page.body);
    browser.get("/operations?unseen=maybe").await.expect(400);
}
