//! Two programs keep one schema: in any order, and after one of them has left.

use super::programs::{Soniq, programs};
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use serde_json::json;
use server::database::Database;
use std::process::Command;

const REMOVE_POSTGRES: &str = include_str!("../../../../migrations/remove/postgres.sql");
const REMOVE_SQLITE: &str = include_str!("../../../../migrations/remove/sqlite.sql");

/// All that Soniq's tables are: columns, indexes, constraints and triggers, without what we add.
const SHAPE: &str = "SELECT line FROM (\
    SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' \
        || COALESCE(column_default, '-') AS line FROM information_schema.columns WHERE table_name LIKE 'soniq\\_%' \
    UNION ALL SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'soniq\\_%' AND indexname NOT LIKE 'dlo\\_%' \
    UNION ALL SELECT conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint \
        WHERE conrelid::regclass::text LIKE 'soniq\\_%' \
    UNION ALL SELECT tgrelid::regclass::text || ' ' || tgname FROM pg_trigger \
        WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'soniq\\_%') AS shape ORDER BY line";

/// Everything of ours that stands in the schema.
const OURS: &str = "SELECT relname::text FROM pg_class WHERE relname LIKE 'dlo\\_%' \
    UNION ALL SELECT proname::text FROM pg_proc WHERE proname LIKE 'dlo\\_%' \
    UNION ALL SELECT tgname::text FROM pg_trigger WHERE tgname LIKE 'dlo\\_%'";

fn migrate(url: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_dlo"))
        .args(["migrate", "--database-url", url])
        .output()
        .expect("it ends");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

async fn shape(database: &Database) -> Vec<String> {
    let lines = raw::texts(database, SHAPE).await;
    assert!(lines.len() > 50, "{lines:#?}");
    lines
}

/// Jobs of the application: one is done, one dies and is replayed by Soniq.
async fn soniq_works(soniq: &Soniq, database: &Database) {
    let mut console = soniq.console();
    let before = console.ask(&json!({ "do": "stats" }));
    let grown = |stats: &serde_json::Value, key: &str| {
        stats[key].as_i64().expect("a count") - before[key].as_i64().expect("a count")
    };
    let jobs = [0, 2].map(|fails| ("load.step", json!({ "number": fails, "fails": fails })));
    let ids = console.enqueue(&jobs);
    soniq.run(&[
        "worker",
        "--run-once",
        "--jobs-modules",
        "jobs",
        "--queues",
        "default",
    ]);
    let after = console.ask(&json!({ "do": "stats" }));
    // One that was replayed and left here before has died again.
    let dead = 1 + before["queued"].as_i64().expect("a count");
    assert_eq!(
        (grown(&after, "done"), grown(&after, "dead_letter")),
        (1, dead),
        "{after}"
    );
    let new = console.ask(&json!({ "do": "replay", "id": ids[1] }));
    let new = new.as_str().unwrap_or_else(|| panic!("not replayed: {new}"));
    let queued = format!("SELECT status::text FROM soniq_jobs WHERE id = '{new}'");
    assert_eq!(raw::texts(database, &queued).await, ["queued"]);
}

async fn empty() -> Option<(Backend, Database, Soniq)> {
    let programs = programs()?;
    let backend = Backend::empty(Kind::Postgres).await?;
    let database = Database::open(&backend.location)
        .await
        .expect("the database opens");
    let soniq = Soniq::new(programs, &backend.url);
    Some((backend, database, soniq))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soniq_and_we_set_up_in_either_order_and_again() {
    let Some((theirs_first, database, soniq)) = empty().await else {
        return;
    };
    soniq.run(&["setup"]);
    let as_soniq_has_it = shape(&database).await;
    migrate(&theirs_first.url);
    assert_eq!(
        shape(&database).await,
        as_soniq_has_it,
        "we changed Soniq's tables"
    );
    migrate(&theirs_first.url);
    soniq.run(&["setup"]);
    assert_eq!(shape(&database).await, as_soniq_has_it);

    let Some((ours_first, database, soniq)) = empty().await else {
        return;
    };
    migrate(&ours_first.url);
    migrate(&ours_first.url);
    assert_eq!(
        shape(&database).await,
        as_soniq_has_it,
        "what we make is not what Soniq makes"
    );
    let said = soniq.run(&["setup"]);
    assert_eq!(shape(&database).await, as_soniq_has_it, "{said}");
    migrate(&ours_first.url);
    assert!(database.is_current().await.expect("a version"));
    soniq_works(&soniq, &database).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_our_tables_soniq_works_on() {
    let Some((backend, database, soniq)) = empty().await else {
        return;
    };
    soniq.run(&["setup"]);
    let as_soniq_has_it = shape(&database).await;
    migrate(&backend.url);
    soniq_works(&soniq, &database).await;
    let rows = "SELECT (SELECT COUNT(*) FROM soniq_jobs) + (SELECT COUNT(*) FROM soniq_dead_letter_jobs)";
    let kept = raw::number(&database, rows).await;
    assert!(!raw::texts(&database, OURS).await.is_empty());
    raw::script(&database, REMOVE_POSTGRES).await.expect("we leave");
    assert_eq!(raw::texts(&database, OURS).await, Vec::<String>::new());
    assert_eq!(shape(&database).await, as_soniq_has_it);
    assert_eq!(
        raw::number(&database, rows).await,
        kept,
        "rows of Soniq's are gone"
    );
    soniq_works(&soniq, &database).await;
    // And back again.
    migrate(&backend.url);
    assert!(database.is_current().await.expect("a version"));
    soniq_works(&soniq, &database).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_tables_leave_sqlite_too() {
    let (_backend, database) = Backend::open(Kind::Sqlite).await.expect("SQLite is always there");
    let ours = "SELECT name FROM sqlite_master WHERE name LIKE 'dlo\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let theirs = "SELECT sql FROM sqlite_master WHERE tbl_name LIKE 'soniq%' AND name NOT LIKE 'dlo%' AND sql IS NOT NULL";
    let before = raw::texts(&database, theirs).await;
    assert!(before.len() > 3 && !raw::texts(&database, ours).await.is_empty());
    raw::script(&database, REMOVE_SQLITE).await.expect("we leave");
    let left = raw::texts(&database, ours).await;
    assert!(left.is_empty(), "migrations/remove/sqlite.sql leaves {left:?}");
    assert_eq!(raw::texts(&database, theirs).await, before);
    database.migrate().await.expect("and back again");
}
