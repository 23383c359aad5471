//! An accepted render is observed, never created again.

use super::play::{NO_WORKER, Play};
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;
use server::fixture::{JobScript, OutputScript};

crate::on_every_backend!(
    replayed_twice_it_is_read_twice_and_never_created,
    eight_callers_at_once_get_one_recovery,
    an_observation_moves_the_record,
    an_unlisted_status_is_held_for_a_person,
    html_keeps_the_state,
);

async fn replayed_twice_it_is_read_twice_and_never_created(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.fixture.put_job("gj_1", JobScript::resting("running"));
    play.accepted("op_1", "gj_1").await;
    let letter = play
        .dead_letter("render.submit", &json!({ "operation_id": "op_1" }))
        .await;
    for replays in 1..=2 {
        let mut order = play.order("op_1", "observe").await;
        order["dead_letter_id"] = letter.clone().into();
        let answer = play
            .app
            .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &order)
            .await
            .expect(202)
            .json();
        let ended = play.ended(answer["recovery_id"].as_str().expect("an id")).await;
        assert_eq!(ended["state"], "succeeded", "{ended:#}");
        let seen = play.get(&format!("/api/v1/dead-letters/{letter}")).await;
        assert_eq!(seen["resurrection_count"], replays);
        assert_eq!(seen["replays"], replays);
    }
    assert_eq!(play.posts(), 0);
    assert!(play.fixture.gets("gj_1") >= 2);
}

async fn eight_callers_at_once_get_one_recovery(backend: Backend, database: Database) {
    // Without a worker the first recovery stays requested: the others must find it active.
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_1", "gj_1").await;
    let order = play.order("op_1", "observe").await;
    let calls = (0..8).map(|_| {
        play.app
            .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &order)
    });
    let answers = futures::future::join_all(calls).await;
    let mut accepted = 0;
    for answer in answers {
        if answer.status.as_u16() == 202 {
            accepted += 1;
        } else {
            answer.refused(409, "recovery_active");
        }
    }
    assert_eq!(accepted, 1);
    assert_eq!(
        play.count("SELECT COUNT(*) AS n FROM dlo_recoveries WHERE finished_at IS NULL")
            .await,
        1
    );
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM soniq_jobs").await, 1);
    assert_eq!(play.posts(), 0);
}

async fn an_observation_moves_the_record(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.fixture
        .put_job("gj_1", JobScript::succeeded(vec![OutputScript::new("video/mp4")]));
    play.accepted("op_1", "gj_1").await;
    let ended = play.recover("op_1", "observe").await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(record["phase"], "succeeded");
    assert_eq!(record["remote"]["execution"], "succeeded");
    assert_eq!(record["remote"]["source"], "get");
    assert_eq!(record["label"], "local_delivery_failure");
    assert_eq!(record["plan"]["action"], "deliver");
    assert_eq!(ended["revision_after"], record["revision"]);
    assert!(
        !record.to_string().contains("http"),
        "an output's URL was stored: {record:#}"
    );
}

async fn an_unlisted_status_is_held_for_a_person(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.fixture.put_job("gj_1", JobScript::resting("thermal_hold"));
    play.accepted("op_1", "gj_1").await;
    play.recover("op_1", "observe").await;
    let record = play.record("op_1").await;
    assert_eq!(record["remote"]["execution"], "unknown");
    assert_eq!(record["remote"]["raw_status"], "thermal_hold");
    assert_eq!(record["plan"]["action"], "reconcile");
    assert_eq!(record["label"], "remote_state_unclear");
}

async fn html_keeps_the_state(backend: Backend, database: Database) {
    use server::fixture::{Armed, ReadFault};
    let play = Play::start(backend, database).await;
    play.fixture.put_job("gj_1", JobScript::resting("running"));
    play.accepted("op_1", "gj_1").await;
    play.recover("op_1", "observe").await;
    play.fixture.fault_reads("gj_1", Armed::forever(ReadFault::Html));
    let ended = play.recover("op_1", "observe").await;
    assert_eq!(ended["state"], "failed", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(record["remote"]["fetch"], "bad_payload");
    assert_eq!(record["remote"]["execution"], "running");
    assert_eq!(record["plan"]["action"], "observe");
}
