//! Two-person approval (`approvals.dispatch = 2`).

use crate::protocol::play::{ALL, NO_WORKER, Play};
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::{Value, json};
use server::background::Duties;
use server::database::Database;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

crate::on_every_backend!(
    a_wait_for_nobody_ends_by_itself,
    a_wait_can_be_cancelled_and_asked_for_again,
    an_approval_after_the_record_moved_ends_it,
    a_guard_that_blocks_at_approval_keeps_it_waiting,
    who_was_dismissed_creates_nothing,
);

const TWO: &str = "[approvals]\ndispatch = 2";

async fn asked(play: &Play, id: &str) -> Value {
    let order = play.order(id, "dispatch").await;
    let path = format!("/api/v1/operations/{id}/recoveries");
    let answer = play
        .app
        .post(Role::Approver, &path, &order)
        .await
        .expect(202)
        .json();
    assert_eq!(
        (&answer["state"], &answer["job_id"]),
        (&json!("awaiting_approval"), &Value::Null)
    );
    answer
}

fn of(answer: &Value, verb: &str) -> String {
    format!(
        "/api/v1/recoveries/{}/{verb}",
        answer["recovery_id"].as_str().expect("an id")
    )
}

async fn a_wait_for_nobody_ends_by_itself(backend: Backend, database: Database) {
    let short = "[approvals]\ndispatch = 2\napproval_seconds = 1";
    let play = Play::start_with(backend, database, ALL, short).await;
    play.ready("op_1").await;
    let waiting = asked(&play, "op_1").await;
    // It counts as active, and has no queue job.
    let order = play.order("op_1", "dispatch").await;
    play.app
        .post(Role::Admin, "/api/v1/operations/op_1/recoveries", &order)
        .await
        .refused(409, "recovery_active");
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM soniq_jobs").await, 0);
    let ended = play.ended(waiting["recovery_id"].as_str().expect("an id")).await;
    assert_eq!(ended["state"], "refused", "{ended:#}");
    play.app
        .post(
            Role::Admin,
            &of(&waiting, "approve"),
            &json!({ "reason": "too late" }),
        )
        .await
        .refused(422, "not_allowed_here");
    let reserved = "SELECT COUNT(*) AS n FROM dlo_recoveries WHERE reservation_open";
    assert_eq!((play.count(reserved).await, play.posts()), (0, 0));
}

async fn a_wait_can_be_cancelled_and_asked_for_again(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, ALL, TWO).await;
    play.ready("op_1").await;
    let first = asked(&play, "op_1").await;
    let cancelled = play
        .app
        .post(
            Role::Operator,
            &of(&first, "cancel"),
            &json!({ "reason": "not today" }),
        )
        .await
        .expect(200)
        .json();
    assert_eq!(cancelled["state"], "cancelled");
    let second = asked(&play, "op_1").await;
    play.app
        .post(
            Role::Operator,
            &of(&second, "approve"),
            &json!({ "reason": "me" }),
        )
        .await
        .refused(403, "role_required");
    let approved = play
        .app
        .post(
            Role::Admin,
            &of(&second, "approve"),
            &json!({ "reason": "I agree" }),
        )
        .await
        .expect(200)
        .json();
    assert_eq!(
        (
            &approved["state"],
            &approved["requested_by"],
            &approved["approved_by"]
        ),
        (&json!("requested"), &json!("test-approver"), &json!("test-admin"))
    );
    let ended = play.ended(second["recovery_id"].as_str().expect("an id")).await;
    assert_eq!((&ended["state"], play.posts()), (&json!("succeeded"), 1));
}

async fn an_approval_after_the_record_moved_ends_it(backend: Backend, database: Database) {
    // Nobody reconciles here: the approval itself must see it.
    let nobody = Duties {
        worker: false,
        housekeeping: false,
    };
    let play = Play::start_with(backend, database, nobody, TWO).await;
    play.ready("op_1").await;
    let waiting = asked(&play, "op_1").await;
    let report = json!({ "model": "another" });
    play.app
        .patch(Role::Reporter, "/api/v1/operations/op_1", 1, &report)
        .await
        .expect(200);
    let refused = play
        .app
        .post(
            Role::Admin,
            &of(&waiting, "approve"),
            &json!({ "reason": "I agree" }),
        )
        .await
        .refused(409, "plan_stale");
    assert_eq!(refused["plan"]["revision"], 2);
    let path = format!(
        "/api/v1/recoveries/{}",
        waiting["recovery_id"].as_str().expect("an id")
    );
    assert_eq!(play.get(&path).await["state"], "refused");
    assert_eq!(play.count("SELECT COUNT(*) AS n FROM soniq_jobs").await, 0);
}

async fn a_guard_that_blocks_at_approval_keeps_it_waiting(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, TWO).await;
    play.ready("op_1").await;
    let waiting = asked(&play, "op_1").await;
    play.facts("11").await;
    play.app
        .post(
            Role::Admin,
            &of(&waiting, "approve"),
            &json!({ "reason": "I agree" }),
        )
        .await
        .refused(422, "guard_blocked");
    play.facts("12").await;
    play.app
        .post(
            Role::Admin,
            &of(&waiting, "approve"),
            &json!({ "reason": "I agree" }),
        )
        .await
        .expect(200);
}

async fn who_was_dismissed_creates_nothing(backend: Backend, database: Database) {
    let play = Play::start_with(backend, database, NO_WORKER, TWO).await;
    for (id, gone) in [("op_1", "test-approver"), ("op_2", "test-admin")] {
        play.ready(id).await;
        let waiting = asked(&play, id).await;
        play.app
            .post(
                Role::Admin,
                &of(&waiting, "approve"),
                &json!({ "reason": "I agree" }),
            )
            .await
            .expect(200);
        play.sql(&format!(
            "UPDATE dlo_tokens SET revoked_at = created_at WHERE name = '{gone}'"
        ))
        .await;
        let stop = CancellationToken::new();
        let duties = Duties {
            worker: true,
            housekeeping: false,
        };
        let working = server::background::start(&play.app.office, duties, &stop).expect("the worker starts");
        let ended = play.ended(waiting["recovery_id"].as_str().expect("an id")).await;
        assert_eq!(ended["state"], "refused", "{ended:#}");
        assert!(
            ended["outcome"]
                .as_str()
                .is_some_and(|words| words.contains(gone)),
            "{ended:#}"
        );
        stop.cancel();
        server::background::finish(working, Duration::from_secs(20)).await;
        play.sql("UPDATE dlo_tokens SET revoked_at = NULL").await;
    }
    assert_eq!(play.posts(), 0);
}
