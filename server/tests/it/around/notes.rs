//! Notes: by page and by API, redacted, escaped, bounded, audited; no change of the record.

use crate::support::backend::Backend;
use crate::web_pages::{form, reported, send, start};
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(a_note_is_kept_shown_and_audited);

async fn a_note_is_kept_shown_and_audited(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    reported(&app, "/api/v1/operations/op_1", json!({"phase": "prepared"})).await;
    let mut browser = app.signed_in(Role::Operator).await;
    let page = browser.get("/operations/op_1").await.expect(200);
    let write = form(&page, "form[data-action=note]");
    let text = "<b>the disk</b> was full\nAuthorization: Bearer abcdefghijklmnopqrstuvwxyz0123";
    let after = send(&mut browser, &write, &[("text", text)]).await;
    assert_eq!(after, "/operations/op_1?done=noted");
    send(&mut browser, &write, &[("text", text)]).await;
    let page = browser.get("/operations/op_1").await.expect(200);
    assert_eq!(
        page.body.matches("data-note=").count(),
        1,
        "the same page sent twice is one note"
    );
    assert!(page.body.contains("&lt;b&gt;the disk"), "{}", page.body);
    assert!(!page.body.contains("abcdefghijklmnop"), "a secret is not kept");
    assert!(
        page.has("tr[data-event=note]"),
        "it is on the timeline: {}",
        page.body
    );

    let path = "/api/v1/operations/op_1/notes";
    let note = app
        .post(Role::Operator, path, &json!({"text": " seen "}))
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&note["text"], &note["role"]),
        (&json!("seen"), &json!("operator"))
    );
    app.post(Role::Operator, path, &json!({"text": "ö".repeat(2000)}))
        .await
        .expect(200);
    for bad in [
        json!({"text": ""}),
        json!({"text": "ö".repeat(2001)}),
        json!({"text": "a\u{0}b"}),
        json!({"note": "x"}),
        json!({"text": "x", "more": 1}),
    ] {
        app.post(Role::Operator, path, &bad)
            .await
            .refused(400, "invalid_request");
    }
    app.post(Role::Viewer, path, &json!({"text": "x"}))
        .await
        .refused(403, "role_required");
    app.post(
        Role::Operator,
        "/api/v1/operations/none/notes",
        &json!({"text": "x"}),
    )
    .await
    .refused(404, "not_found");

    let seen = app.get(Role::Viewer, "/api/v1/operations/op_1").await.json();
    assert_eq!(seen["revision"], 1, "a note is no change of the record");
    assert_eq!(seen["notes"].as_array().map(Vec::len), Some(3));
    let audit = app.get(Role::Viewer, "/api/v1/audit?operation=op_1").await.json();
    let actions: Vec<&str> = audit["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter_map(|entry| entry["action"].as_str())
        .collect();
    assert_eq!(actions.iter().filter(|action| **action == "note").count(), 3);
    let document = app.get(Role::Viewer, "/api/v1/openapi.json").await.json();
    for path in ["notes", "claim", "release"] {
        let path = format!("/operations/{{id}}/{path}");
        assert!(document["paths"][&path]["post"].is_object(), "{path}");
    }
    let viewer = app.signed_in(Role::Viewer).await.get("/operations/op_1").await;
    assert!(!viewer.has("form[data-action=note]"), "{}", viewer.body);
}
