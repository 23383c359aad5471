//! The real Soniq's programs: its command line, its worker, and an application's console.

use crate::support::backend::{Backend, Kind};
use crate::support::process::signal;
use serde_json::{Value, json};
use server::database::Database;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The folder of Soniq's programs.
const PROGRAMS: &str = "DLO_TEST_SONIQ";
/// Set by `./check`: a missing Soniq fails instead of being left out.
const REQUIRED: &str = "DLO_TEST_REQUIRE_SONIQ";
/// The modules of jobs.
const JOBS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/soniq_jobs");
/// No program takes longer to start or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Soniq on one database.
pub struct Soniq {
    programs: PathBuf,
    url: String,
    /// Where what the programs say is kept.
    logs: tempfile::TempDir,
}

/// A PostgreSQL database with both schemas, and the real Soniq on it; `None` where either is not offered.
pub async fn both() -> Option<(Backend, Database, Soniq)> {
    let programs = programs()?;
    let (backend, database) = Backend::open(Kind::Postgres).await?;
    let soniq = Soniq::new(programs, &backend.url);
    soniq.run(&["setup"]);
    Some((backend, database, soniq))
}

/// The folder of Soniq's programs, where it is offered.
pub fn programs() -> Option<PathBuf> {
    match std::env::var(PROGRAMS) {
        Ok(programs) => Some(PathBuf::from(programs)),
        Err(_) => {
            assert!(
                std::env::var(REQUIRED).is_err(),
                "{PROGRAMS} is not set and Soniq is required"
            );
            eprintln!("left out: the real Soniq ({PROGRAMS} is not set; ./check sets it)");
            None
        }
    }
}

impl Soniq {
    pub fn new(programs: PathBuf, url: &str) -> Self {
        Self {
            programs,
            url: url.to_owned(),
            logs: tempfile::tempdir().expect("a folder"),
        }
    }

    /// A program of the Python environment, which finds the database and the modules of jobs.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command
            .current_dir(JOBS)
            .env("SONIQ_DATABASE_URL", &self.url)
            .env("SONIQ_POOL_MIN_SIZE", "1")
            // What is done stays to be counted.
            .env("SONIQ_RESULT_TTL", "3600")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYTHONUNBUFFERED", "1")
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1");
        command
    }

    /// Runs `soniq` to its end; answers what it printed.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> String {
        let answer = self
            .program("soniq")
            .args(arguments)
            .output()
            .expect("soniq runs");
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert!(
            answer.status.success(),
            "soniq {arguments:?}: {text} {}",
            String::from_utf8_lossy(&answer.stderr)
        );
        text
    }

    /// Starts `soniq worker` and waits until it works: registered, and looking for work.
    pub async fn worker(&self, database: &Database, arguments: &[&str]) -> Running {
        self.worker_that_polls(database, arguments, Duration::from_secs(1))
            .await
    }

    /// As [`Soniq::worker`], looking for work by itself only so often: what it starts sooner was announced.
    pub async fn worker_that_polls(
        &self,
        database: &Database,
        arguments: &[&str],
        poll: Duration,
    ) -> Running {
        let mut command = self.program("soniq");
        command
            .args(["worker", "--jobs-modules", "jobs"])
            .args(arguments)
            .env("SONIQ_POLL_INTERVAL", poll.as_secs().to_string());
        let worker = self.start("worker", command);
        let alive = format!(
            "SELECT COUNT(*) AS n FROM soniq_workers WHERE status = 'active' AND pid = {}",
            worker.child.id()
        );
        let started = Instant::now();
        loop {
            let row = database.look_up(&alive, vec![]).await.expect("a row");
            if row.is_some_and(|row| row.int("n").expect("a number") == 1) {
                break;
            }
            assert!(started.elapsed() < PATIENCE, "{}", worker.said());
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        // It registers just before it first looks for work.
        tokio::time::sleep(Duration::from_millis(500)).await;
        worker
    }

    /// Starts a program that runs until it is told to stop; what it says is kept.
    pub fn start(&self, name: &str, mut command: Command) -> Running {
        let log = self.logs.path().join(format!("{name}-{}", uuid::Uuid::new_v4()));
        let said = File::create(&log).expect("a log");
        let child = command
            .stdin(Stdio::null())
            .stdout(said.try_clone().expect("a second handle"))
            .stderr(said)
            .spawn()
            .unwrap_or_else(|error| panic!("{name} starts: {error}"));
        Running { child, log }
    }

    /// An application's console.
    pub fn console(&self) -> Console {
        let mut child = self
            .program("python")
            .arg("jobs.py")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python runs");
        let input = child.stdin.take().expect("an input");
        let mut output = BufReader::new(child.stdout.take().expect("an output"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        assert_eq!(line.trim(), "ready");
        Console { child, input, output }
    }
}

/// A running program. It is killed with the value, unless it was stopped before.
pub struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    /// What it said so far.
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).expect("its log")
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it has said these words; answers the rest of their line.
    pub async fn says(&mut self, words: &str) -> String {
        let started = Instant::now();
        loop {
            let said = self.said();
            // The last line may not be whole yet.
            let whole = said.rfind('\n').map_or("", |end| &said[..end]);
            if let Some((_, rest)) = whole.lines().find_map(|line| line.split_once(words)) {
                return rest.to_owned();
            }
            assert!(
                started.elapsed() < PATIENCE && self.child.try_wait().expect("a status").is_none(),
                "{words:?} was not said: {said}"
            );
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Asks it to end, and waits until it has.
    pub async fn stop(mut self) {
        signal(self.child.id(), "-TERM");
        let started = Instant::now();
        while self.child.try_wait().expect("a status").is_none() {
            assert!(started.elapsed() < PATIENCE, "it does not end: {}", self.said());
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A Python process that enqueues, counts, lists and replays through Soniq's own interfaces.
pub struct Console {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Console {
    /// Gives one order; answers what came of it.
    #[track_caller]
    pub fn ask(&mut self, order: &Value) -> Value {
        writeln!(self.input, "{order}").expect("the console listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{order}: {error}: {line:?}"))
    }

    /// Enqueues jobs `(name, args)`; answers their ids.
    #[track_caller]
    pub fn enqueue(&mut self, jobs: &[(&str, Value)]) -> Vec<String> {
        let jobs: Vec<Value> = jobs
            .iter()
            .map(|(name, args)| json!({ "name": name, "args": args }))
            .collect();
        let ids = self.ask(&json!({ "do": "enqueue", "jobs": jobs }));
        ids.as_array()
            .expect("a list of ids")
            .iter()
            .map(|id| id.as_str().expect("an id").to_owned())
            .collect()
    }

    /// Says whether renders fail from now on.
    pub fn break_renders(&mut self, broken: bool) {
        self.ask(&json!({ "do": "break", "broken": broken }));
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The middle of some durations, and the longest.
pub fn median_and_longest(mut all: Vec<Duration>) -> (Duration, Duration) {
    all.sort_unstable();
    (all[all.len() / 2], all[all.len() - 1])
}
