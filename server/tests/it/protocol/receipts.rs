//! Classified by receipt, not by status code.

use super::play::Play;
use crate::support::backend::Backend;
use crate::support::raw;
use serde_json::json;
use server::database::Database;
use server::fixture::CreateScript;

crate::on_every_backend!(
    a_502_with_an_id_is_accepted,
    lost_answers_stay_unknown,
    a_rejection_costs_nothing_where_the_profile_says_so,
    a_refused_connection_is_not_sent,
    a_person_confirms_that_nothing_was_sent,
    an_unreadable_record_loses_no_id,
);

async fn a_502_with_an_id_is_accepted(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.ready("op_1").await;
    play.fixture.script_next_create(CreateScript::BadGatewayWithId);
    let ended = play.recover("op_1", "dispatch").await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(record["phase"], "accepted");
    assert!(record["remote"]["job_id"].is_string());
    assert_eq!(record["plan"]["action"], "observe");
    assert_eq!(play.posts(), 1);
}

async fn lost_answers_stay_unknown(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    let scripts = [
        ("op_502", CreateScript::BadGatewayWithoutId { billed: true }),
        ("op_reset", CreateScript::ResetBeforeAnswer { billed: true }),
        (
            "op_timeout",
            CreateScript::HangAfterRead {
                billed: true,
                ms: 3_000,
            },
        ),
        (
            "op_html",
            CreateScript::HtmlError {
                status: 500,
                billed: false,
            },
        ),
        ("op_noid", CreateScript::AcceptedWithoutId { billed: true }),
    ];
    for (posts, (id, script)) in scripts.into_iter().enumerate() {
        play.ready(id).await;
        play.fixture.script_create(id, script);
        let ended = play.recover(id, "dispatch").await;
        assert_eq!(ended["state"], "outcome_unknown", "{id}: {ended:#}");
        let record = play.record(id).await;
        assert_eq!(
            (&record["phase"], &record["dispatch"]),
            (&json!("submitting"), &json!("outcome_unknown")),
            "{id}"
        );
        assert_eq!(record["label"], "submission_outcome_unknown", "{id}");
        assert_eq!(record["plan"]["action"], "reconcile", "{id}");
        assert_eq!(play.posts(), posts + 1, "{id}");
    }
    // The worker goes on working; nothing automatic leaves the state, and the leases end.
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    assert_eq!(play.record("op_502").await["phase"], "submitting");
    assert_eq!(play.posts(), 5);
    let order = play.order("op_502", "dispatch").await;
    use app::domain::role::Role;
    play.app
        .post(Role::Approver, "/api/v1/operations/op_502/recoveries", &order)
        .await
        .refused(409, "plan_stale");
}

async fn a_rejection_costs_nothing_where_the_profile_says_so(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.ready("op_422").await;
    play.fixture.script_create(
        "op_422",
        CreateScript::Rejected {
            status: 422,
            code: "moderation".into(),
            charged: None,
        },
    );
    assert_eq!(play.recover("op_422", "dispatch").await["state"], "failed");
    let record = play.record("op_422").await;
    assert_eq!(
        (&record["phase"], &record["dispatch"]),
        (&json!("failed"), &json!("sent"))
    );
    assert_eq!(record["label"], "submission_rejected");
    assert_eq!(record["charge"]["state"], "none");
    assert_eq!(record["plan"]["action"], "acknowledge");
    play.ready("op_403").await;
    play.fixture.script_create(
        "op_403",
        CreateScript::Rejected {
            status: 403,
            code: "forbidden".into(),
            charged: None,
        },
    );
    assert_eq!(play.recover("op_403", "dispatch").await["state"], "failed");
    let record = play.record("op_403").await;
    assert_eq!(
        record["charge"]["state"], "unknown",
        "a refusal with 403 says nothing about money"
    );
    assert_eq!(
        (&record["plan"]["action"], &record["plan"]["effect"]),
        (&json!("inspect_accounting"), &json!("records_decision"))
    );
    assert_eq!(record["refund_unresolved"], true);
}

async fn a_refused_connection_is_not_sent(backend: Backend, database: Database) {
    let mut play = Play::start(backend, database).await;
    play.ready("op_1").await;
    let nobody = server::fixture::Fixture::start(([127, 0, 0, 1], 0).into())
        .await
        .expect("free ports");
    // The provider goes away: its port refuses connections from now on.
    let provider = std::mem::replace(&mut play.fixture, nobody);
    provider.stop().await;
    let ended = play.recover("op_1", "dispatch").await;
    assert_eq!(ended["state"], "failed", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["phase"], &record["dispatch"]),
        (&json!("prepared"), &json!("confirmed_not_sent"))
    );
    assert_eq!(record["plan"]["action"], "dispatch");
    assert_eq!(
        play.count("SELECT COUNT(*) AS n FROM dlo_recoveries WHERE reservation_open")
            .await,
        0
    );
}

async fn a_person_confirms_that_nothing_was_sent(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.ready("op_1").await;
    play.fixture
        .script_create("op_1", CreateScript::BadGatewayWithoutId { billed: false });
    play.recover("op_1", "dispatch").await;
    let decision = json!({ "decision": "confirm_not_sent", "evidence": "the provider's support looked" });
    play.decide("op_1", decision.clone())
        .await
        .refused(422, "not_allowed_here");
    // After the provider's timeout and the lease nobody can be sending any more.
    tokio::time::sleep(std::time::Duration::from_secs(7)).await;
    play.decide("op_1", decision).await.expect(200);
    let record = play.record("op_1").await;
    assert_eq!(
        (&record["phase"], &record["dispatch"]),
        (&json!("prepared"), &json!("confirmed_not_sent")),
        "{record:#}"
    );
    play.facts("100").await;
    assert_eq!(play.recover("op_1", "dispatch").await["state"], "succeeded");
    assert_eq!(play.posts(), 2, "one of them by a person's word");
}

/// The record breaks while its creation is on the way. The answer is the only trace of a paid render.
async fn an_unreadable_record_loses_no_id(backend: Backend, database: Database) {
    let play = Play::start(backend, database).await;
    play.ready("op_1").await;
    play.fixture
        .script_create("op_1", CreateScript::SlowAnswer { ms: 1_000 });
    let recovery = play.confirm("op_1", "dispatch").await;
    let database = &play.app.office.database;
    let started = std::time::Instant::now();
    while play.posts() == 0 {
        assert!(
            started.elapsed() < std::time::Duration::from_secs(20),
            "nothing is sent"
        );
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let break_it = "UPDATE dlo_operations SET phase = 'no such phase' WHERE id = 'op_1'";
    raw::script(database, break_it).await.expect("it breaks");
    let kept = "SELECT COUNT(*) FROM dlo_receipts WHERE operation_id = 'op_1' AND job_id IS NOT NULL";
    while raw::number(database, kept).await == 0 {
        assert!(
            started.elapsed() < std::time::Duration::from_secs(30),
            "the receipt is not kept"
        );
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let mend = "UPDATE dlo_operations SET phase = 'submitting' WHERE id = 'op_1'";
    raw::script(database, mend).await.expect("it is mended");
    let ended = play
        .until(&format!("/api/v1/recoveries/{recovery}"), |value| {
            !value["finished_at"].is_null()
        })
        .await;
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let record = play.record("op_1").await;
    assert_eq!(record["plan"]["action"], "observe", "{record:#}");
    assert_eq!(play.posts(), 1, "it is bought once");
}
