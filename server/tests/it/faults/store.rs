//! The artifact store misbehaves: full, denied, slow, truncating, gone in mid-write. Nothing half is published, the good
//! ones stay, and it heals.

use crate::protocol::play::{ALL, Play};
use crate::support::backend::{Backend, Kind};
use crate::support::provider::Stage;
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::ErrorCategory;
use async_trait::async_trait;
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, UploadPart,
};
use serde_json::json;
use server::artifacts::{Artifacts, Wanted};
use server::fixture::{Armed, JobScript, OutputFault, OutputScript};
use std::sync::Arc;
use std::time::Duration;

async fn play() -> Play {
    let (backend, database) = Backend::open(Kind::Sqlite).await.expect("a file");
    Play::start_with(backend, database, ALL, "").await
}

/// An operation whose render has succeeded with these outputs.
async fn succeeded(play: &Play, id: &str, outputs: Vec<OutputScript>) {
    let job = format!("gj_{id}");
    let listed: Vec<_> = outputs
        .iter()
        .enumerate()
        .map(|(index, output)| json!({ "index": index, "content_type": output.content_type }))
        .collect();
    play.fixture.put_job(&job, JobScript::succeeded(outputs));
    play.operation(
        id,
        json!({ "phase": "succeeded", "dispatch": "sent",
            "remote": { "job_id": job, "fetch": "ok", "execution": "succeeded", "outputs": listed } }),
    )
    .await;
}

/// Our own job died of it: until its dead letter is read, the revision is about to count on.
async fn settled(play: &Play, id: &str) {
    let path = format!("/api/v1/operations/{id}");
    play.until(&path, |record| {
        record["dead_letters"]
            .as_array()
            .is_some_and(|letters| !letters.is_empty())
    })
    .await;
}

/// The files that are published, not those that are staged.
fn published(play: &Play) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![play.folder.path().join("copies")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with(".staging") {
                folders.push(path);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    files
}

/// The folder is no folder any more, and then it is again.
async fn denied() {
    let play = play().await;
    let copies = play.folder.path().join("copies");
    std::fs::remove_dir_all(&copies).expect("it is removed");
    std::fs::write(&copies, "in the way").expect("a file in its place");
    succeeded(&play, "op_d", vec![OutputScript::new("image/png")]).await;
    let end = play.recover("op_d", "deliver").await;
    assert_eq!(end["state"], "failed", "{end:#}");
    let record = play.record("op_d").await;
    assert_eq!(record["phase"], "succeeded", "{record:#}");
    assert_eq!(record["outputs"][0]["category"], "storage_write", "{record:#}");
    let words = end["outcome"].as_str().expect("words").to_owned();
    assert!(!words.contains("copies") && !words.contains('/'), "{words}");
    std::fs::remove_file(&copies).expect("it is removed");
    settled(&play, "op_d").await;
    let end = play.recover("op_d", "deliver").await;
    assert_eq!(end["state"], "succeeded", "{end:#}");
    assert_eq!(published(&play).len(), 1);
}

/// The folder vanishes while an output is written into it.
async fn gone_in_mid_write() {
    let play = play().await;
    let slow = Armed::once(OutputFault::Drip { ms: 1200 });
    let outputs = vec![
        OutputScript::new("video/mp4").bytes(300_000).fault(slow),
        OutputScript::new("image/png"),
    ];
    succeeded(&play, "op_g", outputs).await;
    let recovery = play.confirm("op_g", "deliver").await;
    play.until(&format!("/api/v1/recoveries/{recovery}"), |value| {
        value["state"] == "running"
    })
    .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    std::fs::remove_dir_all(play.folder.path().join("copies")).expect("it is removed");
    play.ended(&recovery).await;
    let record = play.record("op_g").await;
    if record["phase"] != "delivered" {
        settled(&play, "op_g").await;
        let end = play.recover("op_g", "deliver").await;
        assert_eq!(end["state"], "succeeded", "{end:#}");
    }
    let files = published(&play);
    assert_eq!(files.len(), 2, "{files:?}");
    for (index, kind, bytes) in [(0, "video/mp4", 300_000), (1, "image/png", 4096)] {
        let right = server::fixture::output_body("gj_op_g", index, kind, bytes);
        let whole = files
            .iter()
            .any(|file| std::fs::read(file).is_ok_and(|bytes| bytes == right));
        assert!(whole, "output {index} is not whole");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_is_taken_away_publishes_nothing_half() {
    tokio::join!(denied(), gone_in_mid_write());
}

/// A store that lies: it keeps less than it is given, or takes its time.
#[derive(Debug)]
struct Lying {
    inner: InMemory,
    /// What it keeps of each part, in bytes.
    keeps: usize,
    wait: Duration,
}

impl std::fmt::Display for Lying {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a store that lies")
    }
}

#[derive(Debug)]
struct LyingUpload {
    inner: Box<dyn MultipartUpload>,
    keeps: usize,
    wait: Duration,
}

#[async_trait]
impl MultipartUpload for LyingUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let kept: Vec<u8> = data.iter().flatten().copied().take(self.keeps).collect();
        let (put, wait) = (self.inner.put_part(kept.into()), self.wait);
        Box::pin(async move {
            tokio::time::sleep(wait).await;
            put.await
        })
    }

    async fn complete(&mut self) -> object_store::Result<PutResult> {
        self.inner.complete().await
    }

    async fn abort(&mut self) -> object_store::Result<()> {
        self.inner.abort().await
    }
}

#[async_trait]
impl ObjectStore for Lying {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        opts: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        opts: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        let inner = self.inner.put_multipart_opts(location, opts).await?;
        Ok(Box::new(LyingUpload {
            inner,
            keeps: self.keeps,
            wait: self.wait,
        }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        self.inner.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> object_store::Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[tokio::test]
async fn a_store_that_keeps_less_than_it_is_given_publishes_nothing() {
    let stage = Stage::new("").await;
    let (operation, job) = (OperationId::from("op_1"), JobId::from("gj_1"));
    stage.fixture.put_job(
        "gj_1",
        JobScript::succeeded(vec![OutputScript::new("image/png").bytes(10_000)]),
    );
    let answer = stage.reader().jobs.observe(&job).await;
    let wanted = Wanted {
        operation: &operation,
        job: &job,
        link: &answer.links[0],
    };
    let store = |keeps, wait| {
        Arc::new(Lying {
            inner: InMemory::new(),
            keeps,
            wait,
        })
    };
    let lying = store(9_000, Duration::ZERO);
    let artifacts = Artifacts::on(lying.clone(), 1 << 20);
    let refused = artifacts.deliver_output(&stage.reader().outputs, &wanted).await;
    assert_eq!(
        refused.expect_err("it is not whole").category,
        ErrorCategory::StorageWrite
    );
    let left = futures::StreamExt::count(lying.list(None)).await;
    assert_eq!(left, 0, "nothing is published, and nothing left behind");

    // One that is slow is waited for.
    let slow = Artifacts::on(store(usize::MAX, Duration::from_millis(400)), 1 << 20);
    let stored = slow.deliver_output(&stage.reader().outputs, &wanted).await;
    assert_eq!(stored.expect("it is stored").bytes, 10_000);
}

/// The store is full for one output and not for the other; when there is room, only the missing one is fetched.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_store_keeps_what_fits_and_asks_for_the_rest_later() {
    let (backend, database) = Backend::open(Kind::Sqlite).await.expect("a file");
    let fixture_folder = tempfile::tempdir().expect("a folder");
    let more = format!(
        "[artifacts]\nurl = \"file:{}?quota_bytes=20000\"\n",
        fixture_folder.path().display()
    );
    let play = Play::start_with(backend, database, ALL, &more).await;
    let outputs = vec![
        OutputScript::new("image/png").bytes(12_000),
        OutputScript::new("image/png").bytes(12_000),
    ];
    succeeded(&play, "op_f", outputs).await;
    let end = play.recover("op_f", "deliver").await;
    assert_eq!(end["state"], "failed", "{end:#}");
    let record = play.record("op_f").await;
    assert_eq!(record["phase"], "succeeded", "{record:#}");
    assert_eq!(record["outputs"][0]["state"], "delivered", "{record:#}");
    assert_eq!(record["outputs"][1]["category"], "storage_full", "{record:#}");
    assert_eq!(
        record["plan"]["action"], "deliver",
        "the missing one can still be had: {record:#}"
    );
}
