//! Bad input and faults around a replay: a clear answer each, and nothing half done.

use super::shared::{Letter, bury, id};
use crate::protocol::play::{NO_WORKER, Play};
use crate::support::app::fresh_key;
use crate::support::backend::{Backend, Kind};
use crate::support::{raw, sample};
use app::domain::role::Role;
use serde_json::{Value, json};
use server::config::Messages;
use server::database::Database;
use server::storage::{dead_letters, messages, operations};
use std::time::Duration;

crate::on_every_backend!(
    unknown_and_malformed_ids_are_told_apart,
    a_letter_purged_in_another_window_is_said_to_be_gone,
    a_database_that_refuses_leaves_nothing_half_done,
    a_letter_that_vanishes_before_the_confirmation_is_not_counted,
);

const ALLOW: &str = "[policy]\nreplay_without_record = \"allow\"";

/// Everything that a replay could have written.
async fn traces(play: &Play) -> Vec<Vec<Value>> {
    let sql = "SELECT (SELECT COUNT(*) FROM soniq_jobs), (SELECT COUNT(*) FROM dlo_replays), \
               (SELECT COUNT(*) FROM dlo_recoveries), (SELECT COUNT(*) FROM dlo_idempotency), \
               (SELECT COUNT(*) FROM dlo_audit), \
               (SELECT CAST(SUM(COALESCE(resurrection_count, 0)) AS INTEGER) FROM soniq_dead_letter_jobs), \
               (SELECT CAST(SUM(own_replays) AS INTEGER) FROM dlo_messages), \
               (SELECT CAST(SUM(revision) AS INTEGER) FROM dlo_operations)";
    raw::rows(&play.app.office.database, sql).await
}

async fn unknown_and_malformed_ids_are_told_apart(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, ALLOW).await;
    let mut browser = play.app.signed_in(Role::Approver).await;
    let before = traces(&play).await;
    let unknown = id(404).to_string();
    let calls = |id: &str| {
        let path = |verb: &str| format!("/api/v1/dead-letters/{id}/{verb}");
        [
            (path("replay"), json!({ "reason": "r" })),
            (path("acknowledge"), json!({ "reason": "r" })),
            (path("link"), json!({ "reason": "r", "operation_id": "op_1" })),
            (path("purge"), json!({ "reason": "r", "confirm": unknown })),
        ]
    };
    for bad in [
        "not-a-uuid",
        "%20",
        "0",
        "%27%20OR%201%3D1--",
        "00000000-0000-4000-8000-00000000dea",
    ] {
        play.app
            .get(Role::Viewer, &format!("/api/v1/dead-letters/{bad}"))
            .await
            .refused(400, "bad_id");
        for (path, body) in calls(bad) {
            play.app
                .post(Role::Approver, &path, &body)
                .await
                .refused(400, "bad_id");
        }
    }
    let unknown_path = format!("/api/v1/dead-letters/{unknown}");
    play.app
        .get(Role::Viewer, &unknown_path)
        .await
        .refused(404, "not_found");
    for (path, body) in calls(&unknown) {
        let answer = play.app.post(Role::Approver, &path, &body).await;
        if path.ends_with("purge") {
            assert_eq!(answer.expect(200).json()["purged"], false);
        } else {
            answer.refused(404, "not_found");
        }
    }
    for (path, status) in [
        ("/dead-letters/not-a-uuid".to_owned(), 400),
        (format!("/dead-letters/{unknown}"), 404),
        (format!("/dead-letters/{unknown}/purge"), 404),
    ] {
        let page = browser.get(&path).await.expect(status);
        assert!(page.has("main h1"), "{path}");
    }
    let mut after = traces(&play).await;
    // The purge that found nothing is an answer that is kept.
    after[0][3] = before[0][3].clone();
    assert_eq!(after, before);
}

async fn a_letter_purged_in_another_window_is_said_to_be_gone(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, ALLOW).await;
    let letter = play.dead_letter("thumbs.make", &json!({})).await;
    let path = format!("/dead-letters/{letter}");
    let mut window = play.app.signed_in(Role::Approver).await;
    assert!(
        window
            .get(&path)
            .await
            .expect(200)
            .has("form[data-action=replay]")
    );
    assert!(
        window
            .get(&format!("{path}/purge"))
            .await
            .expect(200)
            .has("form[data-action=purge]")
    );
    let purge = json!({ "reason": "spam", "confirm": letter });
    let answer = play
        .app
        .post(Role::Approver, &format!("/api/v1{path}/purge"), &purge)
        .await
        .expect(200);
    assert_eq!(answer.json()["purged"], true);
    let before = traces(&play).await;
    for verb in ["replay", "acknowledge", "link"] {
        let fields = [
            ("id", letter.as_str()),
            ("operation", "op_1"),
            ("reason", "as it was shown"),
            ("key", &fresh_key()),
        ];
        let answer = window.form(&format!("/forms/dead-letters/{verb}"), &fields).await;
        let back = answer.header("location").to_owned();
        assert!(
            back.contains("refused=not_found"),
            "{verb}: {} {back}",
            answer.status
        );
        let page = window
            .get(back.split('#').next().expect("a path"))
            .await
            .expect(404);
        assert!(page.body.contains("There is no message"), "{}", page.body);
    }
    assert_eq!(traces(&play).await, before, "nothing was done");
    let again = [
        ("id", letter.as_str()),
        ("confirm", &letter),
        ("reason", "spam"),
        ("key", &fresh_key()),
    ];
    let answer = window.form("/forms/dead-letters/purge", &again).await;
    let list = answer.header("location").to_owned();
    assert!(list.contains("done=absent"), "{list}");
    let page = window.get(&list).await.expect(200);
    assert!(page.body.contains("The message was not there any more."));
}

/// Makes the database refuse this kind of write to a table, as a full or misguided one would.
async fn refuse(play: &Play, write: &str, table: &str) {
    let database = &play.app.office.database;
    let sql = match play.app.backend.kind {
        Kind::Postgres => format!(
            "CREATE OR REPLACE FUNCTION test_refuses() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'no room in the attic'; END $$; \
             CREATE TRIGGER test_refuses BEFORE {write} ON {table} FOR EACH ROW EXECUTE FUNCTION test_refuses()"
        ),
        Kind::Memory | Kind::Sqlite => format!(
            "CREATE TRIGGER test_refuses BEFORE {write} ON {table} \
             BEGIN SELECT RAISE(ABORT, 'no room in the attic'); END"
        ),
    };
    raw::script(database, &sql).await.expect("a trigger");
}

async fn relent(play: &Play, table: &str) {
    let sql = match play.app.backend.kind {
        Kind::Postgres => format!("DROP TRIGGER test_refuses ON {table}"),
        Kind::Memory | Kind::Sqlite => "DROP TRIGGER test_refuses".to_owned(),
    };
    raw::script(&play.app.office.database, &sql)
        .await
        .expect("dropped");
}

async fn a_database_that_refuses_leaves_nothing_half_done(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, ALLOW).await;
    play.accepted("op_1", "gj_1").await;
    let stray = play.dead_letter("thumbs.make", &json!({})).await;
    let letter = play
        .dead_letter("render.poll", &json!({ "operation_id": "op_1" }))
        .await;
    let replay = format!("/api/v1/dead-letters/{stray}/replay");
    let recover = "/api/v1/operations/op_1/recoveries".to_owned();
    let reason = json!({ "reason": "once more" });
    let mut order = play.order("op_1", "observe").await;
    order["dead_letter_id"] = letter.as_str().into();
    let before = traces(&play).await;
    let (replay_key, recover_key) = (fresh_key(), fresh_key());
    let writes = [
        ("INSERT", "soniq_jobs"),
        ("UPDATE", "soniq_dead_letter_jobs"),
        ("INSERT", "dlo_replays"),
        ("INSERT", "dlo_recoveries"),
        ("INSERT", "dlo_audit"),
        ("UPDATE", "dlo_idempotency"),
    ];
    for (write, table) in writes {
        refuse(&play, write, table).await;
        for (path, body, key) in [(&replay, &reason, &replay_key), (&recover, &order, &recover_key)] {
            if table == "dlo_recoveries" && path == &replay {
                continue;
            }
            let answer = play.app.post_with_key(Role::Operator, path, body, key).await;
            assert!(!answer.body.contains("attic"), "{}", answer.body);
            assert_eq!(answer.header("retry-after"), "5", "{}", answer.body);
            let said = answer.refused(503, "unavailable");
            let said = said["detail"].as_str().expect("a sentence");
            assert!(said.contains("Nothing was changed"), "{said}");
        }
        relent(&play, table).await;
        assert_eq!(traces(&play).await, before, "{write} of {table} was refused");
    }
    // The same keys work when the database does.
    play.app
        .post_with_key(Role::Operator, &replay, &reason, &replay_key)
        .await
        .expect(200);
    play.app
        .post_with_key(Role::Operator, &recover, &order, &recover_key)
        .await
        .expect(202);
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM soniq_jobs").await, 2);
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM dlo_replays").await, 2);
}

async fn a_letter_that_vanishes_before_the_confirmation_is_not_counted(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    let letter = play
        .dead_letter("render.poll", &json!({ "operation_id": "op_1" }))
        .await;
    let mut browser = play.app.signed_in(Role::Operator).await;
    let review = format!("/operations/op_1/review?message={letter}");
    let page = browser.get(&review).await.expect(200);
    assert!(page.has("form[data-action=observe]"));
    let mut order = play.order("op_1", "observe").await;
    order["dead_letter_id"] = letter.as_str().into();
    // Another tool deletes the row between review and confirmation.
    play.sql("DELETE FROM soniq_dead_letter_jobs").await;
    let recover = "/api/v1/operations/op_1/recoveries";
    let said = play
        .app
        .post(Role::Operator, recover, &order)
        .await
        .refused(404, "not_found");
    assert!(
        said["detail"].as_str().expect("a sentence").contains("is gone"),
        "{said}"
    );
    let revision = order["revision"].to_string();
    let fields = [
        ("operation", "op_1"),
        ("revision", revision.as_str()),
        ("action", "observe"),
        ("message", &letter),
        ("reason", "as it was shown"),
        ("key", &fresh_key()),
    ];
    let answer = browser.form("/forms/recoveries/confirm", &fields).await;
    let back = answer.header("location").to_owned();
    assert!(back.contains("refused=not_found"), "{back}");
    let page = browser
        .get(back.split('#').next().expect("a path"))
        .await
        .expect(200);
    assert!(page.has("[role=alert][data-code=not_found]"), "{}", page.body);
    for table in ["dlo_recoveries", "soniq_jobs", "dlo_replays"] {
        let sql = format!("SELECT COUNT(*) AS n FROM {table}");
        assert_eq!(play.count(&sql).await, 0, "{table}");
    }
    // What the message knew stays, and the plan goes on without it.
    let order = play.order("op_1", "observe").await;
    play.app.post(Role::Operator, recover, &order).await.expect(202);
}

/// The lock order: who holds an operation may touch its letters while the projector waits for that operation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_projector_takes_an_operation_before_its_letters() {
    let Some((_backend, database)) = Backend::open(Kind::Postgres).await else {
        return;
    };
    super::shared::record(&database, &sample::accepted("op_1", "gj_1")).await;
    let letter = bury(
        &database,
        &Letter {
            args: r#"{"operation_id": "op_1"}"#,
            ..Letter::default()
        },
    )
    .await;
    let mut tx = database.write().await.expect("begin");
    operations::lock(&mut tx, &"op_1".into())
        .await
        .expect("lock")
        .expect("a record");
    let projecting = tokio::spawn({
        let database = database.clone();
        async move { messages::project(&database, &Messages::default(), 10).await }
    });
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let mut looks = 0;
    while raw::number(&database, waiting).await == 0 {
        looks += 1;
        assert!(looks < 400, "the projector never waits for the operation");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let replay = dead_letters::Replay {
        job_id: app::domain::ids::QueueJobId(id(50)),
        by: "a",
        reason: "r",
        recovery: None,
    };
    assert!(
        dead_letters::count_resurrection(&mut tx, letter, &replay)
            .await
            .expect("no deadlock")
    );
    tx.commit().await.expect("commit");
    assert_eq!(projecting.await.expect("ends").expect("projected"), 1);
    let counts = "SELECT resurrections, own_replays FROM dlo_messages";
    assert_eq!(
        raw::rows(&database, counts).await,
        [[json!(1), json!(1)]],
        "the replay in between is counted"
    );
}
