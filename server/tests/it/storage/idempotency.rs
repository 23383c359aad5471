//! One key, one answer.

use crate::support::backend::Backend;
use serde_json::json;
use server::database::Database;
use server::storage::idempotency::{self, Begin, Claim};
use server::values;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

crate::on_every_backend!(
    the_first_answer_is_given_again,
    a_refusal_is_not_stored,
    old_answers_are_forgotten,
    at_once
);

fn claim(key: &str, body: &str) -> Claim {
    Claim {
        caller: "ann".to_owned(),
        route: "/api/v1/operations/a/decisions".to_owned(),
        key: key.to_owned(),
        body_hash: body.to_owned(),
    }
}

async fn answer(database: &Database, claim: &Claim) {
    let mut tx = database.write().await.expect("begin");
    assert_eq!(
        idempotency::begin(&mut tx, claim).await.expect("begin"),
        Begin::New
    );
    idempotency::keep(&mut tx, claim, 202, &json!({"a": 1}))
        .await
        .expect("keep");
    tx.commit().await.expect("commit");
}

async fn the_first_answer_is_given_again(_backend: Backend, database: Database) {
    let first = claim("k", "h");
    answer(&database, &first).await;
    let mut tx = database.write().await.expect("begin");
    let stored = Begin::Stored {
        status: 202,
        answer: json!({"a": 1}),
    };
    assert_eq!(idempotency::begin(&mut tx, &first).await.expect("begin"), stored);
    assert_eq!(
        idempotency::peek(&mut tx, &first).await.expect("peek"),
        Some(stored)
    );
    assert_eq!(
        idempotency::begin(&mut tx, &claim("k", "other"))
            .await
            .expect("begin"),
        Begin::Conflict
    );
    let elsewhere = Claim {
        route: "/api/v1/operations/b/decisions".to_owned(),
        ..first.clone()
    };
    assert_eq!(
        idempotency::begin(&mut tx, &elsewhere).await.expect("begin"),
        Begin::New
    );
    let somebody = Claim {
        caller: "bob".to_owned(),
        ..first
    };
    assert_eq!(idempotency::peek(&mut tx, &somebody).await.expect("peek"), None);
}

async fn a_refusal_is_not_stored(_backend: Backend, database: Database) {
    let first = claim("k", "h");
    let mut tx = database.write().await.expect("begin");
    assert_eq!(
        idempotency::begin(&mut tx, &first).await.expect("begin"),
        Begin::New
    );
    tx.rollback().await.expect("rollback");
    answer(&database, &claim("k", "another")).await;
}

async fn old_answers_are_forgotten(_backend: Backend, database: Database) {
    let first = claim("k", "h");
    answer(&database, &first).await;
    let mut tx = database.write().await.expect("begin");
    let old = tx.now() - idempotency::KEPT - chrono::Duration::seconds(1);
    tx.execute("UPDATE dlo_idempotency SET created_at = $1", values![old])
        .await
        .expect("age");
    tx.commit().await.expect("commit");
    answer(&database, &claim("k", "another")).await;
    let mut tx = database.write().await.expect("begin");
    assert_eq!(idempotency::forget_old(&mut tx).await.expect("forget"), 0);
    tx.execute("UPDATE dlo_idempotency SET created_at = $1", values![old])
        .await
        .expect("age");
    assert_eq!(idempotency::forget_old(&mut tx).await.expect("forget"), 1);
}

async fn at_once(_backend: Backend, database: Database) {
    let done = Arc::new(AtomicUsize::new(0));
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let (database, done) = (database.clone(), Arc::clone(&done));
            tokio::spawn(async move {
                let claim = claim("k", "h");
                let mut tx = database.write().await.expect("begin");
                match idempotency::begin(&mut tx, &claim).await.expect("begin") {
                    Begin::New => {
                        done.fetch_add(1, Ordering::SeqCst);
                        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                        idempotency::keep(&mut tx, &claim, 200, &json!("first"))
                            .await
                            .expect("keep");
                        tx.commit().await.expect("commit");
                    }
                    Begin::Stored { answer, .. } => assert_eq!(answer, json!("first")),
                    Begin::Conflict => panic!("the same body"),
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.expect("a caller");
    }
    assert_eq!(done.load(Ordering::SeqCst), 1);
}
