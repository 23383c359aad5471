//! The adapter: every kind of value goes in and comes back the same on each backend; the schema migrates twice.

use crate::support::backend::Backend;
use chrono::{DateTime, Utc};
use server::database::{Database, Value};
use server::values;
use uuid::Uuid;

crate::on_every_backend!(
    values_come_back,
    migrating_twice_changes_nothing,
    audit_refuses_changes
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
