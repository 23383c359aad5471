//! First proof of safety: the real binary is killed at each step of a dispatch, an observe and a deliver, and started again.

use super::play::config;
use crate::support::backend::{Backend, Kind};
use serde_json::{Value, json};
use server::database::Database;
use server::fixture::{Fixture, JobScript, OutputScript};
use server::storage::audit::{self, Verified};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A start, a lease and a repeated claim fit into it with room to spare on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program as an operator runs it, and what it works on.
struct Machine {
    fixture: Fixture,
    folder: TempDir,
    backend: Backend,
    database: Database,
    client: reqwest::Client,
    token: String,
    running: Option<(Child, String)>,
}

impl Machine {
    async fn new(kind: Kind) -> Option<Self> {
        let (backend, database) = Backend::open(kind).await?;
        let fixture = Fixture::start(([127, 0, 0, 1], 0).into())
            .await
            .expect("free ports");
        let folder = tempfile::tempdir().expect("a folder");
        let text = toml::to_string(&config(&fixture, &folder, "")).expect("the configuration as text");
        std::fs::write(folder.path().join("dlo.toml"), text).expect("a configuration file");
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let mut machine = Self {
            fixture,
            folder,
            backend,
            database,
            client,
            token: String::new(),
            running: None,
        };
        let made = machine
            .dlo("")
            .args(["tokens", "create", "--name", "test", "--role", "admin"])
            .output()
            .expect("dlo runs");
        machine.token = String::from_utf8(made.stdout).expect("text").trim().to_owned();
        assert!(
            machine.token.starts_with("dlo_"),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        Some(machine)
    }

    fn dlo(&self, failpoint: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dlo"));
        command
            .env("FAILPOINTS", failpoint)
            .arg("--config")
            .arg(self.folder.path().join("dlo.toml"))
            .args(["--database-url", &self.backend.url]);
        command
    }

    /// Starts the program; with a fail point, it halts there.
    fn start(&mut self, failpoint: Option<&str>) {
        let failpoints = failpoint.map(|name| format!("{name}=return")).unwrap_or_default();
        let mut child = self
            .dlo(&failpoints)
            .args(["serve", "--bind", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("dlo starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let address = lines
            .find_map(|line| line.ok()?.strip_prefix("Listening on ").map(str::to_owned))
            .expect("it says where it listens");
        self.running = Some((child, address));
    }

    /// Waits until the program says that it halted.
    fn halted(&mut self) {
        let (child, _) = self.running.as_mut().expect("it runs");
        let errors = BufReader::new(child.stderr.take().expect("its errors"));
        let halted = errors
            .lines()
            .map_while(Result::ok)
            .any(|line| line.starts_with("halted at"));
        assert!(halted, "it ended without halting");
    }

    /// SIGKILL: nothing of it runs any more.
    fn kill(&mut self) {
        let (mut child, _) = self.running.take().expect("it runs");
        child.kill().expect("it is killed");
        child.wait().expect("it is gone");
    }

    async fn call(&self, method: reqwest::Method, path: &str, body: Option<&Value>) -> (u16, Value) {
        let (_, address) = self.running.as_ref().expect("it runs");
        let mut request = self
            .client
            .request(method.clone(), format!("{address}/api/v1{path}"))
            .bearer_auth(&self.token);
        if method == reqwest::Method::PUT {
            request = request.header("if-none-match", "*");
        }
        if let Some(body) = body {
            request = request
                .header("idempotency-key", uuid::Uuid::new_v4().to_string())
                .json(body);
        }
        let answer = request.send().await.expect("an answer");
        (
            answer.status().as_u16(),
            answer.json().await.unwrap_or(Value::Null),
        )
    }

    async fn get(&self, path: &str) -> Value {
        let (status, value) = self.call(reqwest::Method::GET, path, None).await;
        assert_eq!(status, 200, "{path}: {value:#}");
        value
    }

    /// Owner, specification and one operation in the state that this action wants.
    async fn prepare(&self, action: &str) {
        let owner = json!({ "authorized": true, "remaining_credits": "100", "as_of": chrono::Utc::now().to_rfc3339() });
        self.call(reqwest::Method::PUT, "/owners/studio", Some(&owner))
            .await;
        let specification = json!({ "current_revision": 3, "model": "m", "model_available": true, "active": true, "estimated_credits": "12", "body": {} });
        self.call(
            reqwest::Method::PUT,
            "/specifications/spec_9",
            Some(&specification),
        )
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
        self.fixture.put_job("gj_k", script);
        let (status, value) = self
            .call(reqwest::Method::PUT, "/operations/op_k", Some(&record))
            .await;
        assert_eq!(status, 201, "{value:#}");
    }

    async fn confirm(&self, action: &str) -> String {
        let order = json!({ "revision": 1, "action": action, "reason": "kill me", "confirm": "op_k" });
        let (status, value) = self
            .call(reqwest::Method::POST, "/operations/op_k/recoveries", Some(&order))
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
        let verified = audit::verify(&self.database).await.expect("the audit is read");
        assert!(
            matches!(verified, Verified::Whole { entries } if entries >= 2),
            "{verified:?}"
        );
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.running.take() {
            // It may have ended already; then there is nothing to kill.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs one action to the fail point, kills the program there, starts it again and waits for the recovery's end.
async fn killed_at(kind: Kind, action: &str, point: &str) -> Option<(Machine, Value)> {
    let mut machine = Machine::new(kind).await?;
    machine.start(Some(point));
    machine.prepare(action).await;
    let recovery = machine.confirm(action).await;
    machine.halted();
    machine.kill();
    machine.start(None);
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
            machine.fixture.posts().len(),
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
        assert_eq!(machine.fixture.posts().len(), 0, "{point}");
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
            let file = machine.folder.path().join("copies").join(key);
            let bytes = std::fs::read(&file).expect("a published file");
            use sha2::Digest as _;
            assert_eq!(
                hex::encode(sha2::Sha256::digest(&bytes)),
                copy["sha256"].as_str().expect("a hash"),
                "{point}: a whole file"
            );
        }
        assert_eq!(machine.fixture.posts().len(), 0, "{point}");
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
