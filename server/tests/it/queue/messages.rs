//! What messages know is evidence about their operation, before and after it is reported, and after their purge.

use super::shared::{Letter, bury, enqueue, get, id, load, project, record};
use crate::support::backend::{Backend, Kind};
use crate::support::{raw, sample};
use app::desk::EventKind;
use app::domain::decision::{Closure, DecisionKind};
use app::domain::ids::{JobId, OperationId, QueueJobId};
use app::domain::label::Label;
use app::domain::operation::Operation;
use app::domain::plan::Action;
use server::config::{Config, Messages};
use server::database::Database;
use server::office::Office;
use server::storage::dead_letters::{self, Replay};
use server::storage::messages::Thoroughness;
use server::storage::{derived, events, evidence, messages, operations, soniq_workers};
use std::sync::Arc;

crate::on_every_backend!(
    a_message_is_new_evidence,
    only_a_new_job_id_voids_a_closure,
    messages_wait_for_their_operation,
    the_dead_letters_themselves_are_read_again,
    replays_by_others_and_purges_are_remembered,
    competing_jobs_are_found_behind_escapes,
    a_greedy_worker_is_seen,
);

const OP: &str = r#"{"operation_id": "op_1"}"#;

async fn label_of(database: &Database, n: u128) -> String {
    let sql = format!("SELECT label FROM dlo_messages WHERE message_id = '{}'", id(n));
    raw::texts(database, &sql).await.remove(0)
}

async fn a_message_is_new_evidence(_backend: Backend, database: Database) {
    record(&database, &sample::accepted("op_1", "gj_1")).await;
    bury(
        &database,
        &Letter {
            n: 1,
            args: OP,
            ..Letter::default()
        },
    )
    .await;
    bury(
        &database,
        &Letter {
            n: 2,
            args: r#"{"operation_id": "op_1", "job_id": "gj_2"}"#,
            ..Letter::default()
        },
    )
    .await;
    bury(
        &database,
        &Letter {
            n: 3,
            ..Letter::default()
        },
    )
    .await;
    assert_eq!(project(&database).await, 3);
    assert_eq!(project(&database).await, 0);
    assert_eq!(load(&database, "op_1").await.revision, 3, "once per message");
    assert_eq!(
        label_of(&database, 1).await,
        Label::RemoteStateUnclear.as_str(),
        "two ids contest"
    );
    assert_eq!(label_of(&database, 2).await, Label::RemoteStateUnclear.as_str());
    assert_eq!(label_of(&database, 3).await, Label::NoOperationRecord.as_str());
    let mut tx = database.read().await.expect("begin");
    let told = events::list(&mut tx, &OperationId::from("op_1"))
        .await
        .expect("events");
    assert_eq!(
        told.iter()
            .filter(|event| event.kind == EventKind::DeadLetter)
            .count(),
        2
    );
    drop(tx);
    assert_eq!(raw_jobs(&database).await, ["gj_1", "gj_2"]);
}

async fn raw_jobs(database: &Database) -> Vec<String> {
    raw::texts(database, "SELECT job_id FROM dlo_known_jobs ORDER BY job_id").await
}

async fn only_a_new_job_id_voids_a_closure(_backend: Backend, database: Database) {
    let closed = Operation {
        closure: Some(Closure {
            decision: DecisionKind::CloseUnresolved,
            by: "somebody".to_owned(),
            at: sample::moment(),
            reason: "enough".to_owned(),
        }),
        ..sample::accepted("op_1", "gj_1")
    };
    record(&database, &closed).await;
    bury(
        &database,
        &Letter {
            n: 1,
            args: r#"{"operation_id": "op_1", "job_id": "gj_1"}"#,
            ..Letter::default()
        },
    )
    .await;
    project(&database).await;
    assert!(
        load(&database, "op_1").await.closure.is_some(),
        "an obsolete message"
    );
    assert_eq!(label_of(&database, 1).await, Label::Closed.as_str());
    bury(
        &database,
        &Letter {
            n: 2,
            args: r#"{"operation_id": "op_1", "job_id": "gj_9"}"#,
            ..Letter::default()
        },
    )
    .await;
    project(&database).await;
    let voided = load(&database, "op_1").await;
    assert!(voided.closure.is_none() && voided.revision == 3);
    assert_eq!(label_of(&database, 1).await, Label::RemoteStateUnclear.as_str());
}

async fn messages_wait_for_their_operation(_backend: Backend, database: Database) {
    bury(
        &database,
        &Letter {
            n: 1,
            args: r#"{"operation_id": "op_1", "job_id": "gj_1"}"#,
            ..Letter::default()
        },
    )
    .await;
    project(&database).await;
    assert_eq!(label_of(&database, 1).await, Label::NoOperationRecord.as_str());
    let operation = sample::operation("op_1");
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, &operation, &[])
        .await
        .expect("create");
    messages::adopt(&mut tx, &operation.id).await.expect("adopt");
    tx.commit().await.expect("commit");
    assert_eq!(
        load(&database, "op_1").await.revision,
        1,
        "known from the first revision on"
    );
    assert_eq!(
        label_of(&database, 1).await,
        Label::RenderInProgress.as_str(),
        "an id is named"
    );
    let mut tx = database.read().await.expect("begin");
    let view = get(&mut tx, app::domain::ids::DeadLetterId(id(1))).await;
    assert_eq!(view.next_action, Some(Action::Observe));
    assert_eq!(
        events::list(&mut tx, &operation.id).await.expect("events").len(),
        1
    );
}

async fn the_dead_letters_themselves_are_read_again(_backend: Backend, database: Database) {
    let config = Messages::default();
    let op = OperationId::from("op_1");
    record(&database, &sample::accepted("op_1", "gj_1")).await;
    record(&database, &sample::operation("op_2")).await;
    bury(
        &database,
        &Letter {
            n: 1,
            args: OP,
            ..Letter::default()
        },
    )
    .await;
    bury(
        &database,
        &Letter {
            n: 2,
            args: r#"{"operation_id": "op_2"}"#,
            ..Letter::default()
        },
    )
    .await;
    let mut tx = database.write().await.expect("begin");
    operations::lock(&mut tx, &op).await.expect("lock");
    assert!(
        messages::reread(&mut tx, &config, &op, Thoroughness::WhereUnread)
            .await
            .expect("reread"),
        "one was unread"
    );
    assert!(
        !messages::reread(&mut tx, &config, &op, Thoroughness::WhereUnread)
            .await
            .expect("reread"),
        "and is not news twice"
    );
    tx.commit().await.expect("commit");
    assert_eq!(load(&database, "op_1").await.revision, 2);
    assert_eq!(
        project(&database).await,
        1,
        "the other operation's was left to the projector"
    );
    // Somebody changes the row, and replays it.
    let sql = format!(
        "UPDATE soniq_dead_letter_jobs SET args = '{{\"operation_id\": \"op_1\", \"job_id\": \"gj_7\"}}', \
         resurrection_count = 2 WHERE id = '{}'",
        id(1)
    );
    raw::script(&database, &sql).await.expect("update");
    let mut tx = database.write().await.expect("begin");
    let record = operations::lock(&mut tx, &op)
        .await
        .expect("lock")
        .expect("it is recorded");
    assert!(
        messages::reread(&mut tx, &config, &op, Thoroughness::WhereUnread)
            .await
            .expect("reread")
    );
    let found = evidence::gather(&mut tx, &record).await.expect("evidence");
    assert!(found.job_ids().contains(&JobId::from("gj_7")));
    assert_eq!(
        (found.messages[0].resurrections, found.messages[0].own_replays),
        (2, 0)
    );
    tx.commit().await.expect("commit");
    // Somebody deletes it: what it knew stays.
    raw::script(&database, "DELETE FROM soniq_dead_letter_jobs")
        .await
        .expect("delete");
    let mut tx = database.write().await.expect("begin");
    assert!(
        !messages::reread(&mut tx, &config, &op, Thoroughness::WhereUnread)
            .await
            .expect("reread")
    );
    let found = evidence::gather(&mut tx, &record).await.expect("evidence");
    assert!(found.messages[0].purged && found.messages[0].resurrections == 2);
    derived::refresh(&mut tx, &op).await.expect("refresh");
}

async fn replays_by_others_and_purges_are_remembered(_backend: Backend, database: Database) {
    let office = Office::new(database.clone(), Arc::new(Config::default()));
    record(&database, &sample::operation("op_1")).await;
    let letter = bury(
        &database,
        &Letter {
            args: OP,
            ..Letter::default()
        },
    )
    .await;
    // Ours, before anybody has read the letter.
    let replay = Replay {
        job_id: QueueJobId(id(50)),
        by: "a",
        reason: "r",
        recovery: None,
    };
    let mut tx = database.write().await.expect("begin");
    assert_eq!(
        dead_letters::replay(&mut tx, letter, &replay)
            .await
            .expect("replay"),
        Some(replay.job_id)
    );
    tx.commit().await.expect("commit");
    office.project(false).await.expect("project");
    let again = Replay {
        job_id: QueueJobId(id(51)),
        ..replay
    };
    let mut tx = database.write().await.expect("begin");
    dead_letters::replay(&mut tx, letter, &again)
        .await
        .expect("replay");
    tx.commit().await.expect("commit");
    // Theirs, by another tool.
    raw::script(
        &database,
        "UPDATE soniq_dead_letter_jobs SET resurrection_count = resurrection_count + 1",
    )
    .await
    .expect("update");
    office.project(false).await.expect("project");
    let counts = "SELECT resurrections, own_replays FROM dlo_messages";
    assert_eq!(
        raw::rows(&database, counts).await,
        [[serde_json::json!(3), serde_json::json!(2)]]
    );
    let mut tx = database.write().await.expect("begin");
    let config = Messages::default();
    assert!(
        dead_letters::purge(&mut tx, &config, letter)
            .await
            .expect("purge")
    );
    assert!(
        !dead_letters::purge(&mut tx, &config, letter)
            .await
            .expect("purge"),
        "finally"
    );
    tx.commit().await.expect("commit");
    assert_eq!(
        raw::rows(&database, counts).await,
        [[serde_json::json!(3), serde_json::json!(2)]]
    );
    let record = load(&database, "op_1").await;
    let mut tx = database.read().await.expect("begin");
    let found = evidence::gather(&mut tx, &record).await.expect("evidence");
    assert!(found.messages[0].purged);
    assert_eq!(found.messages[0].facts.action, Some(Action::Observe));
    assert_eq!(found.messages[0].resurrections, 3);
}

async fn competing_jobs_are_found_behind_escapes(backend: Backend, database: Database) {
    let op = OperationId::from("op ü");
    let named = r#"{"operation_id": "op ü"}"#;
    let theirs = enqueue(&database, 1, "render.submit", named, "render").await;
    let escaped = enqueue(
        &database,
        2,
        "render.submit",
        r#"{"op_id": "op \u00fc"}"#,
        "render",
    )
    .await;
    let ours = enqueue(&database, 3, "generation.observe", named, "dead-letter-office").await;
    let done = enqueue(&database, 4, "render.submit", named, "render").await;
    enqueue(
        &database,
        5,
        "render.submit",
        r#"{"operation_id": "op ü2", "note": "op ü"}"#,
        "render",
    )
    .await;
    raw::script(
        &database,
        &format!("UPDATE soniq_jobs SET status = 'done' WHERE id = '{done}'"),
    )
    .await
    .expect("update");
    raw::script(
        &database,
        &format!("UPDATE soniq_jobs SET status = 'processing' WHERE id = '{escaped}'"),
    )
    .await
    .expect("update");
    let mut tx = database.read().await.expect("begin");
    let config = Messages::default();
    let found = messages::competing_jobs(&mut tx, &config, &op, &[])
        .await
        .expect("look");
    let ids: Vec<&str> = found.iter().map(|job| job.id.as_str()).collect();
    assert_eq!(
        ids,
        [theirs.to_string(), escaped.to_string()],
        "{:?} without {ours}",
        backend.kind
    );
    assert_eq!(found[1].status, "processing");
    let rest = messages::competing_jobs(&mut tx, &config, &op, &[theirs, escaped])
        .await
        .expect("look");
    assert!(rest.is_empty());
}

async fn a_greedy_worker_is_seen(backend: Backend, database: Database) {
    let (all, own, other) = match backend.kind {
        Kind::Postgres => ("'{}'", "'{dead-letter-office,x}'", "'{render}'"),
        Kind::Memory | Kind::Sqlite => ("'[]'", "'[\"x\", \"dead-letter-office\"]'", "'[\"render\"]'"),
    };
    for (queues, age, status, greedy) in [
        (other, 1, "active", false),
        (all, 500, "active", false),
        (all, 1, "stopped", false),
        (all, 1, "active", true),
        ("NULL", 1, "active", true),
        (own, 1, "active", true),
    ] {
        let mut tx = database.write().await.expect("begin");
        let beat = tx.now() - chrono::Duration::seconds(age);
        let sql = format!(
            "INSERT INTO soniq_workers (id, hostname, pid, queues, status, last_heartbeat, started_at) \
             VALUES ($1, 'host', 7, {queues}, $2, $3, $3)"
        );
        tx.execute(&sql, server::values![id(1), status, beat])
            .await
            .expect("insert");
        let found = soniq_workers::greedy_worker(&mut tx).await.expect("look");
        assert_eq!(
            found.as_deref(),
            greedy.then_some("host:7"),
            "{queues} {age} {status}"
        );
        tx.rollback().await.expect("rollback");
    }
}
