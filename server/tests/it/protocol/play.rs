//! A stage for one test: the office with its worker, a fixture provider, and the words to steer both.

use crate::support::app::TestApp;
use crate::support::backend::Backend;
use app::domain::role::Role;
use serde_json::{Value, json};
use server::background::Duties;
use server::config::{Config, Flags};
use server::database::Database;
use server::fixture::Fixture;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Nothing in these tests takes longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Everything that works.
pub const ALL: Duties = Duties {
    worker: true,
    housekeeping: true,
};
/// Pages and API alone: nothing claims.
pub const NO_WORKER: Duties = Duties {
    worker: false,
    housekeeping: true,
};

/// The configuration of a play, with this fixture; `more` is TOML of its own.
pub fn config(fixture: &Fixture, folder: &TempDir, more: &str) -> Config {
    let key = folder.path().join("key");
    std::fs::write(&key, "a key of the tests").expect("a key file");
    let worker = if more.contains("[worker]") {
        ""
    } else {
        "[worker]\nlease_seconds = 4\npoll_seconds = 1"
    };
    let artifacts = if more.contains("[artifacts]") {
        String::new()
    } else {
        format!(
            "[artifacts]\nurl = \"file:{}\"\n",
            folder.path().join("copies").display()
        )
    };
    let text = format!(
        "{artifacts}[retries]\nmax_attempts = 2\nbackoff_seconds = [0]\n\
         {worker}\n{more}\n\
         [providers.genace]\nprofile = \"genace\"\napi_key_env = \"\"\napi_key_file = \"{}\"\nbase_url = \"{}\"\naccount = \"main\"\n\
         allow_hosts = [\"{}\"]\ntimeout_seconds = 2\n",
        key.display(),
        fixture.base_url(),
        fixture.output_host(),
    );
    Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration")
}

/// The stage.
pub struct Play {
    pub app: TestApp,
    pub fixture: Fixture,
    pub folder: TempDir,
}

impl Play {
    pub async fn start(backend: Backend, database: Database) -> Self {
        Self::start_with(backend, database, ALL, "").await
    }

    pub async fn start_with(backend: Backend, database: Database, duties: Duties, more: &str) -> Self {
        let fixture = Fixture::start(([127, 0, 0, 1], 0).into())
            .await
            .expect("free ports");
        let folder = tempfile::tempdir().expect("a folder");
        let config = config(&fixture, &folder, more);
        let app = TestApp::start_with(backend, database, config, duties).await;
        let play = Self { app, fixture, folder };
        play.facts("100").await;
        play
    }

    /// Owner and specification as they should be, with this much to spend. One render costs 12.
    pub async fn facts(&self, remaining: &str) {
        let now = chrono::Utc::now().to_rfc3339();
        let owner = json!({ "authorized": true, "remaining_credits": remaining, "as_of": now });
        self.app
            .send(self.put("/api/v1/owners/studio", &owner))
            .await
            .expect(200);
        self.specification(json!({})).await;
    }

    /// The specification, with some fields otherwise.
    pub async fn specification(&self, other: Value) {
        let mut facts = json!({
            "current_revision": 3, "model": "aurora-video-2", "model_available": true, "active": true,
            "estimated_credits": "12", "body": { "prompt": "a red fox", "model": "aurora-video-2" },
        });
        for (key, value) in other.as_object().expect("an object") {
            facts[key] = value.clone();
        }
        self.app
            .send(self.put("/api/v1/specifications/spec_9", &facts))
            .await
            .expect(200);
    }

    pub fn put(&self, path: &str, body: &Value) -> reqwest::RequestBuilder {
        self.app
            .client
            .put(self.app.url(path))
            .bearer_auth(self.app.token(Role::Reporter))
            .json(body)
    }

    /// Reports a new operation with these fields beside the usual ones.
    pub async fn operation(&self, id: &str, fields: Value) -> Value {
        let mut body = json!({
            "provider": "genace", "account": "main", "owner": "studio",
            "specification": { "id": "spec_9", "revision": 3 }, "model": "aurora-video-2", "phase": "prepared",
        });
        for (key, value) in fields.as_object().expect("an object") {
            body[key] = value.clone();
        }
        self.app
            .put(Role::Reporter, &format!("/api/v1/operations/{id}"), &body)
            .await
            .expect(201)
            .json()
    }

    /// An operation that is ready to be sent.
    pub async fn ready(&self, id: &str) -> Value {
        self.operation(id, json!({ "dispatch": "confirmed_not_sent" }))
            .await
    }

    /// An accepted operation with this job.
    pub async fn accepted(&self, id: &str, job: &str) -> Value {
        self.operation(
            id,
            json!({ "phase": "accepted", "dispatch": "sent", "remote": { "job_id": job } }),
        )
        .await
    }

    pub async fn get(&self, path: &str) -> Value {
        self.app.get(Role::Viewer, path).await.expect(200).json()
    }

    pub async fn record(&self, id: &str) -> Value {
        self.get(&format!("/api/v1/operations/{id}")).await
    }

    /// The plan as an approver reads it.
    pub async fn plan(&self, id: &str) -> Value {
        self.app
            .get(Role::Approver, &format!("/api/v1/operations/{id}/plan"))
            .await
            .expect(200)
            .json()
    }

    /// What confirms the plan as it is now.
    pub async fn order(&self, id: &str, action: &str) -> Value {
        let revision = self.record(id).await["revision"].clone();
        let mut order = json!({ "revision": revision, "action": action, "reason": "the test asks for it" });
        if action == "dispatch" {
            order["confirm"] = id.into();
        }
        order
    }

    /// Confirms the plan; answers the recovery's id.
    pub async fn confirm(&self, id: &str, action: &str) -> String {
        let order = self.order(id, action).await;
        let path = format!("/api/v1/operations/{id}/recoveries");
        let answer = self
            .app
            .post(Role::Approver, &path, &order)
            .await
            .expect(202)
            .json();
        answer["recovery_id"].as_str().expect("an id").to_owned()
    }

    /// Waits until the recovery has ended.
    pub async fn ended(&self, recovery: &str) -> Value {
        let path = format!("/api/v1/recoveries/{recovery}");
        self.until(&path, |value| !value["finished_at"].is_null()).await
    }

    /// Confirms the plan and waits for its end.
    pub async fn recover(&self, id: &str, action: &str) -> Value {
        let recovery = self.confirm(id, action).await;
        self.ended(&recovery).await
    }

    /// Asks again and again until the answer is as wanted.
    pub async fn until(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let value = self.get(path).await;
            if wanted(&value) {
                return value;
            }
            assert!(started.elapsed() < PATIENCE, "{path} stays {value:#}");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Records a decision at the current revision.
    pub async fn decide(&self, id: &str, decision: Value) -> crate::support::app::Answer {
        let revision = self.record(id).await["revision"].clone();
        let mut body = decision;
        body["revision"] = revision;
        body["reason"] = "the test decides".into();
        self.app
            .post(
                Role::Approver,
                &format!("/api/v1/operations/{id}/decisions"),
                &body,
            )
            .await
    }

    /// Creation requests that the provider has seen.
    pub fn posts(&self) -> usize {
        self.fixture.posts().len()
    }

    /// Writes a dead letter as somebody else's worker would, and answers its id.
    pub async fn dead_letter(&self, job_name: &str, args: &Value) -> String {
        let id = uuid::Uuid::new_v4();
        let mut tx = self.app.office.database.write().await.expect("begin");
        let raw = serde_json::value::to_raw_value(args).expect("args");
        let now = tx.now();
        tx.execute(
            "INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, \
             last_error, dead_letter_reason, original_created_at, moved_to_dead_letter_at, resurrection_count, created_at) \
             VALUES ($1, $2, $3, 'render', 50, 3, 3, 'timeout: read timeout', 'max_retries_exceeded', $4, $4, 0, $4)",
            vec![
                id.into(),
                job_name.into(),
                server::database::Value::Json(Some(raw)),
                now.into(),
            ],
        )
        .await
        .expect("a dead letter");
        tx.commit().await.expect("commit");
        // Known within a second: then its evidence has counted the revision on.
        let known = format!("SELECT COUNT(*) AS n FROM dlo_messages WHERE message_id = '{id}'");
        while self.count(&known).await == 0 {
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        id.to_string()
    }

    /// How often this SQL counts.
    pub async fn count(&self, sql: &str) -> i64 {
        let mut tx = self.app.office.database.read().await.expect("begin");
        tx.fetch_one(sql, vec![])
            .await
            .expect("a row")
            .int("n")
            .expect("a number")
    }

    /// Runs SQL as an administrator at the database would.
    pub async fn sql(&self, sql: &str) {
        let mut tx = self.app.office.database.write().await.expect("begin");
        tx.execute(sql, vec![]).await.expect("the statement runs");
        tx.commit().await.expect("commit");
    }
}

/// The verdict of one guard in a plan or a refusal.
pub fn verdict<'a>(plan: &'a Value, guard: &str) -> &'a str {
    plan["guards"]
        .as_array()
        .and_then(|guards| guards.iter().find(|entry| entry["guard"] == guard))
        .and_then(|entry| entry["verdict"].as_str())
        .unwrap_or("absent")
}
