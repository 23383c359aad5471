//! What a person is told before a replay, on the message and on the plan.

use crate::protocol::play::{NO_WORKER, Play};
use crate::support::backend::{Backend, Kind};
use app::domain::role::Role;
use serde_json::{Value, json};
use server::database::Database;

crate::on_every_backend!(
    a_queued_twin_is_named,
    a_plan_carries_its_warnings,
    a_handler_that_no_living_worker_has_is_named,
);

/// The kinds that an answer warns of.
fn kinds(value: &Value) -> Vec<&str> {
    value["warnings"]
        .as_array()
        .unwrap_or_else(|| panic!("{value:#}"))
        .iter()
        .map(|one| one["warning"].as_str().expect("a kind"))
        .collect()
}

fn detail<'a>(value: &'a Value, kind: &str) -> &'a str {
    value["warnings"]
        .as_array()
        .and_then(|all| all.iter().find(|one| one["warning"] == kind))
        .and_then(|one| one["detail"].as_str())
        .unwrap_or_else(|| panic!("no {kind}: {value:#}"))
}

async fn queue(play: &Play, n: u32, name: &str, args: &Value, key: &str) {
    play.sql(&format!(
        "INSERT INTO soniq_jobs (id, job_name, args, status, queue, attempts, max_attempts, priority, dedup_key) \
         VALUES ('00000000-0000-4000-8000-0000000000{n}', '{name}', '{args}', 'queued', 'billing', 0, 3, 100, {key})"
    ))
    .await;
}

/// Warnings that need no Soniq worker.
async fn settled(play: &Play, path: &str) -> Vec<String> {
    let seen = play.get(path).await;
    let kinds = kinds(&seen).into_iter();
    kinds
        .filter(|kind| *kind != "handler_not_registered")
        .map(str::to_owned)
        .collect()
}

async fn a_queued_twin_is_named(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    let refund = json!({ "operation_id": "op_42551", "amount": 12 });
    let letter = play.dead_letter("billing.refund", &refund).await;
    let path = format!("/api/v1/dead-letters/{letter}");
    assert!(settled(&play, &path).await.is_empty());
    // Not twins: another operation, another name, one that is done.
    queue(
        &play,
        11,
        "billing.refund",
        &json!({ "operation_id": "op_4255" }),
        "NULL",
    )
    .await;
    queue(&play, 12, "billing.invoice", &refund, "NULL").await;
    queue(&play, 13, "billing.refund", &refund, "NULL").await;
    play.sql("UPDATE soniq_jobs SET status = 'done' WHERE id = '00000000-0000-4000-8000-000000000013'")
        .await;
    assert!(settled(&play, &path).await.is_empty());
    // The same refund under its dedup key, with other words around it.
    let twin = json!({ "op_id": "op_42551", "amount": 12, "note": "again" });
    queue(&play, 14, "billing.refund", &twin, "'refund:op_42551'").await;
    let seen = play.get(&path).await;
    let told = detail(&seen, "queued_twin");
    assert!(
        told.contains("refund:op_42551") && told.contains("000000000014"),
        "{told}"
    );
    // A message without an operation: the same args are the same work.
    let thumbs = json!({ "file": "a.png" });
    let stray = play.dead_letter("thumbs.make", &thumbs).await;
    let path = format!("/api/v1/dead-letters/{stray}");
    queue(&play, 15, "thumbs.make", &json!({ "file": "b.png" }), "NULL").await;
    assert!(settled(&play, &path).await.is_empty());
    queue(&play, 16, "thumbs.make", &thumbs, "NULL").await;
    assert_eq!(settled(&play, &path).await, ["queued_twin"]);
    let mut browser = play.app.signed_in(Role::Operator).await;
    let page = browser.get(&format!("/dead-letters/{stray}")).await.expect(200);
    assert!(
        page.has("form[data-action=replay] [data-warning=queued_twin]"),
        "{}",
        page.body
    );
    let list = play.get("/api/v1/dead-letters").await;
    assert!(
        list["items"][0]["warnings"].is_null(),
        "lists are not asked for each row"
    );
}

async fn a_plan_carries_its_warnings(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    let letter = play
        .dead_letter("render.poll", &json!({ "operation_id": "op_1" }))
        .await;
    assert!(kinds(&play.plan("op_1").await).is_empty());
    play.sql("UPDATE soniq_dead_letter_jobs SET resurrection_count = 3")
        .await;
    queue(
        &play,
        21,
        "render.poll",
        &json!({ "operation_id": "op_1" }),
        "NULL",
    )
    .await;
    // A job that does something else is no twin of a read.
    queue(
        &play,
        22,
        "render.deliver",
        &json!({ "operation_id": "op_1" }),
        "NULL",
    )
    .await;
    let plan = play.plan("op_1").await;
    assert_eq!(kinds(&plan), ["queued_twin", "replayed_before"]);
    assert!(detail(&plan, "replayed_before").contains("3 times already: 0 by us, 3 outside"));
    assert!(!detail(&plan, "queued_twin").contains("more"));
    assert_eq!(plan["allowed"], true, "a warning refuses nothing");
    assert_eq!(play.record("op_1").await["plan"]["warnings"], plan["warnings"]);
    let mut browser = play.app.signed_in(Role::Operator).await;
    let page = browser
        .get(&format!("/operations/op_1/review?message={letter}"))
        .await
        .expect(200);
    for kind in ["queued_twin", "replayed_before"] {
        assert!(
            page.has(&format!("[data-warning={kind}]")),
            "{kind}: {}",
            page.body
        );
    }
    // A decision replays nothing.
    play.operation("op_2", json!({ "phase": "delivered" })).await;
    assert!(kinds(&play.plan("op_2").await).is_empty());
}

async fn a_handler_that_no_living_worker_has_is_named(backend: Backend, database: Database) {
    let kind = backend.kind;
    let handed_back = "[actions.observe]\nexecute = \"queue\"\njob_name = \"render.look\"\n";
    let play = Play::start_with(backend, database, NO_WORKER, handed_back).await;
    play.accepted("op_1", "gj_1").await;
    let letter = play.dead_letter("thumbs.make", &json!({})).await;
    let path = format!("/api/v1/dead-letters/{letter}");
    if kind != Kind::Postgres {
        // Soniq keeps no registry there: nothing is known, and nothing said.
        assert!(kinds(&play.get(&path).await).is_empty());
        assert!(kinds(&play.plan("op_1").await).is_empty());
        return;
    }
    let told = async || {
        let seen = play.get(&path).await;
        (!kinds(&seen).is_empty()).then(|| detail(&seen, "handler_not_registered").to_owned())
    };
    assert!(
        told()
            .await
            .expect("warned")
            .contains("No worker has ever registered thumbs.make")
    );
    play.sql(
        "INSERT INTO soniq_task_registry (task_name, worker_id, last_seen_at) \
         VALUES ('thumbs.make', 'w', now() - interval '1 day')",
    )
    .await;
    assert!(told().await.expect("warned").contains("not running now"));
    play.sql(
        "INSERT INTO soniq_workers (id, hostname, pid, queues, started_at, last_heartbeat) VALUES \
         ('00000000-0000-4000-8000-0000000000aa', 'h', 1, '{render}', now() - interval '1 hour', now())",
    )
    .await;
    assert!(told().await.is_some(), "it started after that registration");
    play.sql("UPDATE soniq_task_registry SET last_seen_at = now() - interval '1 hour'")
        .await;
    assert_eq!(told().await, None);
    // The name that a handed-back action would carry is looked up as well.
    let plan = play.plan("op_1").await;
    assert!(detail(&plan, "handler_not_registered").contains("render.look"));
    play.sql(
        "INSERT INTO soniq_task_registry (task_name, worker_id, last_seen_at) VALUES ('render.look', 'w', now())",
    )
    .await;
    assert!(kinds(&play.plan("op_1").await).is_empty());
}
