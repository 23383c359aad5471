//! The example application of `end2end/soniq_app`, set up and run by the commands of ADOPT.md: every one of them, in
//! their order.

use super::programs::{Running, Soniq, programs, root};
use crate::support::app::fresh_key;
use crate::support::backend::{Backend, Kind};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// The chapter being followed.
struct Reader {
    soniq: Soniq,
    /// What was exported so far.
    environment: BTreeMap<String, String>,
    folder: PathBuf,
    client: reqwest::Client,
    pretend: Option<Running>,
    serve: Option<Running>,
    worker: Option<Running>,
    /// Where the make-believe provider is.
    provider: String,
    operator: String,
    outputs: tempfile::TempDir,
}

/// The command lines of the chapter.
fn commands() -> Vec<String> {
    let manual = std::fs::read_to_string(root().join("ADOPT.md")).expect("ADOPT.md");
    let blocks = manual
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    blocks
        .flat_map(str::lines)
        .map(|line| line.split("  #").next().unwrap_or(line).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

impl Reader {
    fn new(programs: PathBuf, backend: &Backend) -> Self {
        let outputs = tempfile::tempdir().expect("a folder");
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_dlo"));
        let path = format!(
            "{}:{}:{}",
            binary.parent().expect("a folder").display(),
            programs.display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let copies = outputs.path().join("artifacts");
        let environment = [
            ("PATH", path.as_str()),
            ("DATABASE_URL", &backend.url),
            ("GENACE_API_KEY", "a key of the tests"),
            ("APP_PAUSE_SECONDS", "0"),
            (
                "APP_OUTPUTS",
                &outputs.path().join("outputs").display().to_string(),
            ),
            ("DLO_SERVER__BIND", "127.0.0.1:0"),
            ("DLO_ARTIFACTS__URL", &format!("file:{}", copies.display())),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("PYTHONUNBUFFERED", "1"),
            ("SONIQ_POOL_MIN_SIZE", "1"),
            ("NO_PROXY", "127.0.0.1"),
            ("no_proxy", "127.0.0.1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        Self {
            soniq: Soniq::new(programs, &backend.url),
            environment,
            folder: root().join("end2end/soniq_app"),
            client: reqwest::Client::builder().no_proxy().build().expect("a client"),
            pretend: None,
            serve: None,
            worker: None,
            provider: String::new(),
            operator: String::new(),
            outputs,
        }
    }

    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        // The program itself and not a shell around it, so that it can be told to stop.
        command
            .args(["-c", line])
            .current_dir(&self.folder)
            .envs(&self.environment);
        command
    }

    /// Runs a line to its end; answers what it printed.
    fn run(&self, line: &str) -> String {
        let mut child = self
            .shell(line)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        // What asks for a password is given one; what asks for nothing has ended, perhaps.
        child
            .stdin
            .take()
            .expect("an input")
            .write_all(b"a good password\n")
            .ok();
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{line}: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        said
    }

    fn start(&self, line: &str) -> Running {
        self.soniq.start("manual", self.shell(&format!("exec {line}")))
    }

    /// `export NAME=VALUE`; the test's own value stands where it has one.
    fn export(&mut self, assignment: &str) {
        let (name, value) = assignment.split_once('=').expect("NAME=VALUE");
        if !self.environment.contains_key(name) {
            let value = self.run(&format!("printf %s {value}"));
            self.environment.insert(name.to_owned(), value);
        }
    }

    /// Does what the line says, and what a reader would see then.
    async fn follow(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["pip", "install", "-r", file] => {
                // `./check` has installed it: its own list takes in this one.
                let listed = std::fs::read_to_string(root().join("end2end/soniq-requirements.txt"));
                let listed = listed.expect("a list");
                let wanted = std::fs::read_to_string(self.folder.join(file)).expect("a list");
                for wanted in wanted.lines() {
                    let pinned = if wanted.contains("==") {
                        wanted.to_owned()
                    } else {
                        format!("{wanted}==")
                    };
                    assert!(listed.lines().any(|line| line.starts_with(&pinned)), "{wanted}");
                }
            }
            ["export", ..] => self.export(&line["export ".len()..]),
            ["dlo", "providers", "pretend", ..] => {
                let mut pretend = self.start(&format!("{line} --bind 127.0.0.1:0"));
                let said = pretend.says("A make-believe provider: ").await;
                self.provider = said.split(',').next().unwrap_or_default().to_owned();
                for name in ["DLO_PROVIDERS__GENACE__BASE_URL", "GENACE_URL"] {
                    self.environment.insert(name.to_owned(), self.provider.clone());
                }
                self.pretend = Some(pretend);
            }
            ["dlo", "serve", ..] => {
                let mut serve = self.start(line);
                let office = serve.says("Listening on ").await;
                self.environment.insert("OFFICE_URL".to_owned(), office);
                self.serve = Some(serve);
            }
            ["soniq", "worker", ..] => {
                let mut worker = self.start(line);
                worker.says("Processing queues: ").await;
                self.worker = Some(worker);
            }
            ["dlo", "doctor", ..] => {
                let said = self.run(line);
                assert!(!said.contains("WRONG"), "{said}");
            }
            ["python", "app.py", operation, ..] => {
                self.script(json!([
                    { "do": "default_job", "script": {
                        "steps": [{ "state": "running" }, { "state": "succeeded" }],
                        "outputs": [{ "content_type": "image/png" }] } },
                    { "do": "fault_reads", "fault": { "kind": "status", "status": 500 }, "times": "forever" },
                ]))
                .await;
                self.run(line);
                self.recovers(operation).await;
            }
            ["psql", ..] => {
                for running in [self.worker.take(), self.serve.take(), self.pretend.take()] {
                    running.expect("it was started").stop().await;
                }
                self.run(line);
            }
            ["soniq", "setup"]
            | ["dlo", "migrate" | "operators" | "plan", ..]
            | ["dlo", "providers", "pause" | "list" | "resume", ..] => {
                self.run(line);
            }
            _ => panic!("ADOPT.md has a command that nobody follows here: {line}"),
        }
    }

    async fn script(&self, orders: Value) {
        let url = format!("{}/_fixture/script", self.provider);
        let answer = self
            .client
            .post(url)
            .json(&orders)
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), 200, "{:?}", answer.text().await);
    }

    async fn get(&self, path: &str) -> Value {
        let url = format!("{}/api/v1{path}", self.environment["OFFICE_URL"]);
        let request = self.client.get(url).bearer_auth(&self.operator);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.expect("JSON")
    }

    async fn until(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let value = self.get(path).await;
            if wanted(&value) {
                return value;
            }
            let worker = self.worker.as_ref().map(Running::said).unwrap_or_default();
            assert!(
                started.elapsed() < PATIENCE,
                "{path} stays {value:#}\nthe worker: {worker}"
            );
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Confirms the plan, which is this action, and waits for the recovery's end.
    async fn recover(&self, operation: &str, action: &str, letter: Option<&str>) -> Value {
        let started = Instant::now();
        let ordered = loop {
            match self.confirm(operation, action, letter).await {
                // A message that died just now is new evidence: the plan is read again, as a person would.
                (409, refused) if refused["code"] == "plan_stale" && started.elapsed() < PATIENCE => {}
                (202, ordered) => break ordered,
                (status, refused) => panic!("{status} {refused:#}"),
            }
        };
        let recovery = ordered["recovery_id"].as_str().expect("an id");
        self.until(&format!("/recoveries/{recovery}"), |value| {
            !value["finished_at"].is_null()
        })
        .await
    }

    async fn confirm(&self, operation: &str, action: &str, letter: Option<&str>) -> (u16, Value) {
        let plan = self.get(&format!("/operations/{operation}/plan")).await;
        assert_eq!(
            (&plan["action"], &plan["allowed"]),
            (&json!(action), &json!(true)),
            "{plan:#}"
        );
        let mut order =
            json!({ "revision": plan["revision"], "action": action, "reason": "the test asks for it" });
        if let Some(letter) = letter {
            order["dead_letter_id"] = letter.into();
        }
        let office = &self.environment["OFFICE_URL"];
        let request = self
            .client
            .post(format!("{office}/api/v1/operations/{operation}/recoveries"))
            .bearer_auth(&self.operator)
            .header("idempotency-key", fresh_key())
            .json(&order);
        let answer = request.send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// The story: the poll dies while the provider is away, and everything else is handed back to the application.
    async fn recovers(&mut self, operation: &str) {
        let made = self.run("dlo tokens create --name ops --role operator --database-url $DATABASE_URL");
        self.operator = made.trim().to_owned();
        let letters = self
            .until(&format!("/dead-letters?operation={operation}"), |list| {
                list["items"][0]["label"] == "render_in_progress"
            })
            .await;
        let letter = &letters["items"][0];
        assert_eq!(
            (&letter["job_name"], &letter["attempts"], &letter["next_action"]),
            (&json!("render.poll"), &json!(3), &json!("observe")),
            "{letter:#}"
        );
        let path = format!("/operations/{operation}");
        let record = self.get(&path).await;
        assert_eq!(
            (&record["phase"], &record["remote"]["fetch"]),
            (&json!("accepted"), &json!("server_error")),
            "{record:#}"
        );

        // The dead letter's own job is the next action: the application gets its message back, and reports to the
        // recovery that made it.
        self.script(json!({ "do": "clear_faults" })).await;
        let ended = self
            .recover(operation, "observe", Some(letter["id"].as_str().expect("an id")))
            .await;
        assert_eq!(ended["state"], "succeeded", "{ended:#}");
        let record = self.get(&path).await;
        assert_eq!(
            (
                &record["remote"]["execution"],
                &record["remote"]["source"],
                &record["phase"]
            ),
            (&json!("running"), &json!("reported"), &json!("accepted")),
            "{record:#}"
        );

        // Without a dead letter it gets `render.observe`. Its handler dies: the recovery ends by itself.
        self.script(
            json!({ "do": "fault_reads", "fault": { "kind": "status", "status": 500 }, "times": "forever" }),
        )
        .await;
        let ended = self.recover(operation, "observe", None).await;
        assert_eq!(ended["state"], "failed", "{ended:#}");
        let outcome = ended["outcome"].as_str().expect("an outcome");
        assert!(
            outcome.contains("died") && outcome.contains("server_error"),
            "{outcome}"
        );
        let buried = self.until("/dead-letters?job_name=render.observe", |list| {
            list["items"][0]["operation_id"] == operation
        });
        assert_eq!(buried.await["items"][0]["id"], ended["job_id"]);

        // And the operation can be recovered again.
        let job = record["remote"]["job_id"].as_str().expect("a job");
        self.script(json!([{ "do": "clear_faults" }, { "do": "move_on", "job_id": job }]))
            .await;
        let ended = self.recover(operation, "observe", None).await;
        assert_eq!(ended["state"], "succeeded", "{ended:#}");
        assert_eq!(self.get(&path).await["phase"], "succeeded");
        let ended = self.recover(operation, "deliver", None).await;
        assert_eq!(ended["state"], "succeeded", "{ended:#}");
        let record = self.get(&path).await;
        assert_eq!(
            (&record["phase"], &record["label"]),
            (&json!("delivered"), &json!("already_delivered")),
            "{record:#}"
        );
        // The application's own store has the bytes that it told of.
        let copy = &record["outputs"][0];
        let place = self
            .outputs
            .path()
            .join("outputs")
            .join(copy["storage_key"].as_str().expect("a key"));
        let bytes = std::fs::read(&place).expect("the output");
        assert_eq!(copy["bytes"], json!(bytes.len()));
        let posts: Value = self
            .client
            .get(format!("{}/_fixture/posts", self.provider))
            .send()
            .await
            .expect("an answer")
            .json()
            .await
            .expect("JSON");
        assert_eq!(
            posts.as_array().map(Vec::len),
            Some(1),
            "one render was paid for: {posts:#}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_manual_is_followed_command_by_command() {
    let Some(programs) = programs() else { return };
    let Some(backend) = Backend::empty(Kind::Postgres).await else {
        return;
    };
    let mut reader = Reader::new(programs, &backend);
    let commands = commands();
    assert!(commands.len() > 10, "{commands:#?}");
    for line in &commands {
        reader.follow(line).await;
    }
    assert!(
        !reader.operator.is_empty() && reader.serve.is_none(),
        "the chapter orders a render, and ends with leaving"
    );
}

#[test]
fn the_manual_shows_the_example_as_it_is() {
    let manual = std::fs::read_to_string(root().join("ADOPT.md")).expect("ADOPT.md");
    let mut shown = 0;
    for (language, file) in [("toml", "dlo.toml"), ("python", "app.py")] {
        let text = std::fs::read_to_string(root().join("end2end/soniq_app").join(file)).expect(file);
        let opening = format!("```{language}\n");
        let blocks = manual.split(&opening).skip(1);
        for block in blocks.filter_map(|rest| rest.split("```").next()) {
            assert!(text.contains(block.trim()), "{file} has no such part:\n{block}");
            shown += 1;
        }
    }
    assert!(shown >= 5, "only {shown} parts are shown");
}
