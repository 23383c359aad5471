//! Creation is paused and allowed on a page; a pause stands on every page and blocks the plan.

use crate::support::backend::Backend;
use crate::web_pages::{form, reported, send, start};
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(creation_is_paused_on_a_page);

async fn creation_is_paused_on_a_page(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let fields = json!({"phase": "prepared", "dispatch": "confirmed_not_sent"});
    reported(&app, "/api/v1/operations/op_1", fields).await;
    let mut approver = app.signed_in(Role::Approver).await;
    let seen = approver.get("/providers").await.expect(200);
    assert!(
        seen.has("section[data-provider=genace][data-paused=false] button[disabled]"),
        "only an admin pauses: {}",
        seen.body
    );
    let refused = send(
        &mut approver,
        &form(&seen, "form[data-action=pause]"),
        &[("reason", "now")],
    )
    .await;
    assert!(refused.contains("refused=role_required"), "{refused}");

    let mut admin = app.signed_in(Role::Admin).await;
    let page = admin.get("/providers").await.expect(200);
    let pause = form(&page, "form[data-action=pause]");
    let silent = send(&mut admin, &pause, &[]).await;
    assert!(silent.contains("refused=invalid_request"), "{silent}");
    let done = send(&mut admin, &pause, &[("reason", "they bill <b>twice</b>")]).await;
    assert_eq!(done, "/providers?done=paused");
    for path in ["/dead-letters", "/operations/op_1", "/audit", "/preferences"] {
        let page = approver.get(path).await.expect(200);
        assert!(page.has("[data-paused=genace]"), "{path}: {}", page.body);
        assert!(page.body.contains("they bill &lt;b&gt;twice"), "{path}");
    }
    let plan = app
        .get(Role::Approver, "/api/v1/operations/op_1/plan")
        .await
        .json();
    let guards = plan["guards"].as_array().expect("guards");
    let blocked = guards
        .iter()
        .any(|guard| guard["guard"] == "creation_not_paused" && guard["verdict"] == "block");
    assert!(blocked, "{plan}");

    let page = admin.get("/providers").await.expect(200);
    let resume = form(&page, "form[data-action=resume]");
    let done = send(&mut admin, &resume, &[("reason", "they stopped")]).await;
    assert_eq!(done, "/providers?done=resumed");
    let page = approver.get("/dead-letters").await.expect(200);
    assert!(!page.has("[data-paused]"), "{}", page.body);
    let audit = app.get(Role::Viewer, "/api/v1/audit").await.json();
    let first = &audit["items"][0];
    assert_eq!(
        (&first["action"], &first["reason"]),
        (&json!("creation_resumed"), &json!("genace: they stopped"))
    );
}
