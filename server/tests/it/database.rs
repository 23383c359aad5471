//! The adapter: every kind of value goes in and comes back the same on each backend; the schema migrates twice.

use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use chrono::{DateTime, Utc};
use server::database::{Database, Value};
use server::values;
use uuid::Uuid;

crate::on_every_backend!(
    values_come_back,
    migrating_twice_changes_nothing,
    audit_refuses_changes,
    a_state_stands_until_something_is_changed
);

async fn values_come_back(_backend: Backend, database: Database) {
    let at = DateTime::from_timestamp_micros(1_700_000_000_123_456).expect("a moment");
    let id = Uuid::from_u128(7);
    let mut tx = database.write().await.expect("begin");
    tx.execute(
        "INSERT INTO dlo_tokens (id, name, role, hash, created_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6)",
        values![id, "ü \u{202e}", "viewer", "h", at, None::<DateTime<Utc>>],
    )
    .await
    .expect("insert");
    tx.execute(
        "INSERT INTO dlo_owners (id, authorized, remaining_credits, as_of) VALUES ($1, $2, $3, $4)",
        values!["o", true, "12.50", at],
    )
    .await
    .expect("insert");
    let row = tx
        .fetch_one("SELECT * FROM dlo_tokens WHERE id = $1", values![id])
        .await
        .expect("row");
    assert_eq!(row.uuid("id").expect("id"), id);
    assert_eq!(row.text("name").expect("name"), "ü \u{202e}");
    assert_eq!(row.time("created_at").expect("time"), at);
    assert_eq!(row.opt_time("last_used_at").expect("time"), None);
    let row = tx
        .fetch_one("SELECT authorized FROM dlo_owners", vec![])
        .await
        .expect("row");
    assert!(row.flag("authorized").expect("flag"));
    let counted = tx
        .fetch_one("SELECT COUNT(*) AS n FROM dlo_tokens", vec![])
        .await
        .expect("row");
    assert_eq!(counted.int("n").expect("n"), 1);
    let absent = Value::Uuid(None);
    tx.execute("UPDATE dlo_recoveries SET queue_job_id = $1", vec![absent])
        .await
        .expect("typed null");
    tx.commit().await.expect("commit");
}

/// A change by anybody, in whichever way, is another state; reading is none.
async fn a_state_stands_until_something_is_changed(backend: Backend, database: Database) {
    let state = async || database.state().await.expect("a state");
    let mut stood = false;
    // Other tests change other databases of the same server, and PostgreSQL counts all transactions.
    for _ in 0..500 {
        let before = state().await;
        let mut tx = database.read().await.expect("begin");
        tx.fetch_one("SELECT COUNT(*) AS n FROM dlo_tokens", vec![])
            .await
            .expect("row");
        drop(tx);
        if state().await == before {
            stood = true;
            break;
        }
    }
    assert!(stood, "reading is taken for a change");

    let insert = |name: &str| {
        format!(
            "INSERT INTO dlo_owners (id, authorized, remaining_credits, as_of) \
             VALUES ('{name}', {}, '1', '2026-01-01T00:00:00+00:00')",
            if backend.kind == Kind::Postgres {
                "true"
            } else {
                "1"
            }
        )
    };
    let before = state().await;
    let mut tx = database.write().await.expect("begin");
    tx.execute(&insert("a"), vec![]).await.expect("insert");
    tx.commit().await.expect("commit");
    assert_ne!(state().await, before, "a transaction of ours");

    let before = state().await;
    raw::script(&database, &insert("b")).await.expect("insert");
    assert_ne!(state().await, before, "a statement beside our adapter");

    if backend.kind != Kind::Memory {
        let other = Database::open(&backend.url.parse().expect("a location"))
            .await
            .expect("the same database");
        let before = state().await;
        raw::script(&other, &insert("c")).await.expect("insert");
        assert_ne!(state().await, before, "somebody else");
        let before = state().await;
        raw::script(&other, "DELETE FROM dlo_owners")
            .await
            .expect("delete");
        assert_ne!(state().await, before, "somebody else takes away");
        other.close().await;
    }
    database.close().await;
    assert!(database.state().await.is_err(), "a closed database has none");
}

async fn migrating_twice_changes_nothing(_backend: Backend, database: Database) {
    assert!(database.is_current().await.expect("answer"));
    database.migrate().await.expect("again");
    assert!(database.is_current().await.expect("answer"));
}

async fn audit_refuses_changes(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    tx.execute(
        "INSERT INTO dlo_audit (seq, at, actor, role, action, guards, hash) VALUES (1, $1, 'a', 'admin', 'x', '[]', 'h')",
        values![Utc::now()],
    )
    .await
    .expect("insert");
    tx.commit().await.expect("commit");
    for sql in ["UPDATE dlo_audit SET actor = 'b'", "DELETE FROM dlo_audit"] {
        let mut tx = database.write().await.expect("begin");
        assert!(tx.execute(sql, vec![]).await.is_err(), "{sql}");
    }
}
