//! An office with callers of each kind, and somebody who asks providers by script.

use app::desk::{Candidates, Code, DecisionOrder, DeskError, OperationView};
use app::domain::decision::Decision;
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::Operation;
use app::domain::plan::Plan;
use app::domain::remote::{Execution, Fetch};
use app::domain::role::{Caller, Role};
use app::domain::transition::Observation;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use server::config::{Config, Flags};
use server::database::Database;
use server::office::{Asks, Office};
use server::values;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// A configured provider with a search, and short bounds.
pub const CONFIG: &str = "[providers.genace]\nprofile = \"genace\"\nbase_url = \"https://api.example.test\"\n\
                          account = \"main\"\n\n[worker]\nlease_seconds = 30\n";

/// Answers as it was told.
#[derive(Default)]
pub struct Script {
    /// What a read says; `None`: not found.
    pub execution: Mutex<Option<Execution>>,
    pub found: Mutex<Vec<JobId>>,
    pub reads: Mutex<u32>,
}

impl Script {
    pub fn says(&self, execution: Execution) {
        *self.execution.lock().expect("script") = Some(execution);
    }

    pub fn finds(&self, job_id: &str) {
        self.found.lock().expect("script").push(JobId::from(job_id));
    }

    pub fn reads(&self) -> u32 {
        *self.reads.lock().expect("script")
    }
}

#[async_trait]
impl Asks for Script {
    async fn observe(&self, _operation: &Operation, _job_id: &JobId) -> Observation {
        *self.reads.lock().expect("script") += 1;
        let execution = *self.execution.lock().expect("script");
        Observation {
            fetch: if execution.is_some() {
                Fetch::Ok
            } else {
                Fetch::NotFound
            },
            execution,
            reason: None,
            raw_status: None,
            outputs: None,
            outputs_expected: None,
            charge: None,
            observed_at: Utc::now(),
        }
    }

    async fn search(&self, _operation: &Operation) -> Candidates {
        let job_ids = self.found.lock().expect("script").clone();
        Candidates {
            searched: true,
            job_ids,
            detail: "searched".to_owned(),
        }
    }
}

/// The office with everybody who comes to it.
pub struct Desk {
    pub office: Arc<Office>,
    pub script: Arc<Script>,
    pub reporter: Caller,
    pub operator: Caller,
    pub approver: Caller,
}

fn caller(name: &str, role: Role) -> Caller {
    Caller {
        name: name.to_owned(),
        role,
    }
}

impl Desk {
    pub fn new(database: Database) -> Self {
        Self::configured(database, CONFIG)
    }

    pub fn configured(database: Database, text: &str) -> Self {
        let config = Config::from_parts(Some(text), &[], &Flags::default()).expect("a configuration");
        let script = Arc::new(Script::default());
        let asks: Arc<dyn Asks> = script.clone();
        Self {
            office: Arc::new(Office::new(database, Arc::new(config)).asking(asks)),
            script,
            reporter: caller("app", Role::Reporter),
            operator: caller("ann", Role::Operator),
            approver: caller("bob", Role::Approver),
        }
    }

    pub fn database(&self) -> &Database {
        &self.office.database
    }

    /// `PUT` of a record with the required fields; `more` wins.
    pub async fn put(&self, id: &str, more: Value) -> Result<OperationView, DeskError> {
        let mut body = json!({
            "provider": "genace", "owner": "owner-1", "specification": {"id": "spec-1", "revision": 3},
            "phase": "prepared",
        });
        for (name, value) in more.as_object().expect("an object") {
            body[name.as_str()] = value.clone();
        }
        self.office
            .put_operation(&self.reporter, &OperationId::from(id), &body)
            .await
    }

    pub async fn made(&self, id: &str, more: Value) -> OperationView {
        self.put(id, more).await.expect("an operation is made")
    }

    pub async fn patch(&self, id: &str, revision: i64, body: Value) -> Result<OperationView, DeskError> {
        self.office
            .patch_operation(&self.reporter, &OperationId::from(id), revision, &body)
            .await
    }

    pub async fn view(&self, id: &str) -> OperationView {
        self.office
            .operation(&self.operator, &OperationId::from(id))
            .await
            .expect("an operation")
    }

    /// A decision by the approver at the newest revision, under a new key.
    pub async fn decide(&self, id: &str, decision: Decision) -> Result<(i64, Plan), DeskError> {
        let revision = self.view(id).await.revision;
        self.decide_as(
            &self.approver,
            id,
            revision,
            decision,
            &Uuid::new_v4().to_string(),
        )
        .await
    }

    pub async fn decide_as(
        &self,
        caller: &Caller,
        id: &str,
        revision: i64,
        decision: Decision,
        key: &str,
    ) -> Result<(i64, Plan), DeskError> {
        let order = DecisionOrder {
            revision,
            reason: "because".to_owned(),
            decision,
        };
        self.office
            .decide(caller, &OperationId::from(id), order, key)
            .await
    }

    pub async fn refused(&self, id: &str, decision: Decision) -> Code {
        self.decide(id, decision).await.expect_err("refused").code
    }

    /// An active recovery, as its confirmation writes it.
    pub async fn activate(&self, operation: &str) {
        let mut tx = self.database().write().await.expect("begin");
        let now = tx.now();
        tx.execute(
            "INSERT INTO dlo_recoveries (id, operation_id, action, effect, state, requested_by, requested_role, reason, \
             revision_before, created_at, heard_at) \
             VALUES ($1, $2, 'observe', 'reads_status', 'requested', 'ann', 'operator', 'r', 1, $3, $4)",
            values![Uuid::new_v4(), &OperationId::from(operation), now, now],
        )
        .await
        .expect("recovery");
        tx.commit().await.expect("commit");
    }

    /// A dead letter, as a worker's move leaves it.
    pub async fn dies(&self, job_name: &str, args: Value, died_at: DateTime<Utc>) -> Uuid {
        let id = Uuid::new_v4();
        let mut tx = self.database().write().await.expect("begin");
        let args = serde_json::value::to_raw_value(&args).expect("json");
        tx.execute(
            "INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, \
             last_error, dead_letter_reason, original_created_at, moved_to_dead_letter_at, resurrection_count) \
             VALUES ($1, $2, $3, 'default', 100, 3, 3, 'timed out', 'max_retries_exceeded', $4, $5, 0)",
            values![id, job_name, args, died_at, died_at],
        )
        .await
        .expect("dead letter");
        tx.commit().await.expect("commit");
        id
    }

    /// Reads all dead letters that nobody has read yet.
    pub async fn project(&self) {
        let messages = &self.office.config.messages;
        server::storage::messages::project(self.database(), messages, 1000)
            .await
            .expect("projected");
    }
}
