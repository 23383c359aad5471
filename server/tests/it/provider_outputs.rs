//! Outputs from the provider into the store: each fault, and what is published after it.

use crate::support::provider::Stage;
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::ErrorCategory;
use server::artifacts::{Artifacts, Stored, Wanted};
use server::fixture::{
    Armed, JobScript, OutputFault, OutputScript, Place, RedirectTo, UrlPolicy, output_body,
};
use server::provider::output::OutputError;
use sha2::{Digest, Sha256};

const HASHES: &str = "[providers.genace.observe]\noutput_sha256 = \"/sha256\"\n";

/// Reads the job afresh, and delivers one of its outputs.
async fn deliver(stage: &Stage, store: &Artifacts, index: usize) -> Result<Stored, OutputError> {
    let (operation, job) = (OperationId::from("op 1/ü"), JobId::from("gj_9"));
    let answer = stage.reader().jobs.observe(&job).await;
    let wanted = Wanted {
        operation: &operation,
        job: &job,
        link: &answer.links[index],
    };
    store.deliver_output(&stage.reader().outputs, &wanted).await
}

fn store(stage: &Stage) -> Artifacts {
    Artifacts::from_config(&stage.config.artifacts).expect("a store")
}

/// Every file in the store's folder, staged ones included.
fn files(stage: &Stage) -> Vec<String> {
    fn walk(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                walk(&entry.path(), found);
            } else {
                found.push(entry.path().display().to_string());
            }
        }
    }
    let root = stage.folder.path().join("copies");
    let mut found = Vec::new();
    walk(&root, &mut found);
    found
        .iter()
        .map(|path| {
            path.trim_start_matches(&format!("{}/", root.display()))
                .to_owned()
        })
        .collect()
}

#[tokio::test]
async fn an_output_is_copied_checked_and_published_once() {
    let stage = Stage::new(HASHES).await;
    let store = store(&stage);
    let outputs = vec![
        OutputScript::new("video/mp4").bytes(300_000).with_sha256(),
        OutputScript::new("image/png"),
    ];
    stage.fixture.put_job("gj_9", JobScript::succeeded(outputs));
    let stored = deliver(&stage, &store, 0).await.expect("it is delivered");
    let body = output_body("gj_9", 0, "video/mp4", 300_000);
    assert_eq!(stored.storage_key, "op%201%2F%C3%BC/gj_9/0.mp4");
    assert_eq!((stored.bytes, stored.already_there), (300_000, false));
    assert_eq!(stored.sha256, hex::encode(Sha256::digest(&body)));
    assert_eq!(stored.content_type.as_deref(), Some("video/mp4"));
    assert_eq!(
        files(&stage),
        ["op%201%2F%C3%BC/gj_9/0.mp4"],
        "nothing staged is left"
    );

    let fetched = stage.fixture.counts().place(Place::Outputs);
    let again = deliver(&stage, &store, 0).await.expect("it is there");
    assert!(again.already_there);
    assert_eq!(
        (again.storage_key, again.sha256),
        (stored.storage_key, stored.sha256)
    );
    assert_eq!(
        stage.fixture.counts().place(Place::Outputs),
        fetched,
        "it is not fetched again"
    );
    assert_eq!(
        stage.fixture.credentials_leaked(),
        0,
        "the output host never sees the key"
    );
    assert_eq!(stage.fixture.counts().method("POST"), 0);
}

#[tokio::test]
async fn every_fault_has_its_category_and_publishes_nothing() {
    let stage = Stage::new("").await;
    let store = store(&stage);
    stage.fixture.put_job(
        "gj_9",
        JobScript::succeeded(vec![OutputScript::new("video/mp4").bytes(50_000)]),
    );
    let status = |status| OutputFault::Status { status };
    let redirect = |to| OutputFault::Redirect { to };
    for (fault, category) in [
        (status(401), ErrorCategory::OutputExpired),
        (status(403), ErrorCategory::OutputExpired),
        (status(410), ErrorCategory::OutputExpired),
        (status(404), ErrorCategory::NotFound),
        (status(400), ErrorCategory::Http4xx),
        (status(429), ErrorCategory::RateLimited),
        (status(500), ErrorCategory::Http5xx),
        (status(503), ErrorCategory::Http5xx),
        (redirect(RedirectTo::Foreign), ErrorCategory::OutputBlocked),
        (redirect(RedirectTo::Private), ErrorCategory::OutputBlocked),
        (redirect(RedirectTo::Loop), ErrorCategory::OutputBlocked),
        (
            redirect(RedirectTo::Url("http://0x7f000001:1/x".to_owned())),
            ErrorCategory::OutputBlocked,
        ),
        (
            redirect(RedirectTo::Url("http://[::ffff:127.0.0.1]:1/x".to_owned())),
            ErrorCategory::OutputBlocked,
        ),
        (
            redirect(RedirectTo::Url("file:///etc/passwd".to_owned())),
            ErrorCategory::OutputBlocked,
        ),
        (
            OutputFault::WrongBody {
                content_type: "image/png".to_owned(),
            },
            ErrorCategory::OutputMismatch,
        ),
        (OutputFault::HtmlBody, ErrorCategory::OutputMismatch),
        (
            OutputFault::ShortBody { keep: 100 },
            ErrorCategory::OutputMismatch,
        ),
        (OutputFault::Empty, ErrorCategory::OutputMismatch),
        (
            OutputFault::ResetMidBody { keep: 20_000 },
            ErrorCategory::Connection,
        ),
        (OutputFault::Slow { ms: 2500 }, ErrorCategory::Timeout),
    ] {
        stage.fixture.fault_output("gj_9", 0, Armed::once(fault.clone()));
        let error = deliver(&stage, &store, 0).await.err();
        assert_eq!(error.map(|error| error.category), Some(category), "{fault:?}");
        assert_eq!(files(&stage), [""; 0], "nothing is left: {fault:?}");
    }
    assert_eq!(
        stage.fixture.counts().place(Place::Foreign),
        0,
        "nobody went to the foreign host"
    );
    for harmless in [
        OutputFault::WrongContentType {
            content_type: "text/html".to_owned(),
        },
        redirect(RedirectTo::Same),
        OutputFault::Drip { ms: 1500 },
    ] {
        stage
            .fixture
            .fault_output("gj_9", 0, Armed::once(harmless.clone()));
        assert!(deliver(&stage, &store, 0).await.is_ok(), "{harmless:?}");
        std::fs::remove_dir_all(stage.folder.path().join("copies")).expect("the copies go");
        std::fs::create_dir(stage.folder.path().join("copies")).expect("the folder comes back");
    }
}

#[tokio::test]
async fn no_more_is_taken_than_is_allowed() {
    let mut stage = Stage::new("").await;
    stage.config.artifacts.max_bytes = 10_000;
    let store = store(&stage);
    stage.fixture.put_job(
        "gj_9",
        JobScript::succeeded(vec![OutputScript::new("video/mp4").bytes(10_000)]),
    );
    for declared in [true, false] {
        stage.fixture.fault_output(
            "gj_9",
            0,
            Armed::once(OutputFault::TooLarge {
                bytes: 10_001,
                declared,
            }),
        );
        let error = deliver(&stage, &store, 0).await.err();
        assert_eq!(
            error.map(|error| error.category),
            Some(ErrorCategory::OutputTooLarge),
            "declared: {declared}"
        );
        assert_eq!(files(&stage), [""; 0]);
    }
    assert!(
        deliver(&stage, &store, 0).await.is_ok(),
        "what fits exactly is taken"
    );
}

#[tokio::test]
async fn a_hash_that_does_not_fit_is_refused() {
    let stage = Stage::new(HASHES).await;
    let mut lying = OutputScript::new("video/mp4");
    lying.told_sha256 = Some("0".repeat(64));
    stage.fixture.put_job("gj_9", JobScript::succeeded(vec![lying]));
    let error = deliver(&stage, &store(&stage), 0).await.err();
    assert_eq!(
        error.map(|error| error.category),
        Some(ErrorCategory::OutputMismatch)
    );
    assert_eq!(files(&stage), [""; 0]);
}

#[tokio::test]
async fn an_expired_url_is_replaced_by_a_fresh_read() {
    let stage = Stage::new("").await;
    let store = store(&stage);
    let policy = UrlPolicy {
        uses: Some(1),
        ..UrlPolicy::default()
    };
    stage.fixture.put_job(
        "gj_9",
        JobScript::succeeded(vec![OutputScript::new("image/png")]).with_urls(policy),
    );
    let (operation, job) = (OperationId::from("op-1"), JobId::from("gj_9"));
    let stale = stage.reader().jobs.observe(&job).await;
    stage.fixture.expire_urls("gj_9");
    let wanted = Wanted {
        operation: &operation,
        job: &job,
        link: &stale.links[0],
    };
    let error = store.deliver_output(&stage.reader().outputs, &wanted).await.err();
    assert_eq!(
        error.map(|error| error.category),
        Some(ErrorCategory::OutputExpired)
    );
    assert!(deliver(&stage, &store, 0).await.is_ok());
}

#[tokio::test]
async fn a_host_that_is_not_listed_is_never_asked() {
    let stage = Stage::new("").await;
    let mut output = OutputScript::new("image/png");
    output.host = Place::Foreign;
    stage.fixture.put_job("gj_9", JobScript::succeeded(vec![output]));
    let error = deliver(&stage, &store(&stage), 0).await.err();
    assert_eq!(
        error.map(|error| error.category),
        Some(ErrorCategory::OutputBlocked)
    );
    assert_eq!(stage.fixture.counts().place(Place::Foreign), 0);
}

#[tokio::test]
async fn deliveries_at_once_publish_one() {
    let stage = Stage::new("").await;
    let store = store(&stage);
    stage.fixture.put_job(
        "gj_9",
        JobScript::succeeded(vec![OutputScript::new("image/png").bytes(200_000)]),
    );
    let (operation, job) = (OperationId::from("op-1"), JobId::from("gj_9"));
    let answer = stage.reader().jobs.observe(&job).await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (store, reader, link) = (store.clone(), stage.reader().clone(), answer.links[0].clone());
            let (operation, job) = (operation.clone(), job.clone());
            tokio::spawn(async move {
                let wanted = Wanted {
                    operation: &operation,
                    job: &job,
                    link: &link,
                };
                store.deliver_output(&reader.outputs, &wanted).await
            })
        })
        .collect();
    let mut published = 0;
    for task in tasks {
        let stored = task.await.expect("it ends").expect("it is delivered");
        published += u32::from(!stored.already_there);
    }
    assert_eq!(published, 1);
    assert_eq!(files(&stage).len(), 1);
}
