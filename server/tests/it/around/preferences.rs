//! Preferences: kept with the person, applied to the document by the server.

use crate::support::backend::Backend;
use crate::web_pages::{form, reported, send, start};
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(a_person_reads_as_they_like);

async fn a_person_reads_as_they_like(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    reported(&app, "/api/v1/operations/op_1", json!({"phase": "prepared"})).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    let plain = browser.get("/dead-letters").await.expect(200);
    assert!(
        plain.has("html[data-theme=system][data-density=calm][data-shortcuts=on][data-zone=UTC]"),
        "{}",
        plain.body
    );
    let page = browser.get("/preferences").await.expect(200);
    let prefer = form(&page, "form[data-action=prefer]");
    let chosen = [
        ("theme", "dark"),
        ("density", "dense"),
        ("zone", "named"),
        ("zone_name", "Asia/Kolkata"),
    ];
    let unticked = (
        prefer.0.clone(),
        prefer
            .1
            .iter()
            .filter(|(name, _)| name != "shortcuts" && name != "theme" && name != "density" && name != "zone")
            .cloned()
            .collect(),
    );
    let after = send(&mut browser, &unticked, &chosen).await;
    assert_eq!(after, "/preferences?done=preferred");
    let page = browser.get("/operations/op_1").await.expect(200);
    assert!(
        page.has("html[data-theme=dark][data-density=dense][data-shortcuts=off][data-zone='Asia/Kolkata']"),
        "{}",
        page.body
    );
    assert!(
        page.body.contains(" IST, ") && page.body.contains(" UTC\""),
        "every time is in the zone, with UTC on hover: {}",
        page.body
    );
    let wrong = send(
        &mut browser,
        &unticked,
        &[("theme", "pink"), ("density", "dense")],
    )
    .await;
    assert!(wrong.contains("refused=invalid_request"), "{wrong}");
    let other = app.signed_in(Role::Viewer).await.get("/dead-letters").await;
    assert!(other.has("html[data-theme=system]"), "they are the person's own");
    let mut nobody = app.browser();
    let login = nobody.get("/login").await.expect(200);
    assert!(login.has("html[data-theme=system]"), "{}", login.body);
}
