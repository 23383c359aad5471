//! What the audit keeps of coming and going, and how a broken chain is told.

use crate::support::app::TestApp;
use crate::support::backend::{Backend, Kind};
use app::desk::AuditFilter;
use app::domain::audit::AuditEntry;
use app::domain::role::{Caller, Role};
use server::config::Config;
use server::database::Database;
use server::storage::audit;

crate::on_every_backend!(coming_and_going_is_kept, a_broken_chain_is_told_at_once,);

async fn start(backend: Backend, database: Database) -> TestApp {
    TestApp::start(backend, database, Config::default()).await
}

/// The entries with these words, oldest first.
async fn kept(database: &Database, action: &str) -> Vec<AuditEntry> {
    let mut tx = database.read().await.expect("a transaction");
    let mut all = audit::list(&mut tx, &AuditFilter::default(), None, 200)
        .await
        .expect("entries");
    all.reverse();
    all.retain(|entry| entry.action == action);
    all
}

async fn coming_and_going_is_kept(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let database = &app.office.database;
    app.person("mira", Role::Viewer, "correct horse").await;
    let mut browser = app.browser();
    browser.sign_in("mira", "a wrong password").await.expect(303);
    browser
        .sign_in("my password by mistake", "mira")
        .await
        .expect(303);
    browser.sign_in("mira", "correct horse").await.expect(303);
    browser.form("/forms/sign-out", &[]).await.expect(303);
    browser.sign_in("mira", "correct horse").await.expect(303);
    browser.form("/forms/sign-out-everywhere", &[]).await.expect(303);

    let refused = kept(database, "sign_in_refused").await;
    let reasons: Vec<&str> = refused
        .iter()
        .filter_map(|entry| entry.reason.as_deref())
        .collect();
    assert_eq!(
        reasons,
        [
            "as mira, from 127.0.0.1",
            "by a name that nobody has, from 127.0.0.1"
        ]
    );
    assert!(
        refused
            .iter()
            .all(|entry| entry.actor == Caller::NOBODY && entry.role == "none")
    );
    let came = kept(database, "signed_in").await;
    assert_eq!(came.len(), 2);
    assert_eq!(
        (came[0].actor.as_str(), came[0].role.as_str()),
        ("mira", "viewer")
    );
    assert_eq!(kept(database, "signed_out").await.len(), 1);
    assert_eq!(kept(database, "signed_out_everywhere").await.len(), 1);
    assert_eq!(kept(database, "operator_added").await.len(), 1);

    let mut tx = database.read().await.expect("a transaction");
    let all = audit::list(&mut tx, &AuditFilter::default(), None, 200)
        .await
        .expect("entries");
    let text = serde_json::to_string(&all).expect("JSON");
    assert!(
        !text.contains("horse") && !text.contains("mistake") && !text.contains("wrong password"),
        "{text}"
    );
}

async fn a_broken_chain_is_told_at_once(backend: Backend, database: Database) {
    let kind = backend.kind;
    let app = start(backend, database).await;
    let database = &app.office.database;
    let mut viewer = app.signed_in(Role::Viewer).await;
    let mut operator = app.signed_in(Role::Operator).await;
    let page = viewer.get("/audit").await.expect(200);
    assert!(page.has("[data-chain=unknown]"), "{}", page.body);
    assert!(!page.has("form[action='/forms/audit/verify']"), "a viewer reads");
    let page = operator.get("/audit").await.expect(200);
    assert!(
        page.has("form[action='/forms/audit/verify'] button"),
        "{}",
        page.body
    );
    let back = operator.form("/forms/audit/verify", &[]).await.expect(303);
    assert_eq!(back.header("location"), "/audit?done=verified");
    let page = viewer.get("/audit").await.expect(200);
    assert!(page.has("[data-chain=whole]"), "{}", page.body);

    let mut tx = database.write().await.expect("a transaction");
    match kind {
        Kind::Postgres => {
            tx.execute("ALTER TABLE dlo_audit DISABLE TRIGGER USER", vec![])
                .await
                .expect("disabled");
        }
        Kind::Memory | Kind::Sqlite => {
            for row in tx
                .fetch_all(
                    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'dlo_audit'",
                    vec![],
                )
                .await
                .expect("triggers")
            {
                let name = row.text("name").expect("a name");
                tx.execute(&format!("DROP TRIGGER {name}"), vec![])
                    .await
                    .expect("dropped");
            }
        }
    }
    tx.execute(
        "UPDATE dlo_audit SET actor = 'somebody else' WHERE seq = 3",
        vec![],
    )
    .await
    .expect("changed");
    tx.commit().await.expect("kept");
    let check = app.office.check_chain().await.expect("an answer");
    assert_eq!((check.broken_at, check.entries), (Some(3), 2));
    let page = viewer.get("/audit").await.expect(200);
    assert!(page.has("[role=alert][data-chain=broken]"), "{}", page.body);
}
