//! A stage for the real program: a database, a fixture provider, a folder of copies, and any number of processes on it.

use crate::protocol::play::config;
use crate::support::backend::{Backend, Kind};
use crate::support::process::signal;
use reqwest::Method;
use serde_json::Value;
use server::database::Database;
use server::fixture::Fixture;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Another build of the program than the one that was just made.
const PROGRAM: &str = "DLO_TEST_PROGRAM";

/// What every process works on. It outlives them all.
pub struct Stage {
    pub fixture: Fixture,
    pub folder: TempDir,
    pub backend: Backend,
    pub database: Database,
    pub client: reqwest::Client,
    /// Of an administrator who asks for things.
    pub token: String,
    /// Of another one, who approves.
    pub second: String,
    /// More of the configuration, as variables.
    pub environment: Vec<(String, String)>,
}

impl Stage {
    /// `None` where PostgreSQL is not offered. `more` is TOML of its own.
    pub async fn new(kind: Kind, more: &str) -> Option<Self> {
        let (backend, database) = Backend::open(kind).await?;
        Some(Self::on(backend, database, more).await)
    }

    /// As [`Stage::new`], on a database that is there and migrated.
    pub async fn on(backend: Backend, database: Database, more: &str) -> Self {
        let fixture = Fixture::start(([127, 0, 0, 1], 0).into())
            .await
            .expect("free ports");
        let folder = tempfile::tempdir().expect("a folder");
        let text = toml::to_string(&config(&fixture, &folder, more)).expect("the configuration as text");
        std::fs::write(folder.path().join("dlo.toml"), text).expect("a configuration file");
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            // The program dies all the time: a connection of yesterday is no use.
            .pool_max_idle_per_host(0)
            .timeout(Duration::from_secs(30))
            .build()
            .expect("a client");
        let mut stage = Self {
            fixture,
            folder,
            backend,
            database,
            client,
            token: String::new(),
            second: String::new(),
            environment: Vec::new(),
        };
        stage.token = stage.made_token("first");
        stage.second = stage.made_token("second");
        stage
    }

    fn made_token(&self, name: &str) -> String {
        let text = self.said(&["tokens", "create", "--name", name, "--role", "admin"]);
        assert!(text.starts_with("dlo_"), "{text}");
        text.trim().to_owned()
    }

    /// The program with its configuration, before its command.
    pub fn dlo(&self, database_url: &str) -> Command {
        // A long run must not notice that the program was built anew meanwhile.
        let program = std::env::var(PROGRAM).unwrap_or_else(|_| env!("CARGO_BIN_EXE_dlo").to_owned());
        let mut command = Command::new(program);
        command
            .env("RUST_LOG", "error")
            .envs(self.environment.iter().cloned())
            .arg("--config")
            .arg(self.folder.path().join("dlo.toml"))
            .args(["--database-url", database_url]);
        command
    }

    /// What a command that must succeed prints.
    pub fn said(&self, arguments: &[&str]) -> String {
        let done = self
            .dlo(&self.backend.url)
            .args(arguments)
            .output()
            .expect("dlo runs");
        assert!(
            done.status.success(),
            "dlo {arguments:?}: {}{}",
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stdout).expect("text")
    }

    /// Starts `serve` and waits until it listens.
    pub async fn start(&self, failpoints: &str) -> Process {
        let mut process = self.spawn(failpoints, &self.backend.url);
        process.listening().await;
        process
    }

    /// Starts `serve` on this database and waits for nothing.
    pub fn spawn(&self, failpoints: &str, database_url: &str) -> Process {
        let mut command = self.dlo(database_url);
        command
            .env("FAILPOINTS", failpoints)
            .args(["serve", "--bind", "127.0.0.1:0"]);
        Process::spawn(command)
    }

    /// Where the copies are.
    pub fn copies(&self) -> PathBuf {
        self.folder.path().join("copies")
    }

    /// Calls the API; `None` when there was no answer.
    pub async fn call(&self, at: &str, order: &Call) -> Option<(u16, Value)> {
        let token = if order.second { &self.second } else { &self.token };
        let mut request = self
            .client
            .request(order.method.clone(), format!("{at}/api/v1{}", order.path))
            .bearer_auth(token);
        request = match &order.condition {
            Some(Condition::New) => request.header("if-none-match", "*"),
            Some(Condition::Revision(revision)) => request.header("if-match", format!("\"{revision}\"")),
            None => request,
        };
        if let Some(body) = &order.body {
            request = request.header("idempotency-key", &order.key).json(body);
        }
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        let text = answer.text().await.ok()?;
        Some((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    /// A read that must succeed.
    pub async fn get(&self, at: &str, path: &str) -> Value {
        let started = Instant::now();
        loop {
            let (status, value) = self.call(at, &Call::get(path)).await.expect("an answer");
            // Connections to a database that was away are found out one by one.
            if status == 503 && started.elapsed() < Duration::from_secs(10) {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
            assert_eq!(status, 200, "{path}: {value:#}");
            return value;
        }
    }

    /// One number of the database.
    pub async fn count(&self, sql: &str) -> i64 {
        let mut tx = self.database.read().await.expect("begin");
        let row = tx.fetch_one(sql, vec![]).await.expect("a row");
        row.int("n").expect("a number")
    }

    /// Runs SQL as an administrator at the database would.
    pub async fn sql(&self, sql: &str) {
        let mut tx = self.database.write().await.expect("begin");
        tx.execute(sql, vec![]).await.expect("the statement runs");
        tx.commit().await.expect("commit");
    }
}

/// One call of the API, which may be sent again word for word.
#[derive(Debug, Clone)]
pub struct Call {
    pub method: Method,
    pub path: String,
    pub body: Option<Value>,
    pub key: String,
    pub condition: Option<Condition>,
    /// The second person calls.
    pub second: bool,
}

/// What must hold of the record.
#[derive(Debug, Clone)]
pub enum Condition {
    New,
    Revision(i64),
}

impl Call {
    pub fn get(path: &str) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub fn post(path: &str, body: Value) -> Self {
        Self::new(Method::POST, path, Some(body))
    }

    pub fn put(path: &str, body: Value) -> Self {
        Self::new(Method::PUT, path, Some(body))
    }

    fn new(method: Method, path: &str, body: Option<Value>) -> Self {
        Self {
            method,
            path: path.to_owned(),
            body,
            key: uuid::Uuid::new_v4().to_string(),
            condition: None,
            second: false,
        }
    }

    pub fn when(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    pub fn by_second(mut self) -> Self {
        self.second = true;
        self
    }
}

/// One running program. Dropped, it is killed.
pub struct Process {
    child: Child,
    /// `http://127.0.0.1:PORT`, once it listens.
    pub at: String,
    said: Arc<Mutex<Vec<String>>>,
    complained: Arc<Mutex<Vec<String>>>,
}

impl Process {
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("dlo starts");
        let said = collect(child.stdout.take().expect("its output"));
        let complained = collect(child.stderr.take().expect("its errors"));
        Self {
            child,
            at: String::new(),
            said,
            complained,
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it says where it listens.
    pub async fn listening(&mut self) {
        assert!(self.listens().await, "it does not listen: {:?}", self.errors());
    }

    /// Waits until it says where it listens; `false` when it ends before.
    pub async fn listens(&mut self) -> bool {
        let line = self
            .until(Duration::from_secs(60), |process| {
                let said = process.said.lock().expect("its lines");
                said.iter()
                    .find_map(|line| line.strip_prefix("Listening on ").map(str::to_owned))
            })
            .await;
        self.at = line.unwrap_or_default();
        !self.at.is_empty()
    }

    /// The fail point at which it stopped, if it stops within the time.
    pub async fn halted(&mut self, within: Duration) -> Option<String> {
        self.until(within, |process| {
            let complained = process.complained.lock().expect("its lines");
            complained
                .iter()
                .find_map(|line| line.strip_prefix("halted at ").map(str::to_owned))
        })
        .await
    }

    /// Looks again and again; stops looking when it has ended.
    async fn until<T>(&mut self, within: Duration, found: impl Fn(&Self) -> Option<T>) -> Option<T> {
        let started = Instant::now();
        loop {
            let ended = self.child.try_wait().expect("its state").is_some();
            if let Some(found) = found(self) {
                return Some(found);
            }
            if ended || started.elapsed() > within {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// What it wrote to standard error.
    pub fn errors(&self) -> Vec<String> {
        self.complained.lock().expect("its lines").clone()
    }

    /// SIGKILL: nothing of it runs any more.
    pub fn kill(mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it is gone");
    }

    /// SIGTERM, and how it ended and how long that took.
    pub async fn terminate(mut self, within: Duration) -> (ExitStatus, Duration, Vec<String>) {
        let started = Instant::now();
        self.tell_to_end();
        loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                return (status, started.elapsed(), self.errors());
            }
            assert!(started.elapsed() < within, "it does not end: {:?}", self.errors());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// SIGTERM alone.
    pub fn tell_to_end(&self) {
        signal(self.pid(), "-TERM");
    }

    /// It has ended by itself.
    pub fn ended(&mut self) -> bool {
        self.child.try_wait().expect("its state").is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(pipe: impl std::io::Read + Send + 'static) -> Arc<Mutex<Vec<String>>> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            kept.lock().expect("its lines").push(line);
        }
    });
    lines
}
