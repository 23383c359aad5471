//! Several job ids, held ids, closures and new evidence.

use super::play::Play;
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;
use server::fixture::JobScript;

crate::on_every_backend!(
    a_held_id_contests_the_second_operation,
    a_dead_letter_that_knows_more_leads_to_observe,
    new_evidence_voids_a_closure,
    choose_one_then_the_other,
    a_paid_extra_render_becomes_an_operation,
    a_new_operation_follows_a_closed_one,
    attach_asks_the_provider_first,
);

async fn a_held_id_contests_the_second_operation(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.accepted("op_1", "gj_1").await;
    play.accepted("op_2", "gj_1").await;
    let second = play.record("op_2").await;
    assert_eq!(second["remote"]["job_id"], json!(null));
    assert_eq!(second["remote"]["other_jobs"][0]["job_id"], "gj_1");
    assert_eq!(
        (&second["label"], &second["plan"]["action"]),
        (&json!("remote_state_unclear"), &json!("reconcile"))
    );
    assert_eq!(
        play.plan("op_1").await["action"],
        "observe",
        "the holder is not contested"
    );
    play.decide("op_2", json!({ "decision": "attach_job", "job_id": "gj_1" }))
        .await
        .refused(422, "job_held_elsewhere");
}

async fn a_dead_letter_that_knows_more_leads_to_observe(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.operation(
        "op_1",
        json!({ "phase": "submitting", "dispatch": "outcome_unknown" }),
    )
    .await;
    assert_eq!(play.plan("op_1").await["action"], "reconcile");
    play.fixture.put_job("gj_5", JobScript::resting("running"));
    let letter = play
        .dead_letter(
            "render.poll",
            &json!({ "operation_id": "op_1", "remote_job_id": "gj_5" }),
        )
        .await;
    let seen = play
        .until(&format!("/api/v1/dead-letters/{letter}"), |seen| {
            seen["next_action"] == "observe"
        })
        .await;
    assert_eq!(
        (&seen["job_id"], &seen["action"]),
        (&json!("gj_5"), &json!("observe"))
    );
    let record = play.record("op_1").await;
    assert_eq!(record["revision"], 2, "new evidence counts the revision on");
    assert_eq!(
        record["remote"]["job_id"],
        json!(null),
        "evidence is not attached by itself"
    );
    assert_eq!(play.recover("op_1", "observe").await["state"], "succeeded");
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["remote"]["job_id"], &record["phase"]),
        (&json!("gj_5"), &json!("accepted")),
        "{record:#}"
    );
}

async fn new_evidence_voids_a_closure(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.operation(
        "op_1",
        json!({ "phase": "submitting", "dispatch": "outcome_unknown" }),
    )
    .await;
    play.decide("op_1", json!({ "decision": "close_unresolved" }))
        .await
        .expect(200);
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["label"], &record["plan"]["action"]),
        (&json!("closed"), &json!("acknowledge"))
    );
    let revision = record["revision"].as_i64().expect("a revision");
    let report = json!({ "remote": { "job_id": "gj_1" } });
    play.app
        .patch(Role::Reporter, "/api/v1/operations/op_1", revision, &report)
        .await
        .expect(200);
    let record = play.record("op_1").await;
    assert_eq!(record["closure"], json!(null));
    assert_eq!(record["plan"]["action"], "observe", "{record:#}");
}

async fn choose_one_then_the_other(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.accepted("op_1", "gj_1").await;
    let report = json!({ "remote": { "job_id": "gj_2" } });
    play.app
        .patch(Role::Reporter, "/api/v1/operations/op_1", 1, &report)
        .await
        .expect(200);
    assert_eq!(play.plan("op_1").await["action"], "reconcile");
    play.fixture.put_job("gj_1", JobScript::resting("running"));
    play.fixture.put_job("gj_2", JobScript::failed("provider_error"));
    play.decide("op_1", json!({ "decision": "choose_job", "job_id": "gj_2" }))
        .await
        .expect(200);
    play.recover("op_1", "observe").await;
    assert_eq!(play.record("op_1").await["label"], "remote_render_failed");
    play.decide("op_1", json!({ "decision": "choose_job", "job_id": "gj_1" }))
        .await
        .expect(200);
    play.recover("op_1", "observe").await;
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["remote"]["job_id"], &record["phase"]),
        (&json!("gj_1"), &json!("accepted")),
        "{record:#}"
    );
    assert_eq!(
        record["remote"]["other_jobs"][0]["execution"], "failed",
        "each id keeps its own axes"
    );
    let known: Vec<_> = record["plan"]["alternatives"]
        .as_array()
        .expect("alternatives")
        .iter()
        .map(|entry| entry["job_id"].clone())
        .collect();
    assert_eq!(known, [json!("gj_1"), json!("gj_2")], "both stay observable");
    assert_eq!(play.posts(), 0);
}

async fn a_paid_extra_render_becomes_an_operation(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.accepted("op_1", "gj_1").await;
    let report = json!({ "remote": { "job_id": "gj_2" } });
    play.app
        .patch(Role::Reporter, "/api/v1/operations/op_1", 1, &report)
        .await
        .expect(200);
    play.decide(
        "op_1",
        json!({ "decision": "adopt_as_operation", "job_id": "gj_2", "id": "op_1b" }),
    )
    .await
    .expect(200);
    let child = play.record("op_1b").await;
    assert_eq!(
        (&child["remote"]["job_id"], &child["phase"]),
        (&json!("gj_2"), &json!("accepted")),
        "{child:#}"
    );
    assert_eq!(
        play.plan("op_1").await["action"],
        "observe",
        "the contest is settled"
    );
}

async fn a_new_operation_follows_a_closed_one(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.operation(
        "op_1",
        json!({ "phase": "submitting", "dispatch": "outcome_unknown" }),
    )
    .await;
    let prepare = |id: &str| json!({ "decision": "prepare_new_operation", "id": id });
    play.decide("op_1", prepare("op_2"))
        .await
        .refused(422, "not_allowed_here");
    play.decide("op_1", json!({ "decision": "close_unresolved" }))
        .await
        .expect(200);
    play.decide("op_1", prepare("op_2")).await.expect(200);
    play.decide("op_1", prepare("op_3"))
        .await
        .refused(422, "not_allowed_here");
    let child = play.record("op_2").await;
    assert_eq!(
        (&child["parent"], &child["phase"], &child["plan"]["action"]),
        (&json!("op_1"), &json!("prepared"), &json!("dispatch")),
        "{child:#}"
    );
    // The parent comes back to life: the child does not send any more.
    play.decide("op_1", json!({ "decision": "reopen" }))
        .await
        .expect(200);
    let plan = play.plan("op_2").await;
    assert_eq!(super::play::verdict(&plan, "parent_settled"), "block", "{plan:#}");
    assert_eq!(play.posts(), 0);
}

async fn attach_asks_the_provider_first(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.operation(
        "op_1",
        json!({ "phase": "submitting", "dispatch": "outcome_unknown" }),
    )
    .await;
    let attach = json!({ "decision": "attach_job", "job_id": "gj_77" });
    play.decide("op_1", attach.clone())
        .await
        .refused(422, "job_not_confirmed");
    play.fixture
        .put_job_for("gj_77", "op_other", JobScript::resting("running"));
    play.decide("op_1", attach)
        .await
        .refused(422, "job_not_confirmed");
    play.fixture
        .put_job_for("gj_78", "op_1", JobScript::resting("running"));
    let found = play
        .app
        .get(Role::Operator, "/api/v1/operations/op_1/candidates")
        .await
        .expect(200)
        .json();
    assert_eq!(found["job_ids"], json!(["gj_78"]), "{found:#}");
    assert_eq!(
        play.record("op_1").await["remote"]["job_id"],
        json!(null),
        "candidates are never attached"
    );
    play.decide("op_1", json!({ "decision": "attach_job", "job_id": "gj_78" }))
        .await
        .expect(200);
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["remote"]["job_id"], &record["phase"]),
        (&json!("gj_78"), &json!("accepted")),
        "{record:#}"
    );
}
