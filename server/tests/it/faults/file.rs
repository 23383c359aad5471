//! A SQLite file is held by another program, or read-only: what is said, what still works, and that it heals.

use crate::protocol::play::{NO_WORKER, Play};
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::domain::role::Role;
use serde_json::{Value, json};
use sqlx::{Connection as _, Executor as _};

/// The same page, order and readiness on a SQLite file that is held, read-only, or full.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_held_or_read_only_says_so_and_heals() {
    let (backend, database) = Backend::open(Kind::Sqlite).await.expect("a file");
    let file = backend.folder().expect("a folder").join("test.db");
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_q", "gj_q").await;
    let mut browser = play.app.signed_in(Role::Admin).await;
    let database = &play.app.office.database;
    let ready = || play.app.get(Role::Viewer, "/readyz");

    // Held by another program.
    let mut other = sqlx::SqliteConnection::connect(&format!("sqlite:{}", file.display()))
        .await
        .expect("the file opens");
    other.execute("BEGIN IMMEDIATE").await.expect("the write lock");
    let order = play.order("op_q", "observe").await;
    let (refusal, said, page) = tokio::join!(
        play.app.post_with_key(
            Role::Approver,
            "/api/v1/operations/op_q/recoveries",
            &order,
            "held"
        ),
        ready(),
        browser.get("/dead-letters"),
    );
    page.expect(200);
    assert!(said.expect(503).body.contains("reading works"));
    let busy = refusal.refused(503, "unavailable");
    assert!(
        busy["detail"]
            .as_str()
            .is_some_and(|words| words.contains("in time")),
        "{busy:#}"
    );
    other.execute("ROLLBACK").await.expect("the lock's end");
    ready().await.expect(200);
    play.app
        .post_with_key(
            Role::Approver,
            "/api/v1/operations/op_q/recoveries",
            &order,
            "held",
        )
        .await
        .expect(202);

    // Read-only.
    raw::script(database, "PRAGMA query_only = ON")
        .await
        .expect("a pragma");
    let said = ready().await.expect(503);
    assert!(said.body.contains("read-only"), "{}", said.body);
    browser.get("/operations/op_q").await.expect(200);
    let refusal = new_operation(&play, "op_x", 10).await.refused(503, "unavailable");
    assert!(
        refusal["detail"]
            .as_str()
            .is_some_and(|words| words.contains("read-only")),
        "{refusal:#}"
    );
    raw::script(database, "PRAGMA query_only = OFF")
        .await
        .expect("a pragma");
    ready().await.expect(200);

    let halves = raw::number(
        database,
        "SELECT COUNT(*) FROM dlo_operations o WHERE NOT EXISTS (SELECT 1 FROM dlo_events e WHERE e.operation_id = o.id)",
    )
    .await;
    assert_eq!(
        halves, 0,
        "an operation without its first event is half an operation"
    );
}

/// Reports an operation whose error takes so much room.
async fn new_operation(play: &Play, id: &str, room: usize) -> crate::support::app::Answer {
    let body: Value = json!({
        "provider": "genace", "account": "main", "owner": "studio", "phase": "prepared",
        "specification": { "id": "spec_9", "revision": 3 },
        "error": { "category": "other", "detail": "x ".repeat(room / 2) },
    });
    play.app
        .put(Role::Reporter, &format!("/api/v1/operations/{id}"), &body)
        .await
}
