//! Who did what, and that nobody can change it.

use super::play::Play;
use crate::support::backend::Backend;
use serde_json::json;
use server::database::Database;
use server::fixture::JobScript;
use server::storage::audit::{self, Verified};

crate::on_every_backend!(two_entries_per_recovery, the_database_refuses_changes);

async fn two_entries_per_recovery(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.fixture.put_job("gj_1", JobScript::resting("running"));
    play.accepted("op_1", "gj_1").await;
    let ended = play.recover("op_1", "observe").await;
    let entries = play.get("/api/v1/audit?operation=op_1").await;
    let entries: Vec<_> = entries["items"]
        .as_array()
        .expect("entries")
        .iter()
        .filter(|entry| entry["recovery_id"] == ended["id"])
        .cloned()
        .collect();
    assert_eq!(entries.len(), 2, "{entries:#?}");
    let (outcome, intent) = (&entries[0], &entries[1]);
    assert_eq!(
        (&intent["action"], &intent["effect"]),
        (&json!("observe"), &json!("reads_status"))
    );
    assert_eq!(intent["actor"], "test-approver");
    assert_eq!(intent["reason"], "the test asks for it");
    assert_eq!(intent["revision_before"], 1);
    assert!(
        intent["guards"]
            .as_array()
            .is_some_and(|guards| guards.len() >= 7)
    );
    assert_eq!(outcome["revision_before"], 1);
    assert_eq!(outcome["revision_after"], ended["revision_after"]);
    assert_eq!(
        audit::verify(&play.app.office.database).await.expect("read"),
        Verified::Whole {
            entries: play.count("SELECT COUNT(*) AS n FROM dlo_audit").await
        }
    );
}

async fn the_database_refuses_changes(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.accepted("op_1", "gj_1").await;
    play.decide("op_1", json!({ "decision": "close_unresolved" }))
        .await
        .expect(200);
    for sql in ["UPDATE dlo_audit SET reason = 'nothing'", "DELETE FROM dlo_audit"] {
        let mut tx = play.app.office.database.write().await.expect("begin");
        assert!(tx.execute(sql, vec![]).await.is_err(), "{sql}");
    }
}
