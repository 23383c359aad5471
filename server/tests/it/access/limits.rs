//! What one sender may take: heads, connections, time, requests at once, pages of lists, rows of an export. Bodies are in
//! `api_edge`.

use crate::support::app::{NO_DUTIES, TestApp, system};
use crate::support::backend::{Backend, Kind};
use app::domain::role::Role;
use serde_json::json;
use server::config::{Config, Flags};
use server::database::Database;
use server::office::Office;
use server::storage::audit::{self, Entry};
use server::web::{self, Limits};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// Longer than any answer takes on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(30);

async fn start() -> TestApp {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    TestApp::start(backend, database, Config::default()).await
}

/// Sends these bytes and reads the status of the answer.
async fn status(address: SocketAddr, head: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(head.as_bytes()).await.ok();
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer))
        .await
        .expect("an answer in time")
        .ok();
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_has_its_length() {
    let app = start().await;
    let head =
        |header: &str| format!("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{header}\r\n");
    let one = |length: usize| head(&format!("x-long: {}\r\n", "x".repeat(length)));
    let many = |count: usize| head(&(0..count).map(|n| format!("x-{n}: y\r\n")).collect::<String>());
    assert_eq!(status(app.address, &one(60_000)).await, "200");
    assert_eq!(status(app.address, &one(70_000)).await, "431");
    assert_eq!(status(app.address, &many(90)).await, "200");
    assert_eq!(status(app.address, &many(120)).await, "431");
    let path = format!(
        "GET /{} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        "x".repeat(70_000)
    );
    let refused = status(app.address, &path).await;
    assert!(["414", "431"].contains(&&*refused), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_connections_than_are_allowed_wait_for_a_place() {
    let (_backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    let office = Arc::new(Office::new(database, Arc::new(Config::default())));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let limits = Limits {
        connections: 2,
        ..Limits::default()
    };
    let serving = tokio::spawn(web::serve_with(listener, office, stop.clone(), limits));
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(request).await.expect("sent");
        let mut byte = [0];
        tokio::time::timeout(PATIENCE, stream.read_exact(&mut byte))
            .await
            .expect("an answer in time")
            .expect("a byte");
        held.push(stream);
    }
    let mut third = TcpStream::connect(address).await.expect("the system takes it");
    third.write_all(request).await.expect("sent");
    let mut byte = [0];
    let early = tokio::time::timeout(Duration::from_millis(300), third.read_exact(&mut byte)).await;
    assert!(early.is_err(), "nobody serves it while both places are held");
    drop(held);
    tokio::time::timeout(PATIENCE, third.read_exact(&mut byte))
        .await
        .expect("it has its turn")
        .expect("a byte");
    drop(third);
    stop.cancel();
    tokio::time::timeout(PATIENCE, serving)
        .await
        .expect("it ends")
        .expect("no panic")
        .expect("in good order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_gives_no_more_than_a_page() {
    let app = start().await;
    let mut tx = app.office.database.write().await.expect("a transaction");
    for _ in 0..230 {
        audit::append(&mut tx, Entry::new(&system(), "counted"))
            .await
            .expect("kept");
    }
    tx.commit().await.expect("kept");
    for list in ["operations", "dead-letters", "recoveries", "audit"] {
        for limit in ["0", "201", "1000000", "-1", "x", "1&limit=2"] {
            app.get(Role::Viewer, &format!("/api/v1/{list}?limit={limit}"))
                .await
                .refused(400, "invalid_request");
        }
        let most = app
            .get(Role::Viewer, &format!("/api/v1/{list}?limit=200"))
            .await
            .expect(200)
            .json();
        assert!(most["items"].as_array().expect("items").len() <= 200);
        let mut browser = app.signed_in(Role::Viewer).await;
        browser.get(&format!("/{list}?limit=201")).await.expect(400);
    }
    let audit = app
        .get(Role::Viewer, "/api/v1/audit?limit=200")
        .await
        .expect(200)
        .json();
    assert_eq!(audit["items"].as_array().expect("items").len(), 200);
    assert!(audit["next_cursor"].is_string());
    let usual = app.get(Role::Viewer, "/api/v1/audit").await.expect(200).json();
    assert!(usual["items"].as_array().expect("items").len() <= 200);
}

async fn entries(database: &Database, count: usize) {
    let mut tx = database.write().await.expect("a transaction");
    for number in 0..count {
        let entry = Entry::new(&system(), "counted").reason(format!("=cmd {number}"));
        audit::append(&mut tx, entry).await.expect("kept");
    }
    tx.commit().await.expect("kept");
}

fn export(url: &str, more: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dlo"))
        .args(["audit", "export", "--database-url", url])
        .args(more)
        .env_remove("RUST_LOG")
        .output()
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_gives_so_many_rows_and_says_how_to_go_on() {
    let (backend, database) = Backend::open(Kind::Sqlite).await.expect("SQLite is always there");
    entries(&database, 25).await;
    database.close().await;
    let (first, said) = export(&backend.url, &["--limit", "10"]);
    assert_eq!(first.lines().count(), 10);
    assert!(said.contains("--after 10"), "{said}");
    let (rest, said) = export(&backend.url, &["--after", "10", "--format", "csv"]);
    // A head, fifteen entries, and the two exports.
    assert_eq!(rest.lines().count(), 1 + 15 + 2, "{rest}");
    assert_eq!(said, "");
    assert!(rest.contains(",'=cmd 24,"), "a formula is defused: {rest}");
    assert!(
        rest.contains("audit_exported") && rest.contains("\"as CSV, after entry 10\""),
        "{rest}"
    );
    let refused = Command::new(env!("CARGO_BIN_EXE_dlo"))
        .args([
            "audit",
            "export",
            "--database-url",
            &backend.url,
            "--limit",
            "2000000",
        ])
        .output()
        .expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
}

/// A provider that takes requests and answers none until it is let go; how many it has taken.
async fn held_provider() -> (SocketAddr, Arc<AtomicUsize>, CancellationToken) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    let (taken, go) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
    let (counted, told) = (taken.clone(), go.clone());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            let told = told.clone();
            tokio::spawn(async move {
                told.cancelled().await;
                drop(stream);
            });
        }
    });
    (address, taken, go)
}

/// An office within these limits that asks this provider, with one operation to ask about.
async fn asking(provider: SocketAddr, limits: Limits) -> TestApp {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    let text = format!(
        "[providers.genace]\nprofile = \"genace\"\napi_key_env = \"\"\nbase_url = \"http://{provider}\"\ntimeout_seconds = 40\n"
    );
    let config = Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration");
    let app = TestApp::start_within(backend, database, config, NO_DUTIES, limits).await;
    let record = json!({"provider": "genace", "owner": "studio", "phase": "prepared", "specification": {"id": "s", "revision": 1}});
    app.put(Role::Reporter, "/api/v1/operations/op_1", &record)
        .await
        .expect(201);
    app
}

const SLOW: &str = "/api/v1/operations/op_1/candidates";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_takes_too_long_is_answered_all_the_same() {
    let (provider, taken, _go) = held_provider().await;
    let limits = Limits {
        request_time: Duration::from_millis(700),
        ..Limits::default()
    };
    let app = asking(provider, limits).await;
    let began = Instant::now();
    let answer = app.get(Role::Operator, SLOW).await;
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    let problem = answer.refused(503, "unavailable");
    assert_eq!(
        problem["detail"],
        "This took too long. Look again before you repeat it."
    );
    assert_eq!(
        taken.load(Ordering::SeqCst),
        1,
        "the provider was asked, and was silent"
    );
    app.get(Role::Operator, "/api/v1/operations/op_1")
        .await
        .expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_requests_than_are_worked_on_at_once_wait_their_turn() {
    let (provider, taken, go) = held_provider().await;
    let limits = Limits {
        at_once: 2,
        ..Limits::default()
    };
    let app = asking(provider, limits).await;
    let slow = async { tokio::join!(app.get(Role::Operator, SLOW), app.get(Role::Operator, SLOW)) };
    let third = async {
        while taken.load(Ordering::SeqCst) < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let request = app.client.get(app.url("/healthz")).send();
        tokio::pin!(request);
        let early = tokio::time::timeout(Duration::from_millis(300), request.as_mut()).await;
        assert!(early.is_err(), "both places are held");
        go.cancel();
        request.await.expect("its turn comes").status().as_u16()
    };
    let all = tokio::time::timeout(PATIENCE, async { tokio::join!(slow, third) });
    let ((first, second), third) = all.await.expect("each has its turn");
    assert_eq!(
        (first.status.as_u16(), second.status.as_u16(), third),
        (200, 200, 200)
    );
}
