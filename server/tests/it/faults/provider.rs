//! The provider misbehaves: each way has its receipt or its observation, and nobody else waits for it.

use crate::protocol::play::{ALL, Play};
use crate::support::backend::{Backend, Kind};
use crate::support::provider::Stage;
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::ErrorCategory;
use app::domain::remote::Fetch;
use app::domain::role::Role;
use serde_json::{Value, json};
use server::config::{Config, Flags};
use server::fixture::{Armed, CreateScript, Fixture, JobScript, Lasts, OutputScript, ReadFault, Side};
use server::provider::{Creators, Readers};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;

/// The bytes at which each side of a creation is cut, one after the other.
const BYTES: u64 = 200;

async fn create(stage: &Stage, id: &str) -> Receipt {
    let body = json!({ "prompt": "a lighthouse" });
    stage
        .creator()
        .create(&OperationId::from(id), &body, || true)
        .await
}

/// What left may have arrived: `unknown`, until the answer is whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_creation_cut_at_any_byte_is_unknown_until_its_answer_is_whole() {
    let stage = Stage::new("").await;
    let mut kinds = Vec::new();
    for at in 0..BYTES {
        stage.fixture.script_next_create(CreateScript::ResetAtByte {
            side: Side::Request,
            at,
            billed: false,
        });
        let receipt = create(&stage, &format!("request-{at}")).await;
        assert_eq!(
            receipt.kind,
            ReceiptKind::Unknown,
            "request cut at byte {at}: {receipt:?}"
        );
        let id = format!("answer-{at}");
        stage.fixture.script_create(
            &id,
            CreateScript::ResetAtByte {
                side: Side::Answer,
                at,
                billed: true,
            },
        );
        let receipt = create(&stage, &id).await;
        assert!(
            matches!(receipt.kind, ReceiptKind::Unknown | ReceiptKind::Accepted),
            "answer cut at byte {at}: {receipt:?}"
        );
        assert_eq!(receipt.kind == ReceiptKind::Accepted, receipt.job_id.is_some());
        kinds.push(receipt.kind);
    }
    // Once the answer is whole it is accepted, and never before.
    let whole = kinds.iter().position(|kind| *kind == ReceiptKind::Accepted);
    assert!(
        kinds
            .iter()
            .skip(whole.unwrap_or(kinds.len()))
            .all(|kind| *kind == ReceiptKind::Accepted),
        "{kinds:?}"
    );
    let sent = stage.fixture.posts().len();
    assert!(
        sent <= 2 * usize::try_from(BYTES).expect("a count"),
        "{sent} requests: none was sent again"
    );
}

/// A provider that is a few lines of raw answer.
async fn raw(answer: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let read = stream.read(&mut request).await.unwrap_or(0);
                if read > 0 && stream.write_all(answer).await.is_ok() {
                    // It says nothing more, and hangs up on nobody.
                    tokio::time::sleep(Duration::from_secs(30)).await;
                }
            });
        }
    });
    address
}

fn clients(base: &str) -> (Readers, Creators) {
    let text = format!(
        "[providers.genace]\nprofile = \"genace\"\napi_key_env = \"\"\nbase_url = \"{base}\"\ntimeout_seconds = 3\n\
         [providers.genace.create]\njob_id_headers = [\"x-job-id\"]\n"
    );
    let config = Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration");
    (
        Readers::from_config(&config).expect("readers"),
        Creators::from_config(&config).expect("creators"),
    )
}

/// What a read and a creation make of this provider.
async fn both(base: &str) -> (Fetch, Receipt) {
    let (readers, creators) = clients(base);
    let reader = readers.get("genace").expect("it is configured");
    let creator = creators.get("genace").expect("it is configured");
    let (job, operation) = (JobId::from("gj_1"), OperationId::from("op_1"));
    let body = json!({});
    let (answer, receipt) = tokio::join!(
        reader.jobs.observe(&job),
        creator.create(&operation, &body, || true)
    );
    (answer.observation.fetch, receipt)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hanging_has_an_end_and_a_name() {
    let silent = raw(b"").await;
    let headed = raw(
        b"HTTP/1.1 201 Created\r\ncontent-length: 100\r\ncontent-type: application/json\r\n\r\n{\"job\":",
    )
    .await;
    let named = raw(b"HTTP/1.1 502 Bad Gateway\r\nx-job-id: gj_77\r\ncontent-length: 100\r\n\r\n{").await;
    let bases = [silent, headed, named].map(|address| format!("http://{address}"));
    let (silent, headed, named) = tokio::join!(both(&bases[0]), both(&bases[1]), both(&bases[2]));
    assert_eq!((silent.0, silent.1.kind), (Fetch::Network, ReceiptKind::Unknown));
    assert_eq!(silent.1.category, Some(ErrorCategory::Timeout));
    assert_eq!((headed.0, headed.1.kind), (Fetch::Network, ReceiptKind::Unknown));
    // A head that names the job is enough, whatever becomes of the body.
    assert_eq!(named.1.kind, ReceiptKind::Accepted, "{:?}", named.1);
    assert_eq!(named.1.job_id, Some(JobId::from("gj_77")));
}

/// Its certificate is nobody's that this machine trusts.
async fn tls_of_a_stranger() -> SocketAddr {
    const LEAF: &[u8] = include_bytes!("../../../src/provider/net/testdata/leaf.der");
    const KEY: &[u8] = include_bytes!("../../../src/provider/net/testdata/leaf-key.der");
    let key = rustls_pki_types::PrivatePkcs8KeyDer::from(KEY.to_vec());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![LEAF.to_vec().into()], key.into())
        .expect("a certificate");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let accepted = acceptor.accept(stream).await;
                assert!(accepted.is_err(), "somebody talks to a stranger");
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_certificate_means_that_nothing_was_sent() {
    let stranger = tls_of_a_stranger().await;
    // No certificate at all is no better.
    let plain = raw(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
    for address in [stranger, plain] {
        let (fetch, receipt) = both(&format!("https://{address}")).await;
        assert_eq!(fetch, Fetch::Network);
        assert_eq!(receipt.kind, ReceiptKind::NotSent, "{receipt:?}");
        assert_eq!(receipt.category, Some(ErrorCategory::Tls), "{receipt:?}");
    }
}

async fn play(more: &str) -> Play {
    let (backend, database) = Backend::open(Kind::Sqlite).await.expect("a file");
    Play::start_with(backend, database, ALL, more).await
}

/// Up and down while it is followed: the render is seen to its end all the same.
async fn flapping() {
    let play = play("").await;
    let answered = |status: u16| ReadFault::Status {
        status,
        retry_after_seconds: None,
    };
    let life = JobScript::succeeded(vec![OutputScript::new("image/png")])
        .first("running", Lasts::Reads(2))
        .read_fault(Armed::once(answered(502)))
        .read_fault(Armed::once(ReadFault::Slow { ms: 1 }))
        .read_fault(Armed::once(ReadFault::Reset))
        .read_fault(Armed::once(ReadFault::Slow { ms: 1 }));
    play.fixture.put_job("gj_f", life);
    play.accepted("op_f", "gj_f").await;
    let mut order = play.order("op_f", "observe").await;
    order["follow"] = json!(true);
    let answer = play
        .app
        .post(Role::Operator, "/api/v1/operations/op_f/recoveries", &order)
        .await
        .expect(202)
        .json();
    let recovery = answer["recovery_id"].as_str().expect("an id").to_owned();
    let end = play.ended(&recovery).await;
    assert_eq!(end["state"], "succeeded", "{end:#}");
    assert_eq!(play.record("op_f").await["phase"], "succeeded");
}

/// It asks for a pause and gets it; an hour is not waited for.
async fn rate_limited() {
    let play = play("").await;
    let limited = |seconds: u64| {
        Armed::once(ReadFault::Status {
            status: 429,
            retry_after_seconds: Some(seconds),
        })
    };
    play.fixture
        .put_job("gj_r", JobScript::resting("failed").read_fault(limited(2)));
    play.accepted("op_r", "gj_r").await;
    let began = Instant::now();
    let recovery = play.confirm("op_r", "observe").await;
    let end = play.ended(&recovery).await;
    assert_eq!(end["state"], "succeeded", "{end:#}");
    assert!(began.elapsed() >= Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(play.fixture.gets("gj_r"), 2);

    play.fixture
        .put_job("gj_h", JobScript::resting("failed").read_fault(limited(3600)));
    play.accepted("op_h", "gj_h").await;
    play.confirm("op_h", "observe").await;
    let asked = |value: &Value| value["remote"]["fetch"] == "rate_limited";
    play.until("/api/v1/operations/op_h", asked).await;
    let within = |seconds: i64| {
        let at = server::database::sqlite_time(chrono::Utc::now() + chrono::TimeDelta::seconds(seconds));
        format!("SELECT COUNT(*) AS n FROM soniq_jobs WHERE status = 'queued' AND scheduled_at <= '{at}'")
    };
    let started = Instant::now();
    while play.count(&within(70)).await == 0 {
        assert!(started.elapsed() < Duration::from_secs(5), "it waits for an hour");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(play.count(&within(40)).await, 0, "it does not wait at all");
}

/// After a few unanswered reads, what is only repeated waits; it is said on the pages; a person's own ask goes out at
/// once, and ends it.
async fn a_storm_is_stopped() {
    let play = play("").await;
    let down = ReadFault::Status {
        status: 500,
        retry_after_seconds: None,
    };
    play.fixture.fault_all_reads(Armed::forever(down));
    let mut recoveries = Vec::new();
    for number in 0..5 {
        let (id, job) = (format!("op_{number}"), format!("gj_{number}"));
        play.fixture.put_job(&job, JobScript::resting("failed"));
        play.accepted(&id, &job).await;
        recoveries.push(play.confirm(&id, "observe").await);
    }
    let stated = play
        .until("/api/v1/queues", |queues| {
            queues["circuits"][0]["provider"] == "genace"
        })
        .await;
    assert_eq!(stated["circuits"][0]["account"], "main", "{stated:#}");
    let record = play.record("op_0").await;
    assert_eq!(record["circuit"]["fetch"], "server_error", "{record:#}");
    let mut browser = play.app.signed_in(Role::Viewer).await;
    for path in ["/operations/op_0", "/queues"] {
        let page = browser.get(path).await.expect(200);
        assert!(page.has("[data-circuit='genace']"), "{path}: {}", page.body);
    }
    // Whatever is under way now, it is no storm.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = play.fixture.counts().method("GET");
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(
        play.fixture.counts().method("GET") - before <= 1,
        "repeated reads do not wait"
    );
    play.fixture.clear_faults();
    play.fixture.put_job("gj_now", JobScript::resting("failed"));
    play.accepted("op_now", "gj_now").await;
    let asked = Instant::now();
    let recovery = play.confirm("op_now", "observe").await;
    let end = play.ended(&recovery).await;
    assert_eq!(end["state"], "succeeded", "{end:#}");
    assert!(
        asked.elapsed() < Duration::from_secs(3),
        "a person was kept waiting"
    );
    let stated = play.get("/api/v1/queues").await;
    assert!(stated["circuits"].is_null(), "{stated:#}");
    for recovery in recoveries {
        let end = play.ended(&recovery).await;
        assert!(end["state"] == "succeeded" || end["state"] == "failed", "{end:#}");
    }
}

/// One provider hangs on every read; the work of another is done meanwhile, and renders that are only followed take
/// nobody's place.
async fn nobody_else_waits() {
    let hanging = Fixture::start(([127, 0, 0, 1], 0).into())
        .await
        .expect("free ports");
    hanging.fault_all_reads(Armed::forever(ReadFault::Hang { ms: 60_000 }));
    let more = format!(
        "[providers.other]\nprofile = \"genace\"\napi_key_env = \"\"\nbase_url = \"{}\"\naccount = \"main\"\ntimeout_seconds = 1\n",
        hanging.base_url()
    );
    let play = play(&more).await;
    for number in 0..6 {
        let (id, job) = (format!("op_h{number}"), format!("gj_h{number}"));
        play.operation(
            &id,
            json!({ "provider": "other", "phase": "accepted", "dispatch": "sent", "remote": { "job_id": job } }),
        )
        .await;
        play.confirm(&id, "observe").await;
    }
    // More renders are followed than the worker has places.
    for number in 0..6 {
        let (id, job) = (format!("op_r{number}"), format!("gj_r{number}"));
        play.fixture.put_job(&job, JobScript::open("running"));
        play.accepted(&id, &job).await;
        let mut order = play.order(&id, "observe").await;
        order["follow"] = json!(true);
        play.app
            .post(
                Role::Operator,
                &format!("/api/v1/operations/{id}/recoveries"),
                &order,
            )
            .await
            .expect(202);
    }
    play.fixture.put_job("gj_q", JobScript::resting("failed"));
    play.accepted("op_q", "gj_q").await;
    let asked = Instant::now();
    let recovery = play.confirm("op_q", "observe").await;
    let end = play.ended(&recovery).await;
    assert_eq!(end["state"], "succeeded", "{end:#}");
    assert!(asked.elapsed() < Duration::from_secs(8), "{:?}", asked.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_go_on_as_the_provider_can_bear_it() {
    tokio::join!(
        flapping(),
        rate_limited(),
        a_storm_is_stopped(),
        nobody_else_waits()
    );
}
