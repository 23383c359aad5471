//! People and an application that never give up: they report operations, follow plans, change their minds, and send an
//! order that was not answered again, word for word, as a client of an API with idempotency keys does.

use super::machine::{Call, Condition, Stage};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use server::fixture::{Armed, CreateScript, JobScript, Lasts, OutputScript, ReadFault};
use std::time::Duration;

/// What an operation is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Story {
    /// Ready to be sent; the provider answers as it likes.
    Send,
    /// Accepted; to be observed and delivered.
    Watch,
    /// Succeeded, with two outputs; to be delivered.
    Fetch,
    /// Failed and charged.
    Money,
    /// Its job cannot be read for long: our own job dies and becomes a dead letter.
    Die,
    /// A person closes it and opens it again.
    Decide,
}

const STORIES: [Story; 6] = [
    Story::Send,
    Story::Watch,
    Story::Fetch,
    Story::Money,
    Story::Die,
    Story::Decide,
];

/// One operation, and the order about it that was not answered yet.
pub struct Task {
    pub id: String,
    pub story: Story,
    pending: Option<Call>,
    steps: u32,
    reported: bool,
}

/// A dead letter without a record, and what was answered about it.
pub struct Letter {
    pub id: String,
    pub replays: Vec<String>,
    pub purged: bool,
    pub asked_to_purge: bool,
    pending: Option<Call>,
    steps: u32,
}

/// One person with their work; several of them work at the same time, each on operations of their own.
pub struct Bot {
    name: String,
    rng: StdRng,
    made: u32,
    /// Recoveries that were answered 202.
    pub recoveries: Vec<String>,
    /// Operations of before, which are looked at again at the end.
    pub done: Vec<Task>,
    pub open: Vec<Task>,
    pub letters: Vec<Letter>,
    /// Stops making new ones.
    pub winding_up: bool,
}

/// What a person has in hand at once.
const IN_HAND: usize = 4;
/// After so many steps an operation is left as it is.
const STEPS: u32 = 40;

/// The provider's job of an operation that begins with one.
fn job_of(operation: &str) -> String {
    format!("gj_{operation}")
}

fn two() -> Vec<OutputScript> {
    vec![
        OutputScript::new("video/mp4").bytes(200_000).with_sha256(),
        OutputScript::new("image/png"),
    ]
}

impl Bot {
    pub fn new(name: &str, seed: u64) -> Self {
        Self {
            name: name.to_owned(),
            rng: StdRng::seed_from_u64(seed),
            made: 0,
            recoveries: Vec::new(),
            done: Vec::new(),
            open: Vec::new(),
            letters: Vec::new(),
            winding_up: false,
        }
    }

    /// From now on the provider answers about every job: whoever waits for the next try succeeds with it. Otherwise each
    /// of them would have a pause of its own, of up to a minute.
    pub fn provider_heals(&self, stage: &Stage) {
        for task in self.done.iter().chain(&self.open) {
            if task.story == Story::Die {
                stage
                    .fixture
                    .put_job(&job_of(&task.id), JobScript::succeeded(two()));
            }
        }
    }

    /// Works on and on. Whoever awaits this drops it when the program dies.
    pub async fn work(&mut self, stage: &Stage, at: &str) {
        loop {
            if !self.round(stage, at).await {
                // Nobody listens (any more).
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// One step for everything in hand. `false` when nobody answered.
    pub async fn round(&mut self, stage: &Stage, at: &str) -> bool {
        let mut open = std::mem::take(&mut self.open);
        while open.len() < IN_HAND && !self.winding_up {
            open.push(self.new_task(stage));
        }
        self.open = open;
        let mut answered = true;
        for number in 0..self.open.len() {
            // Taken out and put back, so that a step that is dropped half way loses nothing.
            answered &= self.step(stage, at, number).await.is_some();
        }
        let (open, over): (Vec<Task>, Vec<Task>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|task| task.steps < STEPS || task.pending.is_some());
        self.open = open;
        self.done.extend(over);
        if self.letters.last().is_none_or(|letter| letter.steps > 3) && !self.winding_up {
            self.new_letter(stage).await;
        }
        answered & self.letter_step(stage, at).await.is_some()
    }

    fn new_task(&mut self, stage: &Stage) -> Task {
        self.made += 1;
        let story = *STORIES.choose(&mut self.rng).expect("stories");
        let id = format!(
            "op_{}_{}_{}",
            self.name,
            self.made,
            format!("{story:?}").to_lowercase()
        );
        let job = job_of(&id);
        match story {
            Story::Send => {
                let script = match self.rng.random_range(0..8) {
                    0 => CreateScript::BadGatewayWithId,
                    1 => CreateScript::BadGatewayWithoutId { billed: true },
                    2 => CreateScript::ResetBeforeAnswer { billed: true },
                    3 => CreateScript::Rejected {
                        status: 422,
                        code: "moderation".to_owned(),
                        charged: None,
                    },
                    4 => CreateScript::SlowAnswer { ms: 150 },
                    _ => CreateScript::Accepted,
                };
                stage.fixture.script_create(&id, script);
                let life = JobScript::succeeded(two()).first("queued", Lasts::Reads(1));
                stage.fixture.script_job(&id, life);
            }
            Story::Watch => {
                let life = JobScript::succeeded(two()).first("running", Lasts::Reads(1));
                stage.fixture.put_job(&job, life);
            }
            Story::Fetch => stage.fixture.put_job(&job, JobScript::succeeded(two())),
            Story::Money => stage.fixture.put_job(&job, JobScript::submission_failed(1)),
            Story::Die => {
                let never = ReadFault::Status {
                    status: 500,
                    retry_after_seconds: None,
                };
                let life = JobScript::succeeded(two()).read_fault(Armed::times(never, 6));
                stage.fixture.put_job(&job, life);
            }
            Story::Decide => {}
        }
        Task {
            id,
            story,
            pending: None,
            steps: 0,
            reported: false,
        }
    }

    /// Sends what was not answered yet, or decides on the next thing and sends that. `None`: nobody answered.
    async fn step(&mut self, stage: &Stage, at: &str, number: usize) -> Option<()> {
        if self.open[number].pending.is_none() {
            let call = self.next(stage, at, number).await?;
            self.open[number].steps += 1;
            self.open[number].pending = call;
        }
        let Some(call) = self.open[number].pending.clone() else {
            return Some(());
        };
        let (status, body) = stage.call(at, &call).await?;
        // Halted in the middle of the transaction of somebody else, it answers "try again": so we do.
        if status == 503 {
            return Some(());
        }
        assert!(status < 500, "{} {}: {status} {body:#}", call.method, call.path);
        self.open[number].pending = None;
        if call.condition.is_some() {
            self.open[number].reported = true;
        }
        if let (202, Some(id)) = (status, body["recovery_id"].as_str()) {
            self.recoveries.push(id.to_owned());
        }
        Some(())
    }

    /// The next order; `Some(None)`: nothing to do now.
    async fn next(&mut self, stage: &Stage, at: &str, number: usize) -> Option<Option<Call>> {
        let (id, story) = (self.open[number].id.clone(), self.open[number].story);
        if !self.open[number].reported {
            let put = Call::put(&format!("/operations/{id}"), first_report(&id, story));
            return Some(Some(put.when(Condition::New)));
        }
        let (status, record) = stage.call(at, &Call::get(&format!("/operations/{id}"))).await?;
        if status != 200 {
            return Some(None);
        }
        let revision = record["revision"].as_i64().unwrap_or(0);
        let path = format!("/operations/{id}");
        let active = record["recoveries"].as_array().and_then(|recoveries| {
            let mut active = recoveries
                .iter()
                .filter(|recovery| recovery["finished_at"].is_null());
            active.next().cloned()
        });
        if let Some(active) = active {
            return Some(self.about(&active));
        }
        if self.rng.random_bool(0.08) && record["phase"] != "delivered" {
            let body = json!({ "error": { "category": "timeout", "detail": "seen by the application" } });
            let mut call = Call::put(&path, body).when(Condition::Revision(revision));
            call.method = reqwest::Method::PATCH;
            return Some(Some(call));
        }
        let action = record["plan"]["action"].as_str().unwrap_or("").to_owned();
        Some(match action.as_str() {
            "dispatch" | "observe" | "deliver" | "inspect_accounting" => {
                let mut order = json!({ "revision": revision, "action": action, "reason": "the plan says so", "confirm": id });
                if let Some(letter) = record["dead_letters"]
                    .as_array()
                    .and_then(|letters| letters.first())
                {
                    order["dead_letter_id"] = letter["id"].clone();
                }
                order["follow"] = json!(action == "observe" && self.rng.random_bool(0.3));
                Some(Call::post(&format!("{path}/recoveries"), order))
            }
            // Who does not know whether it was sent does nothing here: the end of the play looks at it.
            "reconcile" if story == Story::Decide => {
                let decision =
                    json!({ "revision": revision, "decision": "close_unresolved", "reason": "not worth it" });
                Some(Call::post(&format!("{path}/decisions"), decision))
            }
            "acknowledge" if story == Story::Decide => {
                let decision = json!({ "revision": revision, "decision": "reopen", "reason": "it is" });
                Some(Call::post(&format!("{path}/decisions"), decision))
            }
            _ => None,
        })
    }

    /// About a recovery that is not over: wait, approve, or change one's mind.
    fn about(&mut self, recovery: &Value) -> Option<Call> {
        let path = format!("/recoveries/{}", recovery["id"].as_str()?);
        let reason = json!({ "reason": "as agreed" });
        match recovery["state"].as_str()? {
            "awaiting_approval" if self.rng.random_bool(0.85) => {
                Some(Call::post(&format!("{path}/approve"), reason).by_second())
            }
            "awaiting_approval" => Some(Call::post(&format!("{path}/cancel"), reason)),
            "requested" if self.rng.random_bool(0.2) => Some(Call::post(&format!("{path}/cancel"), reason)),
            "requested" | "running" if recovery["action"] == "deliver" && self.rng.random_bool(0.3) => {
                // Handed back it is not: the office refuses, and audits that.
                let report = json!({ "outcome": "failed", "category": "other" });
                Some(Call::post(&format!("{path}/report"), report))
            }
            _ => None,
        }
    }

    async fn new_letter(&mut self, stage: &Stage) {
        let id = uuid::Uuid::new_v4().to_string();
        let mut tx = stage.database.write().await.expect("begin");
        let now = tx.now();
        let args = format!("{{\"operation_id\": \"nobody_knows_{id}\"}}");
        tx.execute(
            "INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, \
             last_error, dead_letter_reason, original_created_at, moved_to_dead_letter_at, resurrection_count, created_at) \
             VALUES ($1, 'render.poll', $2, 'render', 50, 3, 3, 'timeout', 'max_retries_exceeded', $3, $3, 0, $3)",
            vec![
                id.parse::<uuid::Uuid>().expect("an id").into(),
                server::database::Value::Json(serde_json::value::RawValue::from_string(args).ok()),
                now.into(),
            ],
        )
        .await
        .expect("a dead letter");
        tx.commit().await.expect("commit");
        self.letters.push(Letter {
            id,
            replays: Vec::new(),
            purged: false,
            asked_to_purge: false,
            pending: None,
            steps: 0,
        });
    }

    async fn letter_step(&mut self, stage: &Stage, at: &str) -> Option<()> {
        let choice = self.rng.random_range(0..8);
        let linked = self.done.last().map(|task| task.id.clone());
        let Some(letter) = self.letters.last_mut() else {
            return Some(());
        };
        let path = format!("/dead-letters/{}", letter.id);
        if letter.pending.is_none() {
            if letter.steps > 3 {
                return Some(());
            }
            letter.steps += 1;
            letter.pending = Some(match (choice, linked) {
                (0, _) => Call::post(&format!("{path}/acknowledge"), json!({ "reason": "seen" })),
                (1, _) => Call::post(
                    &format!("{path}/purge"),
                    json!({ "reason": "old", "confirm": letter.id }),
                ),
                (2, Some(operation)) => Call::post(
                    &format!("{path}/link"),
                    json!({ "reason": "its own", "operation_id": operation }),
                ),
                _ => Call::post(&format!("{path}/replay"), json!({ "reason": "once more" })),
            });
        }
        let call = letter.pending.clone()?;
        letter.asked_to_purge |= call.path.ends_with("/purge");
        let (status, body) = stage.call(at, &call).await?;
        if status == 503 {
            return Some(());
        }
        assert!(status < 500, "{} {}: {status} {body:#}", call.method, call.path);
        letter.pending = None;
        if let (200, Some(job)) = (status, body["job_id"].as_str()) {
            letter.replays.push(job.to_owned());
        }
        letter.purged |= status == 200 && body["purged"] == true;
        Some(())
    }
}

/// What the application says of an operation of this story.
fn first_report(id: &str, story: Story) -> Value {
    let mut body = json!({
        "provider": "genace", "account": "main", "owner": "studio",
        "specification": { "id": "spec_9", "revision": 3 }, "model": "m",
    });
    let job = format!("gj_{id}");
    let more = match story {
        Story::Send => json!({ "phase": "prepared", "dispatch": "confirmed_not_sent" }),
        Story::Watch | Story::Die => {
            json!({ "phase": "accepted", "dispatch": "sent", "remote": { "job_id": job } })
        }
        Story::Fetch => {
            json!({ "phase": "succeeded", "dispatch": "sent", "remote": { "job_id": job, "fetch": "ok", "execution": "succeeded",
                "outputs": [{ "index": 0, "content_type": "video/mp4" }, { "index": 1, "content_type": "image/png" }] } })
        }
        Story::Money => {
            json!({ "phase": "failed", "dispatch": "sent", "remote": { "job_id": job, "fetch": "ok", "execution": "failed" },
                "charge": { "state": "charged", "charged": "12" } })
        }
        Story::Decide => json!({ "phase": "accepted", "dispatch": "sent" }),
    };
    for (key, value) in more.as_object().expect("an object") {
        body[key] = value.clone();
    }
    body
}

/// Owner and specification, as every dispatch needs them.
pub async fn facts(stage: &Stage, at: &str) {
    let owner = json!({ "authorized": true, "remaining_credits": "1000000", "as_of": chrono::Utc::now().to_rfc3339() });
    stage.call(at, &Call::put("/owners/studio", owner)).await;
    let specification = json!({ "current_revision": 3, "model": "m", "model_available": true, "active": true, "estimated_credits": "12", "body": {} });
    stage
        .call(at, &Call::put("/specifications/spec_9", specification))
        .await;
}
