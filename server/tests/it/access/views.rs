//! Who looked at an operation's record: kept where it is configured, and not once more than is of use.

use crate::protocol::play::{NO_WORKER, Play};
use crate::support::app::{TestApp, system};
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::desk::Topic;
use app::domain::ids::OperationId;
use app::domain::role::{Caller, Role};
use serde_json::json;
use server::config::{Config, Flags};
use server::database::Database;
use server::storage::audit::{self, Entry};
use server::storage::marks;

crate::on_every_backend!(
    looks_at_a_record_are_kept_once_in_a_while,
    a_page_is_a_look_where_it_shows_the_record,
    a_look_waits_for_no_held_database,
    nobody_is_watched_unless_it_is_configured
);

async fn start(backend: Backend, database: Database, section: &str) -> TestApp {
    let config = Config::from_parts(Some(section), &[], &Flags::default()).expect("a configuration");
    let app = TestApp::start(backend, database, config).await;
    let record = json!({"provider": "genace", "owner": "studio", "phase": "prepared", "specification": {"id": "s", "revision": 1}});
    for id in ["op_1", "op_2"] {
        app.put(Role::Reporter, &format!("/api/v1/operations/{id}"), &record)
            .await
            .expect(201);
    }
    app
}

async fn looks(app: &TestApp) -> Vec<String> {
    raw::texts(
        &app.office.database,
        "SELECT operation_id || ' ' || actor FROM dlo_audit WHERE action = 'viewed' ORDER BY seq",
    )
    .await
}

async fn desk_mark(app: &TestApp) -> String {
    let mut tx = app.office.database.read().await.expect("a transaction");
    let found = marks::read(&mut tx, &[Topic::Desk]).await.expect("marks");
    found[&Topic::Desk].clone()
}

async fn looks_at_a_record_are_kept_once_in_a_while(backend: Backend, database: Database) {
    let app = start(backend, database, "[audit]\nrecord_views = true\n").await;
    for name in ["ada", "noor"] {
        app.person(name, Role::Viewer, "correct horse").await;
    }
    let (mut ada, mut noor) = (app.browser(), app.browser());
    ada.sign_in("ada", "correct horse").await.expect(303);
    noor.sign_in("noor", "correct horse").await.expect(303);
    assert!(
        looks(&app).await.is_empty(),
        "an application that reports does not look"
    );
    // Lists show no record; what is not there is not looked at.
    ada.get("/operations").await.expect(200);
    ada.get("/operations/op_9").await.expect(404);
    assert!(looks(&app).await.is_empty());
    // No open desk is loaded because somebody looks.
    let before = desk_mark(&app).await;
    // The page, again and again, and its other shapes.
    for path in [
        "/operations/op_1",
        "/operations/op_1",
        "/operations/op_1?as=markdown",
        "/operations/op_1?at=1",
        "/operations/op_1",
    ] {
        ada.get(path).await.expect(200);
    }
    assert_eq!(looks(&app).await, ["op_1 ada"]);
    noor.get("/operations/op_1?as=markdown").await.expect(200);
    ada.get("/operations/op_2?at=1").await.expect(200);
    for _ in 0..2 {
        app.get(Role::Viewer, "/api/v1/operations/op_1").await.expect(200);
    }
    let all = ["op_1 ada", "op_1 noor", "op_2 ada", "op_1 test-viewer"];
    assert_eq!(looks(&app).await, all);
    assert_eq!(desk_mark(&app).await, before);
    // Two at once are one.
    let token = |_| app.get(Role::Operator, "/api/v1/operations/op_1");
    futures::future::join_all((0..6).map(token)).await;
    assert_eq!(looks(&app).await.len(), 5);
    // When the time is over it is a look of its own.
    let again = |minutes| {
        let ada = Caller {
            name: "ada".to_owned(),
            role: Role::Viewer,
        };
        let entry = Entry::new(&ada, "viewed").operation(&OperationId::from("op_1"));
        audit::append_once(&app.office.database, entry, chrono::TimeDelta::minutes(minutes))
    };
    again(10).await.expect("an answer");
    assert_eq!(looks(&app).await.len(), 5);
    again(0).await.expect("an answer");
    assert_eq!(looks(&app).await.len(), 6);
    let check = app.office.check_chain().await.expect("an answer");
    assert_eq!(check.broken_at, None);
}

/// Whoever reads the audit wants to know who was shown the record: not which page it stood on, and not who only passed by.
async fn a_page_is_a_look_where_it_shows_the_record(backend: Backend, database: Database) {
    let more = "[audit]\nrecord_views = true\n[approvals]\ndispatch = 2\n";
    let play = Play::start_with(backend, database, NO_WORKER, more).await;
    play.ready("op_1").await;
    let message = play
        .dead_letter("mail.send", &json!({ "operation_id": "op_1" }))
        .await;
    let recovery = play.confirm("op_1", "dispatch").await;
    let app = &play.app;
    let (purge, approve) = (
        format!("/dead-letters/{message}/purge"),
        format!("/recoveries/{recovery}/approve"),
    );
    let seen = |name: &'static str| async move {
        let all = looks(app).await;
        all.iter().filter(|look| **look == format!("op_1 {name}")).count()
    };
    // What is shown is the message, or the recovery.
    app.person("ada", Role::Approver, "correct horse").await;
    let mut ada = app.browser();
    ada.sign_in("ada", "correct horse").await.expect(303);
    for path in [
        purge.as_str(),
        &format!("/dead-letters/{message}"),
        &format!("/recoveries/{recovery}"),
        "/dead-letters",
        "/operations",
    ] {
        ada.get(path).await.expect(200);
        assert_eq!(seen("ada").await, 0, "{path}");
    }
    let page = ada.get(&purge).await.expect(200);
    assert!(
        page.body.contains("A recovery of its operation is under way"),
        "{}",
        page.body
    );
    // What is shown is the record, its plan and its price: once, whichever it is.
    for path in [
        approve.as_str(),
        "/operations/op_1",
        "/operations/op_1/review",
        &approve,
    ] {
        ada.get(path).await.expect(200);
        assert_eq!(seen("ada").await, 1, "{path}");
    }
    app.get(Role::Viewer, "/api/v1/operations/op_1/plan")
        .await
        .expect(200);
    assert_eq!(seen("test-viewer").await, 1);
    // Where nothing waits any more, there is nothing of it to see.
    let path = format!("/api/v1/recoveries/{recovery}/cancel");
    app.post(Role::Approver, &path, &json!({ "reason": "no" }))
        .await
        .expect(200);
    app.person("noor", Role::Approver, "correct horse").await;
    let mut noor = app.browser();
    noor.sign_in("noor", "correct horse").await.expect(303);
    let page = noor.get(&approve).await.expect(200);
    assert!(page.body.contains("does not wait for approval"), "{}", page.body);
    assert_eq!(seen("noor").await, 0);
}

async fn a_look_waits_for_no_held_database(backend: Backend, database: Database) {
    if backend.kind == Kind::Memory {
        // One connection has it all: nobody reads while somebody writes.
        return;
    }
    let app = start(backend, database, "[audit]\nrecord_views = true\n").await;
    // Somebody is about to append, and takes their time.
    let mut held = app.office.database.write().await.expect("a transaction");
    audit::append(&mut held, Entry::new(&system(), "slow"))
        .await
        .expect("appended");
    let read = app.get(Role::Viewer, "/api/v1/operations/op_1");
    tokio::time::timeout(std::time::Duration::from_secs(4), read)
        .await
        .expect("shown in time")
        .expect(200);
    // Read beside whoever holds it.
    let kept = "SELECT COUNT(*) AS n FROM dlo_audit WHERE action = 'viewed'";
    let row = app.office.database.look_up(kept, vec![]).await.expect("a look");
    assert_eq!(row.expect("a row").int("n").expect("a number"), 0);
    held.commit().await.expect("kept");
    // And then it is kept all the same.
    while looks(&app).await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
}

async fn nobody_is_watched_unless_it_is_configured(backend: Backend, database: Database) {
    let app = start(backend, database, "").await;
    let mut viewer = app.signed_in(Role::Viewer).await;
    viewer.get("/operations/op_1").await.expect(200);
    app.get(Role::Viewer, "/api/v1/operations/op_1").await.expect(200);
    assert!(looks(&app).await.is_empty());
}
