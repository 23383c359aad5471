//! The store of copies: quotas, reading back, cleaning up, URLs.

use crate::support::provider::Stage;
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::ErrorCategory;
use chrono::Utc;
use futures::TryStreamExt;
use server::artifacts::{Artifacts, Wanted};
use server::config;
use server::fixture::{JobScript, OutputScript, output_body};
use std::time::Duration;

fn at(url: &str) -> config::Artifacts {
    config::Artifacts {
        url: url.to_owned(),
        ..config::Artifacts::default()
    }
}

async fn deliver(stage: &Stage, store: &Artifacts, job: &str) -> Result<String, ErrorCategory> {
    let script = JobScript::succeeded(vec![OutputScript::new("image/png").bytes(4096)]);
    stage.fixture.put_job(job, script);
    let (operation, job) = (OperationId::from("op-1"), JobId::from(job));
    let answer = stage.reader().jobs.observe(&job).await;
    let wanted = Wanted {
        operation: &operation,
        job: &job,
        link: &answer.links[0],
    };
    let stored = store.deliver_output(&stage.reader().outputs, &wanted).await;
    stored
        .map(|stored| stored.storage_key)
        .map_err(|error| error.category)
}

#[tokio::test]
async fn a_full_store_says_so_and_takes_more_when_there_is_room() {
    let stage = Stage::new("").await;
    let folder = stage.folder.path().join("small");
    let store =
        Artifacts::from_config(&at(&format!("file:{}?quota_bytes=9000", folder.display()))).expect("a store");
    let first = deliver(&stage, &store, "gj_1").await.expect("it fits");
    assert!(deliver(&stage, &store, "gj_2").await.is_ok());
    assert_eq!(
        deliver(&stage, &store, "gj_3").await,
        Err(ErrorCategory::StorageFull)
    );
    std::fs::remove_file(folder.join(first)).expect("it was there");
    assert!(deliver(&stage, &store, "gj_3").await.is_ok());
}

#[tokio::test]
async fn what_is_published_can_be_read_back() {
    let stage = Stage::new("").await;
    for url in [stage.config.artifacts.url.clone(), "memory:".to_owned()] {
        let store = Artifacts::from_config(&at(&url)).expect("a store");
        let key = deliver(&stage, &store, "gj_1").await.expect("it is delivered");
        let content = store.open(&key).await.expect("it is there");
        assert_eq!((content.bytes, content.content_type), (4096, "image/png"));
        let pieces: Vec<_> = content.stream.try_collect().await.expect("it is read");
        assert_eq!(pieces.concat(), output_body("gj_1", 0, "image/png", 4096));
        for bad in [
            "op-1/gj_1/1.png",
            "../key",
            "/etc/passwd",
            ".staging/x/y",
            "s3://bucket/key",
            "",
        ] {
            assert_eq!(
                store.open(bad).await.err().map(|error| error.category),
                Some(ErrorCategory::NotFound),
                "{bad}"
            );
        }
    }
}

#[tokio::test]
async fn what_dead_processes_left_is_cleaned_away() {
    let stage = Stage::new("").await;
    let store = Artifacts::from_config(&stage.config.artifacts).expect("a store");
    let key = deliver(&stage, &store, "gj_1").await.expect("it is delivered");
    let staging = stage.folder.path().join("copies/.staging");
    std::fs::create_dir_all(&staging).expect("a folder");
    for name in ["0190", "0190#1"] {
        std::fs::write(staging.join(name), b"half").expect("a file");
    }
    assert_eq!(
        store.clean_staging(Duration::from_secs(3600), Utc::now()).await,
        0,
        "they may be under way"
    );
    let later = Utc::now() + chrono::Duration::hours(2);
    assert_eq!(store.clean_staging(Duration::from_secs(3600), later).await, 2);
    assert!(store.open(&key).await.is_ok(), "what is published stays");
    assert!(store.probe().await.is_ok());
}

#[tokio::test]
async fn urls_that_name_no_store_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, b"").expect("a file");
    for url in [
        "",
        "file:",
        "http://example.test/x",
        "file://host/x",
        "file:x?quota=1",
        "s3:",
        "artifacts",
    ] {
        assert!(Artifacts::from_config(&at(url)).is_err(), "{url}");
    }
    assert!(Artifacts::from_config(&at(&format!("file:{}", blocked.display()))).is_err());
    let deep = folder.path().join("made/when missing");
    assert!(Artifacts::from_config(&at(&format!("file://{}", deep.display()))).is_ok());
    assert!(deep.is_dir());
}
