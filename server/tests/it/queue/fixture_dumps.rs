//! Databases that a real Soniq application has filled: everything is listed, opened and shown, and no secret is.

use super::shared::{get, pages, project, readable};
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::desk::{DeadLetterFilter, DeadLetterRow};
use app::domain::ids::DeadLetterId;
use server::database::Database;
use server::storage::dead_letters;
use std::collections::BTreeSet;

/// What the application let slip into args and errors, and what it was asked for.
const SECRETS: [&str; 6] = [
    "eyJhbGciOiJIUzI1NiJ9",
    "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "AKIAIOSFODNN7EXAMPLE",
    "a red fox",
    "dchen im Regen",
    "\u{202e}",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory() {
    run(Kind::Memory).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Kind::Postgres).await;
}

async fn run(kind: Kind) {
    let Some(backend) = Backend::empty(kind).await else {
        return;
    };
    let database = Database::open(&backend.location)
        .await
        .expect("the database opens");
    let dump = match kind {
        Kind::Postgres => include_str!("../../fixtures/soniq/soniq_pg.sql"),
        Kind::Memory | Kind::Sqlite => include_str!("../../fixtures/soniq/soniq_sqlite.sql"),
    };
    raw::script(&database, dump).await.expect("the dump loads");
    database.migrate().await.expect("only our tables are added");
    let ids: BTreeSet<String> = raw::texts(&database, "SELECT CAST(id AS TEXT) FROM soniq_dead_letter_jobs")
        .await
        .into_iter()
        .collect();
    assert!(ids.len() > 30);

    // Nobody has read them yet, and they are listed all the same.
    shows_each_once(&database, &ids).await;
    assert_eq!(project(&database).await, ids.len());
    assert_eq!(project(&database).await, 0);
    shows_each_once(&database, &ids).await;

    let mut tx = database.read().await.expect("begin");
    for id in &ids {
        let view = get(&mut tx, DeadLetterId::parse(id).expect("an id")).await;
        no_secret(&serde_json::to_string(&view).expect("JSON"));
    }
    let summary = dead_letters::summary(&mut tx, &DeadLetterFilter::default())
        .await
        .expect("counts");
    assert_eq!(usize::try_from(summary.total), Ok(ids.len()));
    assert_eq!(
        summary.queues.iter().map(|(_, count)| count).sum::<i64>(),
        summary.total
    );
    drop(tx);
    let kept = raw::texts(&database, "SELECT safe_error FROM dlo_messages").await;
    no_secret(&kept.join("\n"));
    // Soniq's rows are as they were.
    assert_eq!(
        raw::number(&database, "SELECT COUNT(*) FROM soniq_dead_letter_jobs").await as usize,
        ids.len()
    );
    database.close().await;
}

async fn shows_each_once(database: &Database, ids: &BTreeSet<String>) {
    let rows = pages(database, &DeadLetterFilter::default(), 7).await;
    let views = readable(&rows);
    assert_eq!(views.len(), rows.len(), "{:?}", unreadable(&rows));
    let seen: Vec<String> = views.iter().map(|view| view.id.to_string()).collect();
    assert_eq!(seen.len(), ids.len());
    assert_eq!(&seen.into_iter().collect::<BTreeSet<_>>(), ids);
    let mut times: Vec<_> = views.iter().map(|view| view.moved_to_dead_letter_at).collect();
    let in_order = times.clone();
    times.sort_by(|a, b| b.cmp(a));
    assert_eq!(times, in_order, "newest first");
    no_secret(&serde_json::to_string(&rows).expect("JSON"));
}

fn unreadable(rows: &[DeadLetterRow]) -> Vec<&DeadLetterRow> {
    rows.iter()
        .filter(|row| matches!(row, DeadLetterRow::Unreadable(_)))
        .collect()
}

fn no_secret(text: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret} is shown");
    }
}
