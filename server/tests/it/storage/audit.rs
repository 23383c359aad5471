//! The chain: whole while nobody touches it, broken at the very entry that was touched.

use crate::support::backend::{Backend, Kind};
use app::desk::AuditFilter;
use app::domain::ids::OperationId;
use app::domain::plan::Effect;
use app::domain::role::{Caller, Role};
use server::database::Database;
use server::storage::audit::{self, Entry, Verified};
use server::values;

crate::on_every_backend!(
    the_chain_is_whole,
    a_touched_entry_is_found,
    many_writers_make_one_chain,
    entries_are_listed
);

fn entry(action: &str, operation: &str) -> Entry {
    Entry::new(
        &Caller {
            name: "ann".to_owned(),
            role: Role::Operator,
        },
        action,
    )
    .operation(&OperationId::from(operation))
    .effect(Effect::ReadsStatus)
    .revisions(1, 2)
    .reason("because \0 of it: Authorization: Bearer sk_live_1234567890abcdef")
}

async fn fill(database: &Database, count: usize) {
    let mut tx = database.write().await.expect("begin");
    for number in 0..count {
        audit::append(&mut tx, entry("observe", &format!("op-{number}")))
            .await
            .expect("append");
    }
    tx.commit().await.expect("commit");
}

async fn the_chain_is_whole(_backend: Backend, database: Database) {
    assert_eq!(
        audit::verify(&database).await.expect("verify"),
        Verified::Whole { entries: 0 }
    );
    fill(&database, 3).await;
    let mut dropped = database.write().await.expect("begin");
    audit::append(&mut dropped, entry("observe", "gone"))
        .await
        .expect("append");
    dropped.rollback().await.expect("rollback");
    fill(&database, 1100).await;
    assert_eq!(
        audit::verify(&database).await.expect("verify"),
        Verified::Whole { entries: 1103 }
    );
    let mut tx = database.read().await.expect("begin");
    assert_eq!(audit::batch_after(&mut tx, 1000).await.expect("batch").len(), 103);
}

/// Takes the database's own lock off, as somebody with the file in hand could.
async fn unlock(backend: &Backend, database: &Database) {
    let mut tx = database.write().await.expect("begin");
    match backend.kind {
        Kind::Postgres => {
            tx.execute("ALTER TABLE dlo_audit DISABLE TRIGGER USER", vec![])
                .await
                .expect("disable");
        }
        Kind::Memory | Kind::Sqlite => {
            tx.execute("DROP TRIGGER dlo_audit_no_update", vec![])
                .await
                .expect("drop");
            tx.execute("DROP TRIGGER dlo_audit_no_delete", vec![])
                .await
                .expect("drop");
        }
    }
    tx.commit().await.expect("commit");
}

async fn a_touched_entry_is_found(backend: Backend, database: Database) {
    fill(&database, 5).await;
    unlock(&backend, &database).await;
    for (change, expected) in [
        ("UPDATE dlo_audit SET reason = 'other' WHERE seq = 4", 4),
        ("UPDATE dlo_audit SET guards = 'no json' WHERE seq = 3", 3),
        ("DELETE FROM dlo_audit WHERE seq = 2", 2),
        ("UPDATE dlo_audit SET at = $1 WHERE seq = 1", 1),
    ] {
        let mut tx = database.write().await.expect("begin");
        let values = if change.contains("$1") {
            values![chrono::DateTime::UNIX_EPOCH]
        } else {
            vec![]
        };
        tx.execute(change, values).await.expect("tamper");
        tx.commit().await.expect("commit");
        assert_eq!(
            audit::verify(&database).await.expect("verify"),
            Verified::BrokenAt { seq: expected },
            "{change}"
        );
    }
}

async fn many_writers_make_one_chain(_backend: Backend, database: Database) {
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let database = database.clone();
            tokio::spawn(async move {
                for _ in 0..5 {
                    fill(&database, 1).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.expect("a writer");
    }
    assert_eq!(
        audit::verify(&database).await.expect("verify"),
        Verified::Whole { entries: 40 }
    );
}

async fn entries_are_listed(_backend: Backend, database: Database) {
    fill(&database, 5).await;
    let mut tx = database.read().await.expect("begin");
    let all = audit::list(&mut tx, &AuditFilter::default(), None, 3)
        .await
        .expect("list");
    assert_eq!(all.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [5, 4, 3]);
    let reason = all[0].reason.as_deref().expect("a reason");
    assert!(
        reason.starts_with("because ") && !reason.contains('\0') && !reason.contains("sk_live"),
        "{reason:?}"
    );
    let next = audit::list(&mut tx, &AuditFilter::default(), Some(3), 3)
        .await
        .expect("list");
    assert_eq!(next.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [2, 1]);
    let one = AuditFilter {
        operation: Some("op-2".to_owned()),
        actor: Some("ann".to_owned()),
        ..AuditFilter::default()
    };
    assert_eq!(audit::list(&mut tx, &one, None, 10).await.expect("list").len(), 1);
    let at = all[0].at;
    let inclusive = AuditFilter {
        from: Some(at),
        to: Some(at),
        ..AuditFilter::default()
    };
    assert!(
        !audit::list(&mut tx, &inclusive, None, 10)
            .await
            .expect("list")
            .is_empty()
    );
    let nobody = AuditFilter {
        actor: Some("bob".to_owned()),
        ..AuditFilter::default()
    };
    assert!(
        audit::list(&mut tx, &nobody, None, 10)
            .await
            .expect("list")
            .is_empty()
    );
}
