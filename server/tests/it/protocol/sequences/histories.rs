//! Random histories on real storage: whatever happened, nothing stays open and nothing stays reserved.

use crate::protocol::play::{ALL, Play};
use crate::support::backend::{Backend, Kind};
use app::domain::role::Role;
use serde_json::{Value, json};
use server::fixture::{CreateScript, JobScript};

/// A small generator of our own: the same histories on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

fn script(dice: &mut Dice) -> CreateScript {
    match dice.below(5) {
        0 => CreateScript::BadGatewayWithoutId { billed: true },
        1 => CreateScript::ResetBeforeAnswer { billed: false },
        2 => CreateScript::Rejected {
            status: 422,
            code: "moderation".into(),
            charged: None,
        },
        3 => CreateScript::AcceptedWithoutId { billed: true },
        _ => CreateScript::BadGatewayWithId,
    }
}

/// One random order; refusals are as good as answers.
async fn step(play: &Play, dice: &mut Dice, id: &str) {
    let path = format!("/api/v1/operations/{id}");
    match dice.below(8) {
        0..=2 => {
            play.fixture.script_create(id, script(dice));
            let action = play.plan(id).await["action"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            let order = play.order(id, &action).await;
            let answer = play
                .app
                .post(Role::Approver, &format!("{path}/recoveries"), &order)
                .await;
            if answer.status.as_u16() == 202 {
                let recovery = answer.json()["recovery_id"].as_str().expect("an id").to_owned();
                if dice.below(3) == 0 {
                    let cancel = format!("/api/v1/recoveries/{recovery}/cancel");
                    play.app
                        .post(Role::Operator, &cancel, &json!({ "reason": "at random" }))
                        .await;
                }
                play.ended(&recovery).await;
            }
        }
        3 => {
            let report = [
                json!({ "phase": "failed" }),
                json!({ "phase": "failed", "dispatch": "sent" }),
                json!({ "remote": { "job_id": format!("gj_{id}_{}", dice.below(2)) } }),
                json!({ "phase": "accepted" }),
            ][usize::try_from(dice.below(4)).unwrap_or(0)]
            .clone();
            let revision = play.record(id).await["revision"].as_i64().expect("a revision");
            play.app.patch(Role::Reporter, &path, revision, &report).await;
        }
        4..=6 => {
            let decision = [
                "close_unresolved",
                "reopen",
                "charge_accepted",
                "confirm_not_sent",
                "acknowledge_obsolete",
            ][usize::try_from(dice.below(5)).unwrap_or(0)];
            let mut body = json!({ "decision": decision });
            if decision == "confirm_not_sent" {
                body["evidence"] = "at random".into();
            }
            play.decide(id, body).await;
        }
        _ => play.facts("1000").await,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_history_leaves_a_reservation_behind() {
    let (backend, database) = Backend::open(Kind::Sqlite).await.expect("SQLite is always there");
    let play = Play::start_with(backend, database, ALL, "").await;
    let histories: u64 = if std::env::var_os("DLO_TEST_LONG").is_some() {
        300
    } else {
        12
    };
    let mut ids = Vec::new();
    for seed in 1..=histories {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let id = format!("op_{seed}");
        play.facts("1000").await;
        play.ready(&id).await;
        for n in 0..2 {
            play.fixture
                .put_job(&format!("gj_{id}_{n}"), JobScript::resting("running"));
        }
        for _ in 0..8 {
            step(&play, &mut dice, &id).await;
        }
        ids.push(id);
    }
    let begun = "SELECT COUNT(*) AS n FROM dlo_recoveries WHERE action = 'dispatch'";
    assert!(play.count(begun).await > 5, "the histories go somewhere");
    // People close what is open, and younger facts count what was accepted.
    for id in &ids {
        let record: Value = play.record(id).await;
        if record["plan"]["action"] != "acknowledge" {
            play.decide(id, json!({ "decision": "close_unresolved" }))
                .await
                .expect(200);
        }
    }
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    play.facts("1000").await;
    let open = "SELECT COUNT(*) AS n FROM dlo_recoveries WHERE finished_at IS NULL";
    let reserved = "SELECT COUNT(*) AS n FROM dlo_recoveries WHERE reservation_open";
    assert_eq!((play.count(open).await, play.count(reserved).await), (0, 0));
    for id in &ids {
        let posts = play.fixture.posts();
        let own = posts
            .iter()
            .filter(|post| post.client_reference.as_deref() == Some(id))
            .count();
        let sql = format!("SELECT COUNT(*) AS n FROM dlo_attempts WHERE operation_id = '{id}'");
        assert!(
            i64::try_from(own).unwrap_or(0) <= play.count(&sql).await,
            "{id}: one request per attempt"
        );
    }
}
