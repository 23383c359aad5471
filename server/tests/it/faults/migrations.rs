//! Migrations go forward over the data of every earlier version; a newer database is refused; a copy taken while people
//! work is whole, and can be put back.

use super::machine::{Process, Stage};
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use server::database::Database;
use server::storage::audit::{self, Verified};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Dumps of databases as earlier versions left them: `v2.sqlite.sql`, `v2.postgres.sql`, and so on. Version 1 alone is
/// Soniq's tables without ours.
fn dumps(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/versions");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the dumps")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(&format!(".{kind}.sql")))
        .collect();
    found.sort();
    found
}

/// What the dumps of both databases hold.
async fn holds_everything(database: &Database, dump: &Path) {
    let name = dump.display();
    let number = |sql: &'static str| raw::number(database, sql);
    assert_eq!(number("SELECT COUNT(*) FROM soniq_jobs").await, 2, "{name}");
    assert_eq!(
        number("SELECT COUNT(*) FROM soniq_dead_letter_jobs").await,
        2,
        "{name}"
    );
    if dump.to_string_lossy().contains("v1.") {
        return;
    }
    assert_eq!(number("SELECT COUNT(*) FROM dlo_operations").await, 3, "{name}");
    assert_eq!(
        number("SELECT COUNT(*) FROM dlo_recoveries WHERE finished_at IS NOT NULL").await,
        2,
        "{name}"
    );
    let verified = audit::verify(database).await.expect("the audit is read");
    assert!(
        matches!(verified, Verified::Whole { entries } if entries > 4),
        "{name}: {verified:?}"
    );
}

async fn every_earlier_version_is_brought_up(kind: Kind, ending: &str) {
    let dumps = dumps(ending);
    assert_eq!(dumps.len(), 2, "{dumps:?}");
    for dump in dumps {
        let Some(backend) = Backend::empty(kind).await else {
            return;
        };
        let database = Database::open(&backend.location).await.expect("it opens");
        let text = std::fs::read_to_string(&dump).expect("a dump");
        raw::script(&database, &text)
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", dump.display()));
        assert!(
            !database.is_current().await.expect("an answer"),
            "{}",
            dump.display()
        );
        database.migrate().await.expect("it migrates");
        assert!(database.is_current().await.expect("an answer"));
        holds_everything(&database, &dump).await;
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn migrations_go_forward_over_the_data_of_each_version() {
    tokio::join!(
        every_earlier_version_is_brought_up(Kind::Sqlite, "sqlite"),
        every_earlier_version_is_brought_up(Kind::Postgres, "postgres"),
    );
}

/// As a program of next year would have left it.
async fn made_newer(stage: &Stage) {
    stage
        .sql(
            "INSERT INTO dlo_migrations (version, description, installed_on, success, checksum, execution_time) \
             SELECT 9000, 'of next year', installed_on, success, checksum, execution_time FROM dlo_migrations \
             WHERE version = 2",
        )
        .await;
}

async fn a_newer_database_is_refused(kind: Kind) {
    let Some(stage) = Stage::new(kind, "").await else {
        return;
    };
    let running = stage.start("").await;
    made_newer(&stage).await;
    for command in [
        &["serve", "--bind", "127.0.0.1:0"][..],
        &["worker"],
        &["migrate"],
        &["audit", "verify"],
    ] {
        let done = stage
            .dlo(&stage.backend.url)
            .args(command)
            .output()
            .expect("dlo runs");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{command:?}: {said}");
        assert!(said.contains("newer program"), "{command:?}: {said}");
    }
    let ready = stage
        .client
        .get(format!("{}/readyz", running.at))
        .send()
        .await
        .expect("an answer");
    assert_eq!(ready.status(), 503);
    assert!(ready.text().await.expect("words").contains("newer program"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_program_refuses_a_newer_database() {
    tokio::join!(
        a_newer_database_is_refused(Kind::Sqlite),
        a_newer_database_is_refused(Kind::Postgres),
    );
}

/// The way that README describes: `VACUUM INTO` while the program runs; to restore, stop, put the file in place, start.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_taken_while_people_work_is_whole() {
    let stage = Stage::new(Kind::Sqlite, "").await.expect("a file");
    let file = stage.backend.folder().expect("a folder").join("test.db");
    let copy = stage.folder.path().join("copy.db");
    let process = stage.start("").await;
    super::bot::facts(&stage, &process.at).await;
    let mut bot = super::bot::Bot::new("copied", 5);
    let at = process.at.clone();
    let taken = async {
        while stage.count("SELECT COUNT(*) AS n FROM dlo_recoveries").await < 3 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let mut other = sqlx::SqliteConnection::connect(&format!("sqlite:{}", file.display()))
            .await
            .expect("the file opens");
        let sql = format!("VACUUM INTO '{}'", copy.display());
        other.execute(AssertSqlSafe(sql)).await.expect("a copy");
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    tokio::select! {
        () = taken => {}
        () = bot.work(&stage, &at) => {}
    }
    let before = stage.count("SELECT COUNT(*) AS n FROM dlo_operations").await;
    process.kill();
    restored(&stage, &file, &copy).await;
    let process: Process = stage.start("").await;
    let list = stage.get(&process.at, "/operations?limit=200").await;
    let kept = list["items"].as_array().map_or(0, Vec::len);
    assert!(kept > 0, "the copy holds what was there");
    assert!(i64::try_from(kept).expect("a count") <= before);
    stage.said(&["audit", "verify"]);
    let (status, took, errors) = process.terminate(Duration::from_secs(15)).await;
    assert!(status.success(), "{took:?}: {errors:?}");
}

/// Puts the copy in the place of the file, and of what SQLite keeps beside it.
async fn restored(stage: &Stage, file: &Path, copy: &Path) {
    stage.database.close().await;
    for beside in ["-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(beside);
        std::fs::remove_file(name).ok();
    }
    std::fs::rename(copy, file).expect("it is put in place");
}
