//! Delivery failed after success: the original render is copied, nothing is created.

use super::play::Play;
use crate::support::backend::Backend;
use serde_json::json;
use server::database::Database;
use server::fixture::{Armed, JobScript, OutputFault, OutputScript, UrlPolicy};

crate::on_every_backend!(
    the_original_outputs_are_copied,
    an_expired_url_is_read_afresh,
    only_the_missing_output_is_fetched,
    one_bad_output_does_not_undo_the_good_ones,
    delivered_is_acknowledged_and_nothing_is_sent,
    outputs_that_fail_for_good_are_asked_of_a_person,
);

fn three() -> Vec<OutputScript> {
    vec![
        OutputScript::new("video/mp4"),
        OutputScript::new("image/png"),
        OutputScript::new("image/webp"),
    ]
}

async fn succeeded(play: &Play, outputs: Vec<OutputScript>, copies: serde_json::Value) {
    let listed: Vec<_> = ["video/mp4", "image/png", "image/webp"]
        .iter()
        .take(outputs.len())
        .enumerate()
        .map(|(index, kind)| json!({ "index": index, "content_type": kind }))
        .collect();
    play.fixture.put_job("gj_1", JobScript::succeeded(outputs));
    play.operation(
        "op_1",
        json!({
            "phase": "succeeded", "dispatch": "sent",
            "remote": { "job_id": "gj_1", "fetch": "ok", "execution": "succeeded", "outputs": listed },
            "charge": { "state": "charged", "charged": "12" }, "outputs": copies,
        }),
    )
    .await;
}

fn published(play: &Play) -> usize {
    fn files(folder: &std::path::Path) -> usize {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return 0;
        };
        entries
            .flatten()
            .map(|entry| match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != "staging" => files(&entry.path()),
                Ok(kind) if kind.is_file() => 1,
                _ => 0,
            })
            .sum()
    }
    files(&play.folder.path().join("copies"))
}

async fn the_original_outputs_are_copied(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    succeeded(&play, three(), json!([])).await;
    let ended = play.recover("op_1", "deliver").await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(record["phase"], "delivered");
    assert_eq!(record["label"], "already_delivered");
    for copy in record["outputs"].as_array().expect("copies") {
        assert_eq!(copy["state"], "delivered");
        assert_eq!(copy["sha256"].as_str().map(str::len), Some(64));
    }
    assert_eq!(published(&play), 3);
    assert_eq!(play.posts(), 0);
}

async fn an_expired_url_is_read_afresh(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    succeeded(&play, vec![OutputScript::new("video/mp4")], json!([])).await;
    // Whatever was handed out before is dead: only a URL of the newest read works.
    let once = JobScript::succeeded(vec![OutputScript::new("video/mp4")]).with_urls(UrlPolicy {
        until_next_read: true,
        ..UrlPolicy::default()
    });
    play.fixture.put_job("gj_1", once);
    play.fixture.expire_urls("gj_1");
    let ended = play.recover("op_1", "deliver").await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    assert_eq!(play.fixture.gets("gj_1"), 1, "one fresh read of the same job");
    assert_eq!(play.posts(), 0);
}

async fn only_the_missing_output_is_fetched(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    let sha = "0".repeat(64);
    let copy = |index: u32| json!({ "index": index, "state": "delivered", "storage_key": format!("op/{index}"), "bytes": 8, "sha256": sha });
    succeeded(
        &play,
        three(),
        json!([copy(0), copy(2), { "index": 1, "state": "failed", "category": "storage_full" }]),
    )
    .await;
    assert_eq!(
        play.plan("op_1").await["summary"]
            .as_str()
            .map(|text| text.contains("output 1")),
        Some(true)
    );
    let before = play.fixture.counts();
    let ended = play.recover("op_1", "deliver").await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let fetched = play.fixture.counts().total() - before.total();
    assert_eq!(fetched, 2, "one read of the job and one output");
    let record = play.record("op_1").await;
    assert_eq!(record["phase"], "delivered");
    assert_eq!(
        record["outputs"][0]["storage_key"], "op/0",
        "a published copy is never replaced"
    );
}

async fn one_bad_output_does_not_undo_the_good_ones(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    succeeded(&play, three(), json!([])).await;
    play.fixture
        .fault_output("gj_1", 1, Armed::forever(OutputFault::Status { status: 404 }));
    let ended = play.recover("op_1", "deliver").await;
    assert_eq!(ended["state"], "failed", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(record["phase"], "succeeded");
    let states: Vec<_> = record["outputs"]
        .as_array()
        .expect("copies")
        .iter()
        .map(|copy| copy["state"].as_str())
        .collect();
    assert_eq!(states, [Some("delivered"), Some("failed"), Some("delivered")]);
    assert_eq!(record["plan"]["action"], "deliver");
    assert_eq!(record["outputs"][1]["category"], "not_found");
    play.fixture.clear_faults();
    assert_eq!(play.recover("op_1", "deliver").await["state"], "succeeded");
    assert_eq!(play.record("op_1").await["phase"], "delivered");
}

async fn delivered_is_acknowledged_and_nothing_is_sent(backend: Backend, database: Database) {
    use app::domain::role::Role;
    let play = Play::start(backend, database).await;
    let copy = json!({ "index": 0, "state": "delivered", "storage_key": "op/0", "bytes": 8, "sha256": "0".repeat(64) });
    play.operation("op_1", json!({ "phase": "delivered", "dispatch": "sent", "remote": { "job_id": "gj_1" }, "outputs": [copy] })).await;
    let letter = play
        .dead_letter("render.submit", &json!({ "operation_id": "op_1" }))
        .await;
    play.until(&format!("/api/v1/dead-letters/{letter}"), |seen| {
        seen["next_action"] == "acknowledge"
    })
    .await;
    let order = play.order("op_1", "acknowledge").await;
    play.app
        .post(Role::Operator, "/api/v1/operations/op_1/recoveries", &order)
        .await
        .refused(422, "use_decision");
    play.decide("op_1", json!({ "decision": "acknowledge_obsolete" }))
        .await
        .expect(200);
    let seen = play.get(&format!("/api/v1/dead-letters/{letter}")).await;
    assert_eq!(seen["disposition"], "acknowledged");
    assert_eq!(seen["resurrection_count"], 0, "an acknowledgement counts nothing");
    assert_eq!(play.fixture.counts().total(), 0);
}

async fn outputs_that_fail_for_good_are_asked_of_a_person(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    succeeded(&play, vec![OutputScript::new("video/mp4")], json!([])).await;
    play.fixture
        .fault_output("gj_1", 0, Armed::forever(OutputFault::Status { status: 403 }));
    for _ in 0..3 {
        assert_eq!(play.plan("op_1").await["action"], "deliver");
        assert_eq!(play.recover("op_1", "deliver").await["state"], "failed");
    }
    let plan = play.plan("op_1").await;
    assert_eq!(plan["action"], "reconcile", "{plan:#}");
    play.decide("op_1", json!({ "decision": "outputs_lost", "indexes": [0] }))
        .await
        .expect(200);
    let record = play.record("op_1").await;
    assert_eq!(record["label"], "closed");
    assert_eq!(record["refund_unresolved"], true);
    assert_eq!(play.posts(), 0);
}
