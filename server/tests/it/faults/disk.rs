//! The disk under a SQLite file is full: a real one, of a few megabytes, in a mount namespace of the program's own.

use super::bot::facts;
use super::database::{ask, heals};
use super::machine::{Call, Condition, Process, Stage};
use super::person;
use super::stop::{confirm, ended, posted, put, until};
use crate::support::backend::Kind;
use serde_json::{Value, json};
use server::fixture::CreateScript;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Where a machine lets nobody make a namespace, `./check` still asks for it.
const REQUIRED: &str = "DLO_TEST_REQUIRE_DISK";
/// Mounts a small disk, puts the database there, and becomes the program.
const ON_A_SMALL_DISK: &str =
    r#"mount -t tmpfs -o size=8m tmpfs "$0" && cp "$1" "$0/test.db" && shift && exec "$@""#;

/// Root needs no user of a namespace's own.
fn namespace() -> Option<Vec<&'static str>> {
    let ways = [vec!["--mount"], vec!["--mount", "--map-root-user"]];
    let found = ways.into_iter().find(|way| {
        Command::new("unshare")
            .args(way)
            .args(["sh", "-c", "mount -t tmpfs tmpfs /mnt"])
            .output()
            .is_ok_and(|done| done.status.success())
    });
    assert!(
        found.is_some() || std::env::var_os(REQUIRED).is_none(),
        "no namespace can be made here, and {REQUIRED} asks for one"
    );
    if found.is_none() {
        eprintln!("left out: a full disk (no mount namespace can be made here)");
    }
    found
}

/// The program on a disk of its own.
struct Small {
    process: Process,
    /// The disk, as others see it.
    disk: PathBuf,
}

impl Small {
    async fn start(stage: &Stage, namespace: &[&str]) -> Self {
        let (disk, seed) = (
            stage.folder.path().join("disk"),
            stage.folder.path().join("seed.db"),
        );
        std::fs::create_dir(&disk).expect("a folder");
        let mut other = sqlx::SqliteConnection::connect(&stage.backend.url)
            .await
            .expect("the file opens");
        let sql = format!("VACUUM INTO '{}'", seed.display());
        other.execute(AssertSqlSafe(sql)).await.expect("a copy");
        let dlo = stage.dlo(&format!("sqlite:{}", disk.join("test.db").display()));
        let mut command = Command::new("unshare");
        command
            .args(namespace)
            .args(["sh", "-c", ON_A_SMALL_DISK])
            .args([&disk, &seed])
            .arg(dlo.get_program())
            .args(dlo.get_args())
            .args(["serve", "--bind", "127.0.0.1:0"]);
        for (name, value) in dlo.get_envs() {
            command.env(name, value.expect("a value"));
        }
        let mut process = Process::spawn(command);
        process.listening().await;
        let root = PathBuf::from(format!("/proc/{}/root", process.pid()));
        let disk = root.join(disk.strip_prefix("/").expect("absolute"));
        assert!(disk.join("test.db").exists(), "the database is on the small disk");
        Self { process, disk }
    }

    fn filler(&self) -> PathBuf {
        self.disk.join("filler")
    }

    /// Writes until nothing more goes in.
    fn fill(&self) {
        let mut file = std::fs::File::create(self.filler()).expect("a file");
        let full = (0..64 * 1024).find_map(|_| file.write_all(&[0; 1024]).err());
        assert_eq!(full.expect("it fills").kind(), std::io::ErrorKind::StorageFull);
    }

    fn free(&self) {
        std::fs::remove_file::<&Path>(self.filler().as_ref()).expect("room again");
    }
}

/// Reports an operation that takes more room than is left in what is allocated already.
async fn report(stage: &Stage, at: &str, id: &str) -> (u16, Value) {
    let body = json!({
        "provider": "genace", "account": "main", "owner": "studio", "phase": "prepared",
        "specification": { "id": "spec_9", "revision": 3 },
        "error": { "category": "other", "detail": "x ".repeat(15_000) },
    });
    let call = Call::put(&format!("/operations/{id}"), body).when(Condition::New);
    stage.call(at, &call).await.expect("an answer")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_said_loses_nothing_and_heals() {
    let Some(namespace) = namespace() else { return };
    let stage = Stage::new(Kind::Sqlite, "").await.expect("a file");
    person::exists(&stage).await;
    let small = Small::start(&stage, &namespace).await;
    let at = small.process.at.clone();
    let cookie = person::signed_in(&stage, &at).await;
    facts(&stage, &at).await;
    let ready = json!({ "phase": "prepared", "dispatch": "confirmed_not_sent" });
    put(&stage, &at, "op_r", ready).await;

    // A render is bought, and there is no room to write down which.
    stage
        .fixture
        .script_create("op_r", CreateScript::SlowAnswer { ms: 1500 });
    let recovery = confirm(&stage, &at, "op_r", "dispatch", false).await;
    posted(&stage, 1).await;
    small.fill();
    let refused = refused(&stage, &at).await;
    assert_eq!(refused["code"], "unavailable", "{refused:#}");
    let words = refused["detail"].as_str().expect("words");
    assert!(
        words.contains("full") && words.contains("Reading still works"),
        "{words}"
    );
    let said = ask(&stage, format!("{at}/readyz"), "").await;
    assert!(
        said.status == 503 && said.text.contains("full"),
        "{} {}",
        said.status,
        said.text
    );
    for path in ["/dead-letters", "/operations/op_r", "/queues"] {
        let said = ask(&stage, format!("{at}{path}"), &cookie).await;
        assert_eq!(said.status, 200, "{path}: {}", said.text);
    }
    // Its answer has come by now.
    tokio::time::sleep(Duration::from_secs(3)).await;
    small.free();
    heals(&stage, &at).await;

    // The program that was there all the time takes orders again, and has lost nothing.
    let (status, body) = report(&stage, &at, "op_after").await;
    assert_eq!(status, 201, "{body:#}");
    let record = until(&stage, &at, "/operations/op_r", |record| {
        record["remote"]["job_id"].is_string()
    })
    .await;
    assert_eq!(record["phase"], "accepted", "{record:#}");
    assert_eq!(ended(&stage, &at, &recovery).await["state"], "succeeded");
    assert_eq!(stage.fixture.posts().len(), 1, "it is bought once");
    let refused_ids = (0..FILLING).map(|number| format!("op_full_{number}"));
    for id in refused_ids {
        let (status, _) = stage
            .call(&at, &Call::get(&format!("/operations/{id}")))
            .await
            .expect("an answer");
        assert!(status == 200 || status == 404, "{id} is half there: {status}");
    }
}

/// At most so many are reported until one is refused.
const FILLING: usize = 80;

/// Reports until there is no room.
async fn refused(stage: &Stage, at: &str) -> Value {
    let started = Instant::now();
    for number in 0..FILLING {
        let (status, body) = report(stage, at, &format!("op_full_{number}")).await;
        if status == 503 {
            return body;
        }
        assert_eq!(status, 201, "{body:#}");
        assert!(started.elapsed() < Duration::from_secs(60), "it is never full");
    }
    panic!("a full disk takes {FILLING} reports");
}
