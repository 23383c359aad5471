//! The fixture provider itself: every fault that other tests rely on is proven here by a client of its own.

mod control;
mod creates;
mod outputs;
mod reads;

use std::sync::LazyLock;
use std::time::Duration;

use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use server::fixture::{Fixture, FixtureOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A fixture on free loopback ports.
async fn fixture() -> Fixture {
    Fixture::start(([127, 0, 0, 1], 0).into())
        .await
        .expect("free ports")
}

/// One request a connection, no second tries, no redirects: what is counted is what was asked for. Built once:
/// loading the system's certificates takes longer than a whole test.
fn client() -> Client {
    static CLIENT: LazyLock<Client> = LazyLock::new(|| {
        Client::builder()
            .no_proxy()
            .http1_only()
            .pool_max_idle_per_host(0)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .timeout(Duration::from_secs(10))
            .build()
            .expect("a client")
    });
    CLIENT.clone()
}

async fn post(fixture: &Fixture, reference: &str) -> reqwest::Result<Response> {
    client()
        .post(format!("{}/v1/generations", fixture.base_url()))
        .bearer_auth("key")
        .json(&json!({ "prompt": "a lighthouse", "client_reference": reference }))
        .send()
        .await
}

async fn get(fixture: &Fixture, path: &str) -> reqwest::Result<Response> {
    client()
        .get(format!("{}{path}", fixture.base_url()))
        .bearer_auth("key")
        .send()
        .await
}

async fn get_job(fixture: &Fixture, job_id: &str) -> Value {
    let response = get(fixture, &format!("/v1/jobs/{job_id}"))
        .await
        .expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
    response.json().await.expect("JSON")
}

async fn json_of(response: Response) -> Value {
    let text = response.text().await.expect("a body");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Sends raw bytes and reads until the connection ends: what came, and whether it ended with a reset.
async fn raw(fixture: &Fixture, request: &[u8]) -> (Vec<u8>, bool) {
    let mut stream = TcpStream::connect(fixture.addr()).await.expect("a connection");
    let sent = stream.write_all(request).await;
    let mut came = Vec::new();
    let mut buffer = [0_u8; 4096];
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) => return (came, sent.is_err()),
            Ok(read) => came.extend_from_slice(&buffer[..read]),
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}");
                return (came, true);
            }
        }
    }
}

fn raw_post(reference: &str) -> Vec<u8> {
    let body = json!({ "client_reference": reference }).to_string();
    format!(
        "POST /v1/generations HTTP/1.1\r\nhost: fixture\r\nauthorization: Bearer key\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn raw_get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: fixture\r\nauthorization: Bearer key\r\nconnection: close\r\n\r\n")
        .into_bytes()
}

#[tokio::test]
async fn the_usual_job_goes_through_its_life() {
    let fixture = fixture().await;
    let response = post(&fixture, "op-1").await.expect("an answer");
    assert_eq!(response.status(), StatusCode::CREATED);
    assert_eq!(json_of(response).await, json!({ "job": { "id": "gj_1" } }));

    let queued = get_job(&fixture, "gj_1").await;
    assert_eq!(queued["id"], "gj_1");
    assert_eq!(queued["client_reference"], "op-1");
    assert_eq!(queued["state"], "queued");
    assert_eq!(queued["outputs"], Value::Null);
    assert_eq!(queued["credits"]["reserved"], 12);
    assert_eq!(get_job(&fixture, "gj_1").await["state"], "running");
    let done = get_job(&fixture, "gj_1").await;
    assert_eq!(done["state"], "succeeded");
    assert_eq!(done["outputs"][0]["content_type"], "video/mp4");
    let url = done["outputs"][0]["url"].as_str().expect("a url");
    assert!(url.contains("/outputs/gj_1/0?token="), "{url}");
    assert_eq!(done["credits"]["charged"], 12);
    assert_eq!(done["error"], Value::Null);
    assert_eq!(fixture.gets("gj_1"), 3);
}

#[tokio::test]
async fn each_post_makes_a_job_of_its_own_and_all_are_counted() {
    let fixture = fixture().await;
    for _ in 0..2 {
        post(&fixture, "op-1").await.expect("an answer");
    }
    let billed: Vec<String> = fixture.billed().into_iter().map(|job| job.job_id).collect();
    assert_eq!(billed, ["gj_1", "gj_2"]);
    assert_eq!(fixture.counts().of("POST", "/v1/generations"), 2);
    let posts = fixture.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!(posts[0].client_reference.as_deref(), Some("op-1"));
    assert_eq!(posts[1].job_id.as_deref(), Some("gj_2"));
    assert!(posts[0].authorized && posts[0].complete);
    assert_eq!(posts[0].idempotency, None);
    assert_eq!(posts[0].body_sha256, posts[1].body_sha256);
    assert_eq!(posts[0].body.as_ref().expect("JSON")["prompt"], "a lighthouse");

    fixture.reset_counts();
    assert_eq!(fixture.counts().total(), 0);
    assert!(fixture.posts().is_empty());
    assert_eq!(fixture.billed().len(), 2);
}

#[tokio::test]
async fn a_key_is_needed_and_may_be_a_certain_one() {
    let options = FixtureOptions {
        job_prefix: "other_".to_owned(),
        expected_key: Some("right".to_owned()),
        ..FixtureOptions::new(([127, 0, 0, 1], 0).into())
    };
    let fixture = Fixture::start_with(options).await.expect("free ports");
    let url = format!("{}/v1/generations", fixture.base_url());
    for request in [client().post(&url), client().post(&url).bearer_auth("wrong")] {
        let response = request.json(&json!({})).send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
        assert_eq!(json_of(response).await["error"]["code"], "unauthorized");
    }
    assert!(fixture.billed().is_empty());
    let response = client()
        .post(&url)
        .bearer_auth("right")
        .header("x-idempotency-key", "k1")
        .json(&json!({}));
    let response = response.send().await.expect("an answer");
    assert_eq!(json_of(response).await["job"]["id"], "other_1");
    let posts = fixture.posts();
    assert_eq!(
        posts.iter().map(|post| post.authorized).collect::<Vec<_>>(),
        [false, true, true]
    );
    assert_eq!(posts[2].idempotency.as_deref(), Some("k1"));
    fixture.expect_key(None);
    assert_eq!(get_job(&fixture, "other_1").await["id"], "other_1");
}

#[tokio::test]
async fn stopping_ends_connections_and_frees_the_port() {
    let fixture = fixture().await;
    let addr = fixture.addr();
    // One connection is idle, one waits for an answer that would take an hour.
    let mut idle = TcpStream::connect(addr).await.expect("a connection");
    fixture.script_next_create(server::fixture::CreateScript::HangAfterRead {
        billed: false,
        ms: 3_600_000,
    });
    let mut hanging = TcpStream::connect(addr).await.expect("a connection");
    hanging.write_all(&raw_post("op-1")).await.expect("sent");
    while fixture.posts().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let begun = std::time::Instant::now();
    fixture.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let mut buffer = [0_u8; 16];
    for stream in [&mut idle, &mut hanging] {
        assert!(matches!(stream.read(&mut buffer).await, Ok(0) | Err(_)));
    }
    assert!(TcpStream::connect(addr).await.is_err());
    let again = Fixture::start(addr).await.expect("the same port");
    assert_eq!(again.addr(), addr);
    drop(again);
    for _ in 0..200 {
        if TcpStream::connect(addr).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("still listening after drop");
}
