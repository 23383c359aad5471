//! Reading jobs: each fault of the provider, and what it becomes.

use crate::support::provider::Stage;
use app::domain::ids::{JobId, OperationId};
use app::domain::money::ChargeState;
use app::domain::remote::{Execution, Fetch, Reason};
use server::fixture::{Armed, JobScript, OutputScript, ReadFault};
use server::provider::{Answer, SearchError};
use std::time::Duration;

fn job() -> JobId {
    JobId::from("gj_9")
}

async fn observe(stage: &Stage) -> Answer {
    stage.reader().jobs.observe(&job()).await
}

#[tokio::test]
async fn a_job_is_read_with_one_get() {
    let stage = Stage::new("[providers.genace.observe]\noutput_sha256 = \"/sha256\"\n").await;
    let outputs = vec![
        OutputScript::new("video/mp4").with_sha256(),
        OutputScript::new("image/png"),
    ];
    stage
        .fixture
        .put_job_for("gj_9", "op 1/ü", JobScript::succeeded(outputs));
    let answer = observe(&stage).await;
    let seen = &answer.observation;
    assert_eq!(
        (seen.fetch, seen.execution),
        (Fetch::Ok, Some(Execution::Succeeded))
    );
    assert_eq!(seen.outputs.as_ref().map(Vec::len), Some(2));
    assert_eq!(
        seen.charge.as_ref().map(|charge| charge.state),
        Some(ChargeState::Charged)
    );
    assert_eq!(answer.client_reference.as_deref(), Some("op 1/ü"));
    assert!(answer.links[0].sha256.is_some() && answer.links[1].sha256.is_none());
    assert_eq!(stage.fixture.gets("gj_9"), 1);
    assert_eq!(stage.fixture.counts().total(), 1);
}

#[tokio::test]
async fn every_fault_has_its_fetch_and_says_nothing_else() {
    let stage = Stage::new("").await;
    stage.fixture.put_job("gj_9", JobScript::resting("succeeded"));
    let status = |status| ReadFault::Status {
        status,
        retry_after_seconds: None,
    };
    let custom = |body: &str| ReadFault::Custom {
        status: 200,
        content_type: "application/json".to_owned(),
        body: body.to_owned(),
    };
    for (fault, fetch) in [
        (status(401), Fetch::Unauthorized),
        (status(403), Fetch::Forbidden),
        (status(404), Fetch::NotFound),
        (status(429), Fetch::RateLimited),
        (status(500), Fetch::ServerError),
        (status(502), Fetch::ServerError),
        (ReadFault::Html, Fetch::BadPayload),
        (ReadFault::TruncatedJson, Fetch::BadPayload),
        (
            ReadFault::OtherId {
                id: "gj_8".to_owned(),
            },
            Fetch::BadPayload,
        ),
        (ReadFault::Empty, Fetch::BadPayload),
        (ReadFault::EndlessBody, Fetch::BadPayload),
        (custom("[]"), Fetch::BadPayload),
        (custom(&"[".repeat(100_000)), Fetch::BadPayload),
        (ReadFault::Reset, Fetch::Network),
        (ReadFault::ShortBody, Fetch::Network),
        (ReadFault::Hang { ms: 3000 }, Fetch::Network),
    ] {
        stage.fixture.reset_counts();
        stage.fixture.fault_reads("gj_9", Armed::once(fault.clone()));
        let seen = observe(&stage).await.observation;
        assert_eq!(seen.fetch, fetch, "{fault:?}");
        assert_eq!(
            (seen.execution, seen.outputs, seen.charge),
            (None, None, None),
            "{fault:?}"
        );
        assert_eq!(stage.fixture.counts().total(), 1, "asked once: {fault:?}");
    }
    assert_eq!(
        observe(&stage).await.observation.fetch,
        Fetch::Ok,
        "and then it is well again"
    );
}

#[tokio::test]
async fn the_wait_that_the_provider_asks_for_is_told() {
    let stage = Stage::new("").await;
    stage.fixture.put_job("gj_9", JobScript::resting("queued"));
    let fault = ReadFault::Status {
        status: 429,
        retry_after_seconds: Some(7),
    };
    stage.fixture.fault_reads("gj_9", Armed::once(fault));
    assert_eq!(observe(&stage).await.retry_after, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn failures_are_told_apart() {
    let stage = Stage::new("").await;
    let read = async |script| {
        stage.fixture.put_job("gj_9", script);
        let seen = observe(&stage).await.observation;
        (
            seen.execution,
            seen.reason,
            seen.charge.map(|charge| charge.state),
        )
    };
    let failed = Some(Execution::Failed);
    let charged = Some(ChargeState::Charged);
    assert_eq!(
        read(JobScript::failed("moderation")).await,
        (failed, Some(Reason::Moderation), charged)
    );
    assert_eq!(
        read(JobScript::failed("timeout")).await,
        (failed, Some(Reason::Timeout), charged)
    );
    assert_eq!(
        read(JobScript::failed("operator_marked")).await,
        (failed, Some(Reason::OperatorMarked), charged)
    );
    assert_eq!(
        read(JobScript::failed("gpu_lost")).await,
        (failed, Some(Reason::ProviderError), charged)
    );
    assert_eq!(
        read(JobScript::submission_failed(1)).await,
        (
            failed,
            Some(Reason::SubmissionFailure),
            Some(ChargeState::RefundPending)
        )
    );
    let open = read(JobScript::open("running")).await;
    assert_eq!(
        open,
        (
            Some(Execution::Running),
            Some(Reason::None),
            Some(ChargeState::None)
        )
    );
    let unknown = read(JobScript::resting("on_holiday").without_credits()).await;
    assert_eq!(
        unknown,
        (Some(Execution::Unknown), Some(Reason::Unrecognised), None)
    );
}

#[tokio::test]
async fn reading_advances_a_compensation() {
    let stage = Stage::new("").await;
    stage.fixture.put_job("gj_9", JobScript::submission_failed(1));
    let mut states = Vec::new();
    for _ in 0..2 {
        states.push(
            observe(&stage)
                .await
                .observation
                .charge
                .map(|charge| charge.state),
        );
    }
    assert_eq!(
        states,
        [Some(ChargeState::RefundPending), Some(ChargeState::Refunded)]
    );
    assert_eq!(stage.fixture.counts().method("POST"), 0);
}

#[tokio::test]
async fn no_redirect_leads_our_key_away() {
    let stage = Stage::new("").await;
    stage.fixture.put_job("gj_9", JobScript::resting("queued"));
    for to in [
        format!("http://{}/v1/jobs/gj_9", stage.fixture.foreign_host()),
        format!("http://{}/v1/jobs/gj_9", stage.fixture.output_host()),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        stage
            .fixture
            .fault_reads("gj_9", Armed::once(ReadFault::Redirect { to: to.clone() }));
        assert_eq!(observe(&stage).await.observation.fetch, Fetch::Blocked, "{to}");
    }
    assert_eq!(stage.fixture.credentials_leaked(), 0);
    // On the same host one is followed, and a circle ends.
    stage.fixture.fault_reads(
        "gj_9",
        Armed::once(ReadFault::Redirect {
            to: "/v1/jobs/gj_9".to_owned(),
        }),
    );
    assert_eq!(observe(&stage).await.observation.fetch, Fetch::Ok);
    stage.fixture.fault_reads(
        "gj_9",
        Armed::forever(ReadFault::Redirect {
            to: "/v1/jobs/gj_9".to_owned(),
        }),
    );
    assert_eq!(observe(&stage).await.observation.fetch, Fetch::Blocked);
}

#[tokio::test]
async fn ids_are_escaped_and_never_steps_of_a_path() {
    let stage = Stage::new("").await;
    let awkward = JobId::from("a/b?c#d é%2F");
    stage
        .fixture
        .put_job(awkward.as_str(), JobScript::resting("queued"));
    assert_eq!(
        stage.reader().jobs.observe(&awkward).await.observation.fetch,
        Fetch::Ok
    );
    stage.fixture.reset_counts();
    for id in [".", ".."] {
        assert_eq!(
            stage
                .reader()
                .jobs
                .observe(&JobId::from(id))
                .await
                .observation
                .fetch,
            Fetch::Blocked
        );
    }
    assert_eq!(stage.fixture.counts().total(), 0);
}

#[tokio::test]
async fn nobody_there_is_a_network_failure() {
    let stage = Stage::new("").await;
    let Stage { fixture, readers, .. } = stage;
    fixture.stop().await;
    let reader = readers.get("genace").expect("it is configured");
    assert_eq!(
        reader.jobs.observe(&job()).await.observation.fetch,
        Fetch::Network
    );
}

#[tokio::test]
async fn a_search_finds_candidates_and_attaches_nothing() {
    let stage = Stage::new("").await;
    let operation = OperationId::from("a/b c&d");
    stage
        .fixture
        .put_job_for("gj_1", operation.as_str(), JobScript::resting("queued"));
    stage
        .fixture
        .put_job_for("gj_2", operation.as_str(), JobScript::resting("failed"));
    stage
        .fixture
        .put_job_for("gj_3", "another", JobScript::resting("queued"));
    let mut found = stage.reader().jobs.search(&operation).await.expect("an answer");
    found.sort();
    assert_eq!(found, [JobId::from("gj_1"), JobId::from("gj_2")]);
    stage.fixture.fault_search(Armed::once(ReadFault::Html));
    assert_eq!(
        stage.reader().jobs.search(&operation).await,
        Err(SearchError::Fetch(Fetch::BadPayload))
    );
    let without = Stage::new("search = { path = \"\" }\n").await;
    assert_eq!(
        without.reader().jobs.search(&operation).await,
        Err(SearchError::None)
    );
}
