//! Creating jobs: one request, and what its receipt says, whatever happens to the connection.

use crate::support::provider::Stage;
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::ids::OperationId;
use app::domain::money::ChargeState;
use app::domain::operation::ErrorCategory;
use serde_json::json;
use server::config::{Config, Flags};
use server::fixture::{CreateScript, Side};
use server::provider::Creators;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

async fn create(stage: &Stage) -> Receipt {
    let body = json!({ "prompt": "a lighthouse", "seed": 7 });
    stage
        .creator()
        .create(&OperationId::from("op 1/ü"), &body, || true)
        .await
}

#[tokio::test]
async fn a_creation_carries_body_reference_and_key() {
    let stage = Stage::new("[providers.genace.create]\nidempotency_header = \"Idempotency-Key\"\n").await;
    let receipt = create(&stage).await;
    assert_eq!(receipt.kind, ReceiptKind::Accepted);
    assert_eq!(receipt.job_id.as_ref().map(|id| id.as_str()), Some("gj_1"));
    assert_eq!(
        (receipt.status, receipt.job_id_at.as_deref()),
        (Some(201), Some("/job/id"))
    );
    let posts = stage.fixture.posts();
    assert_eq!(posts.len(), 1);
    assert!(posts[0].authorized && posts[0].complete);
    let body = posts[0].body.as_ref().expect("JSON");
    assert_eq!(
        *body,
        json!({ "prompt": "a lighthouse", "seed": 7, "client_reference": "op 1/ü" })
    );
    assert_eq!(posts[0].idempotency.as_deref(), Some("op%201%2F%C3%BC"));
}

#[tokio::test]
async fn every_script_has_its_receipt_and_one_post() {
    let stage = Stage::new("[providers.genace.create]\njob_id_headers = [\"x-job-id\"]\n").await;
    let custom = |status: u16, body: &str| CreateScript::Custom {
        status,
        headers: [("location".to_owned(), "/v1/generations".to_owned())].into(),
        body: body.to_owned(),
        billed: true,
    };
    let rejected = |status: u16, code: &str| CreateScript::Rejected {
        status,
        code: code.to_owned(),
        charged: None,
    };
    for (script, kind) in [
        (CreateScript::Accepted, ReceiptKind::Accepted),
        (
            CreateScript::AcceptedWithIdInHeader {
                header: "X-Job-Id".to_owned(),
            },
            ReceiptKind::Accepted,
        ),
        (CreateScript::BadGatewayWithId, ReceiptKind::Accepted),
        (
            custom(422, r#"{"error":{"job_id":"{job_id}"}}"#),
            ReceiptKind::Accepted,
        ),
        (
            CreateScript::AcceptedWithoutId { billed: true },
            ReceiptKind::Unknown,
        ),
        (
            CreateScript::BadGatewayWithoutId { billed: true },
            ReceiptKind::Unknown,
        ),
        (
            CreateScript::BadGatewayWithoutId { billed: false },
            ReceiptKind::Unknown,
        ),
        (
            CreateScript::HtmlError {
                status: 502,
                billed: true,
            },
            ReceiptKind::Unknown,
        ),
        (
            CreateScript::HtmlError {
                status: 400,
                billed: false,
            },
            ReceiptKind::Unknown,
        ),
        (rejected(422, "moderation"), ReceiptKind::Rejected),
        (rejected(402, "no_credits"), ReceiptKind::Rejected),
        (rejected(409, "conflict"), ReceiptKind::Unknown),
        (
            CreateScript::RateLimited {
                retry_after_seconds: 1,
            },
            ReceiptKind::Unknown,
        ),
        (CreateScript::TruncatedJson { billed: true }, ReceiptKind::Unknown),
        (
            CreateScript::ResetBeforeAnswer { billed: true },
            ReceiptKind::Unknown,
        ),
        (
            CreateScript::ResetBeforeAnswer { billed: false },
            ReceiptKind::Unknown,
        ),
        (
            CreateScript::ResetAtByte {
                side: Side::Request,
                at: 10,
                billed: false,
            },
            ReceiptKind::Unknown,
        ),
        (
            CreateScript::ResetAtByte {
                side: Side::Answer,
                at: 10,
                billed: true,
            },
            ReceiptKind::Unknown,
        ),
        (
            CreateScript::HangAfterRead {
                billed: true,
                ms: 3000,
            },
            ReceiptKind::Unknown,
        ),
        (CreateScript::SlowAnswer { ms: 2500 }, ReceiptKind::Unknown),
        (CreateScript::SlowAnswer { ms: 200 }, ReceiptKind::Accepted),
        (custom(307, "{}"), ReceiptKind::Unknown),
        (custom(303, ""), ReceiptKind::Unknown),
    ] {
        stage.fixture.reset_counts();
        stage.fixture.script_next_create(script.clone());
        let receipt = create(&stage).await;
        assert_eq!(receipt.kind, kind, "{script:?}: {}", receipt.detail);
        assert_eq!(
            receipt.job_id.is_some(),
            kind == ReceiptKind::Accepted,
            "{script:?}"
        );
        assert_eq!(
            stage.fixture.counts().method("POST"),
            1,
            "exactly one request: {script:?}"
        );
        assert_eq!(stage.fixture.counts().total(), 1, "and no other: {script:?}");
    }
}

#[tokio::test]
async fn a_refusal_says_what_it_costs() {
    let stage = Stage::new("").await;
    let charge_of = async |status: u16, charged: Option<serde_json::Value>| {
        stage.fixture.script_next_create(CreateScript::Rejected {
            status,
            code: "no".to_owned(),
            charged,
        });
        create(&stage).await.charge.map(|charge| charge.state)
    };
    assert_eq!(charge_of(422, None).await, Some(ChargeState::None));
    assert_eq!(
        charge_of(402, None).await,
        None,
        "nothing is said, nothing is known"
    );
    assert_eq!(
        charge_of(422, Some(json!("2.5"))).await,
        Some(ChargeState::Charged)
    );
}

#[tokio::test]
async fn a_lease_that_is_over_sends_nothing() {
    let stage = Stage::new("").await;
    let receipt = stage
        .creator()
        .create(&OperationId::from("op-1"), &json!({}), || false)
        .await;
    assert_eq!(receipt.kind, ReceiptKind::NotSent);
    assert_eq!(stage.fixture.counts().total(), 0);
}

#[tokio::test]
async fn the_lease_is_asked_after_the_connection_stands() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let seen = Arc::new(AtomicU64::new(0));
    let server = tokio::spawn({
        let seen = Arc::clone(&seen);
        async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut bytes = Vec::new();
            let came = stream.read_to_end(&mut bytes).await.unwrap_or(0);
            seen.fetch_add(u64::try_from(came).expect("it fits"), Ordering::SeqCst);
        }
    });
    let creators = creators(&format!("http://{address}"));
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let refuse = move || {
        count.fetch_add(1, Ordering::SeqCst);
        false
    };
    let client = creators.get("p").expect("it is configured");
    let receipt = client
        .create(&OperationId::from("op-1"), &json!({}), refuse)
        .await;
    server.await.expect("the server ends");
    assert_eq!(receipt.kind, ReceiptKind::NotSent);
    assert_eq!(
        (asked.load(Ordering::SeqCst), seen.load(Ordering::SeqCst)),
        (1, 0),
        "connected, asked, no byte sent"
    );
}

#[tokio::test]
async fn what_fails_before_the_first_byte_was_not_sent() {
    let closed = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port")
        .local_addr()
        .expect("an address");
    let plain = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let plain_at = plain.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = plain.accept().await {
            drop(stream);
        }
    });
    for (base, category) in [
        (format!("http://{closed}"), ErrorCategory::Connection),
        (
            "http://no-such-host.invalid".to_owned(),
            ErrorCategory::Connection,
        ),
        (format!("https://{plain_at}"), ErrorCategory::Tls),
        (String::new(), ErrorCategory::Configuration),
    ] {
        let creators = creators(&base);
        let client = creators.get("p").expect("it is configured");
        let receipt = client
            .create(&OperationId::from("op-1"), &json!({}), || true)
            .await;
        assert_eq!(
            (receipt.kind, receipt.category),
            (ReceiptKind::NotSent, Some(category)),
            "{base}"
        );
    }
}

#[tokio::test]
async fn a_body_that_is_no_object_is_never_sent() {
    let stage = Stage::new("").await;
    for body in [json!(null), json!([1]), json!("prompt")] {
        let receipt = stage
            .creator()
            .create(&OperationId::from("op-1"), &body, || true)
            .await;
        assert_eq!(
            (receipt.kind, receipt.category),
            (ReceiptKind::NotSent, Some(ErrorCategory::Configuration))
        );
    }
    let deep = Stage::new("[providers.genace.create]\nclient_reference = \"/meta/reference\"\n").await;
    let receipt = deep
        .creator()
        .create(&OperationId::from("op-1"), &json!({ "meta": 1 }), || true)
        .await;
    assert_eq!(receipt.kind, ReceiptKind::NotSent, "something else is in the way");
    let receipt = deep
        .creator()
        .create(&OperationId::from("op-1"), &json!({}), || true)
        .await;
    assert_eq!(receipt.kind, ReceiptKind::Accepted);
    assert_eq!(
        deep.fixture.posts()[0].body,
        Some(json!({ "meta": { "reference": "op-1" } }))
    );
}

fn creators(base: &str) -> Creators {
    let text = format!("[providers.p]\nprofile = \"genace\"\nbase_url = \"{base}\"\ntimeout_seconds = 2\n");
    let config = Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration");
    Creators::from_config(&config).expect("creators")
}
