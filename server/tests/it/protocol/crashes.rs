//! First proof of safety: the real binary is killed at each step of a dispatch, an observe and a deliver, and started again.

use crate::faults::machine::{Call, Condition, Process, Stage};
use crate::support::backend::Kind;
use reqwest::Method;
use serde_json::{Value, json};
use server::fixture::{JobScript, OutputScript};
use server::storage::audit::{self, Verified};
use std::time::{Duration, Instant};

/// A start, a lease and a repeated claim fit into it with room to spare on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program as an operator runs it, and what it works on.
struct Machine {
    stage: Stage,
    running: Option<Process>,
}

impl Machine {
    async fn new(kind: Kind) -> Option<Self> {
        let stage = Stage::new(kind, "").await?;
        Some(Self { stage, running: None })
    }

    /// Starts the program; with a fail point, it halts there.
    async fn start(&mut self, failpoint: Option<&str>) {
        let failpoints = failpoint.map(|name| format!("{name}=return")).unwrap_or_default();
        self.running = Some(self.stage.start(&failpoints).await);
    }

    /// Waits until the program says that it halted.
    async fn halted(&mut self) {
        let process = self.running.as_mut().expect("it runs");
        assert!(process.halted(PATIENCE).await.is_some(), "it did not halt");
    }

    fn kill(&mut self) {
        self.running.take().expect("it runs").kill();
    }

    async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
        let at = &self.running.as_ref().expect("it runs").at;
        let mut call = Call::get(path);
        if method == Method::PUT {
            call = call.when(Condition::New);
        }
        call.method = method;
        call.body = body.cloned();
        self.stage.call(at, &call).await.expect("an answer")
    }

    async fn get(&self, path: &str) -> Value {
        let (status, value) = self.call(Method::GET, path, None).await;
        assert_eq!(status, 200, "{path}: {value:#}");
        value
    }

    /// Owner, specification and one operation in the state that this action wants.
    async fn prepare(&self, action: &str) {
        let owner = json!({ "authorized": true, "remaining_credits": "100", "as_of": chrono::Utc::now().to_rfc3339() });
        self.call(Method::PUT, "/owners/studio", Some(&owner)).await;
        let specification = json!({ "current_revision": 3, "model": "m", "model_available": true, "active": true, "estimated_credits": "12", "body": {} });
        self.call(Method::PUT, "/specifications/spec_9", Some(&specification))
            .await;
        let mut record = json!({ "provider": "genace", "account": "main", "owner": "studio", "specification": { "id": "spec_9", "revision": 3 }, "model": "m" });
        let state = match action {
            "dispatch" => json!({ "phase": "prepared", "dispatch": "confirmed_not_sent" }),
            "observe" => json!({ "phase": "accepted", "dispatch": "sent", "remote": { "job_id": "gj_k" } }),
            _ => {
                json!({ "phase": "succeeded", "dispatch": "sent", "remote": { "job_id": "gj_k", "fetch": "ok", "execution": "succeeded",
                "outputs": [{ "index": 0, "content_type": "video/mp4" }, { "index": 1, "content_type": "image/png" }] } })
            }
        };
        for (key, value) in state.as_object().expect("an object") {
            record[key] = value.clone();
        }
        let script = JobScript::succeeded(vec![
            OutputScript::new("video/mp4"),
            OutputScript::new("image/png"),
        ]);
        self.stage.fixture.put_job("gj_k", script);
        let (status, value) = self.call(Method::PUT, "/operations/op_k", Some(&record)).await;
        assert_eq!(status, 201, "{value:#}");
    }

    async fn confirm(&self, action: &str) -> String {
        let order = json!({ "revision": 1, "action": action, "reason": "kill me", "confirm": "op_k" });
        let (status, value) = self
            .call(Method::POST, "/operations/op_k/recoveries", Some(&order))
            .await;
        assert_eq!(status, 202, "{value:#}");
        value["recovery_id"].as_str().expect("an id").to_owned()
    }

    async fn ended(&self, recovery: &str) -> Value {
        let started = Instant::now();
        loop {
            let value = self.get(&format!("/recoveries/{recovery}")).await;
            if !value["finished_at"].is_null() {
                return value;
            }
            assert!(started.elapsed() < PATIENCE, "it stays open: {value:#}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn chain_is_whole(&self) {
        let verified = audit::verify(&self.stage.database)
            .await
            .expect("the audit is read");
        assert!(
            matches!(verified, Verified::Whole { entries } if entries >= 2),
            "{verified:?}"
        );
    }
}

/// Runs one action to the fail point, kills the program there, starts it again and waits for the recovery's end.
async fn killed_at(kind: Kind, action: &str, point: &str) -> Option<(Machine, Value)> {
    let mut machine = Machine::new(kind).await?;
    machine.start(Some(&format!("{action}.{point}"))).await;
    machine.prepare(action).await;
    let recovery = machine.confirm(action).await;
    machine.halted().await;
    machine.kill();
    machine.start(None).await;
    let ended = machine.ended(&recovery).await;
    machine.chain_is_whole().await;
    Some((machine, ended))
}

async fn a_dispatch_is_killed_at_each_step(kind: Kind) {
    // At each point: what the provider has seen, and how the recovery ends.
    let steps = [
        ("claimed", 1, "succeeded"),
        ("permitted", 0, "outcome_unknown"),
        ("before_send", 0, "outcome_unknown"),
        ("answered", 1, "outcome_unknown"),
        ("recorded", 1, "succeeded"),
    ];
    for (point, posts, state) in steps {
        let Some((machine, ended)) = killed_at(kind, "dispatch", point).await else {
            return;
        };
        assert_eq!(ended["state"], state, "{point}: {ended:#}");
        assert_eq!(
            machine.stage.fixture.posts().len(),
            posts,
            "{point}: never a second creation request"
        );
        let record = machine.get("/operations/op_k").await;
        let expected = if state == "succeeded" {
            "observe"
        } else {
            "reconcile"
        };
        assert_eq!(record["plan"]["action"], expected, "{point}: {record:#}");
    }
}

async fn an_observe_is_killed_at_each_step(kind: Kind) {
    for point in ["claimed", "permitted", "answered", "recorded"] {
        let Some((machine, ended)) = killed_at(kind, "observe", point).await else {
            return;
        };
        assert!(
            ["succeeded", "already_done"].contains(&ended["state"].as_str().unwrap_or("")),
            "{point}: {ended:#}"
        );
        let record = machine.get("/operations/op_k").await;
        assert_eq!(record["phase"], "succeeded", "{point}: {record:#}");
        assert_eq!(machine.stage.fixture.posts().len(), 0, "{point}");
    }
}

async fn a_deliver_is_killed_at_each_step(kind: Kind) {
    for point in ["claimed", "permitted", "answered", "copied", "recorded", "ended"] {
        let Some((machine, ended)) = killed_at(kind, "deliver", point).await else {
            return;
        };
        assert!(
            ["succeeded", "already_done"].contains(&ended["state"].as_str().unwrap_or("")),
            "{point}: {ended:#}"
        );
        let record = machine.get("/operations/op_k").await;
        assert_eq!(record["phase"], "delivered", "{point}: {record:#}");
        for copy in record["outputs"].as_array().expect("copies") {
            let key = copy["storage_key"].as_str().expect("a key");
            let file = machine.stage.copies().join(key);
            let bytes = std::fs::read(&file).expect("a published file");
            use sha2::Digest as _;
            assert_eq!(
                hex::encode(sha2::Sha256::digest(&bytes)),
                copy["sha256"].as_str().expect("a hash"),
                "{point}: a whole file"
            );
        }
        assert_eq!(machine.stage.fixture.posts().len(), 0, "{point}");
    }
}

macro_rules! on_both {
    ($($name:ident),+) => { $( mod $name {
        use super::Kind;
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn sqlite() { super::$name(Kind::Sqlite).await }
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn postgres() { super::$name(Kind::Postgres).await }
    } )+ };
}
on_both!(
    a_dispatch_is_killed_at_each_step,
    an_observe_is_killed_at_each_step,
    a_deliver_is_killed_at_each_step
);
