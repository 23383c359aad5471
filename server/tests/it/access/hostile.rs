//! A provider that means harm: bodies without end, packed bombs, drips, floods of headers, and URLs that lead inside.
//! Each has an end in bounded time and memory, its own category, and reaches nobody else.

use app::domain::ids::JobId;
use app::domain::operation::ErrorCategory;
use app::domain::remote::Fetch;
use axum::body::Body;
use axum::http::{Request, Response, header};
use http_body_util::BodyExt;
use server::config::{Config, Flags};
use server::provider::{Reader, Readers};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::{Layer, ServiceExt, service_fn};
use tower_http::compression::CompressionLayer;
use url::Url;

/// Longer than every bound that is tested, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(40);

/// How a hostile server goes on after a request.
#[derive(Clone)]
enum Play {
    Bytes(Arc<Vec<u8>>),
    /// These bytes, and then this for ever, with a rest between.
    Then(Arc<Vec<u8>>, Arc<Vec<u8>>, Duration),
}

fn bytes(text: &str) -> Arc<Vec<u8>> {
    Arc::new(text.as_bytes().to_vec())
}

async fn act(mut stream: TcpStream, play: Play) {
    let mut request = [0; 4096];
    if stream.read(&mut request).await.unwrap_or(0) == 0 {
        return;
    }
    match play {
        Play::Bytes(all) => {
            stream.write_all(&all).await.ok();
            // It hangs up on nobody.
            tokio::time::sleep(PATIENCE).await;
        }
        Play::Then(first, again, rest) => {
            let mut sent = stream.write_all(&first).await.is_ok();
            while sent {
                sent = stream.write_all(&again).await.is_ok();
                tokio::time::sleep(rest).await;
            }
        }
    }
}

async fn hostile(play: Play) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(act(stream, play.clone()));
        }
    });
    address
}

fn reader(base: SocketAddr, allow: &[&str]) -> Reader {
    let text = format!(
        "[providers.genace]\nprofile = \"genace\"\napi_key_env = \"\"\nbase_url = \"http://{base}\"\n\
         timeout_seconds = 1\nallow_hosts = {allow:?}\n"
    );
    let config = Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration");
    let readers = Readers::from_config(&config).expect("readers");
    readers.get("genace").expect("it is configured").clone()
}

/// What a read and a fetch of an output make of it.
async fn both(play: Play) -> (Fetch, Option<ErrorCategory>) {
    let address = hostile(play).await;
    let reader = reader(address, &[]);
    let job = JobId::from("gj_1");
    let url = Url::parse(&format!("http://{address}/out.mp4")).expect("a URL");
    let output = async {
        let mut body = match reader.outputs.fetch(&url, 1_000_000).await {
            Ok(body) => body,
            Err(error) => return Some(error.category),
        };
        loop {
            match body.chunk().await {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => return Some(error.category),
            }
        }
    };
    let both = async { tokio::join!(reader.jobs.observe(&job), output) };
    let (answer, output) = tokio::time::timeout(PATIENCE, both)
        .await
        .expect("both have an end");
    (answer.observation.fetch, output)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_without_end_has_one() {
    let chunked = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let piece = format!("4000\r\n{}\r\n", " ".repeat(0x4000));
    let endless = Play::Then(bytes(chunked), bytes(&piece), Duration::ZERO);
    assert_eq!(
        both(endless).await,
        (Fetch::BadPayload, Some(ErrorCategory::OutputTooLarge))
    );
    let unnamed = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
    let endless = Play::Then(bytes(unnamed), bytes(&" ".repeat(0x4000)), Duration::ZERO);
    assert_eq!(
        both(endless).await,
        (Fetch::BadPayload, Some(ErrorCategory::OutputTooLarge))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drip_is_given_up() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n";
    // Each byte comes in time; the whole would take days.
    let drip = Play::Then(bytes(head), bytes("x"), Duration::from_millis(200));
    assert_eq!(both(drip).await, (Fetch::Network, Some(ErrorCategory::Timeout)));
    let slow_head = Play::Then(
        bytes("HTTP/1.1 200 OK\r\nx: "),
        bytes("x"),
        Duration::from_millis(200),
    );
    assert_eq!(
        both(slow_head).await,
        (Fetch::Network, Some(ErrorCategory::Timeout))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_headers_is_no_answer() {
    let many: String = (0..5_000).map(|n| format!("x-{n}: y\r\n")).collect();
    let long = format!("x: {}\r\n", "y".repeat(200_000));
    for flood in [many, long] {
        let head = format!("HTTP/1.1 200 OK\r\n{flood}content-length: 2\r\n\r\n{{}}");
        let got = both(Play::Bytes(bytes(&head))).await;
        assert_eq!(got, (Fetch::Network, Some(ErrorCategory::Connection)));
    }
    let endless = Play::Then(
        bytes("HTTP/1.1 200 OK\r\n"),
        bytes(&"x: y\r\n".repeat(500)),
        Duration::ZERO,
    );
    assert_eq!(
        both(endless).await,
        (Fetch::Network, Some(ErrorCategory::Connection))
    );
}

/// Eight megabytes of nothing, packed.
async fn bomb() -> Vec<u8> {
    let plain = service_fn(|_: Request<Body>| async {
        let body = Body::from(vec![b' '; 8 * 1024 * 1024]);
        let response = Response::builder()
            .header(header::CONTENT_TYPE, "application/json")
            .body(body);
        Ok::<_, Infallible>(response.expect("a response"))
    });
    let request = Request::builder()
        .header(header::ACCEPT_ENCODING, "gzip")
        .body(Body::empty())
        .expect("a request");
    let packed = CompressionLayer::new()
        .layer(plain)
        .oneshot(request)
        .await
        .expect("packed");
    assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip");
    packed
        .into_body()
        .collect()
        .await
        .expect("bytes")
        .to_bytes()
        .to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bomb_is_not_unpacked() {
    let bomb = bomb().await;
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    for encoding in ["gzip", "br", "deflate", "identity, gzip"] {
        let mut answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: {encoding}\r\ncontent-length: {}\r\n\r\n",
            bomb.len()
        )
        .into_bytes();
        answer.extend_from_slice(&bomb);
        let got = both(Play::Bytes(Arc::new(answer))).await;
        assert_eq!(
            got,
            (Fetch::BadPayload, Some(ErrorCategory::OutputMismatch)),
            "{encoding}"
        );
    }
}

/// Counts who connects to it.
async fn canary() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let came = Arc::new(AtomicUsize::new(0));
    let counted = came.clone();
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (address, came)
}

/// This machine, in spellings that somebody hopes are not read.
fn spellings(port: u16) -> Vec<String> {
    [
        "127.0.0.1",
        "127.1",
        "127.000.000.001",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "127.0.0.1.",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:7f00:0001]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::1]",
        "0.0.0.0",
        "0",
        "[::]",
        "localhost",
        "LOCALHOST.",
        "cdn.example.test@127.0.0.1",
        "cdn.example.test:80@127.0.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
    ]
    .iter()
    .map(|host| format!("http://{host}:{port}/out.mp4"))
    .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_spelling_of_an_output_leads_inside() {
    let (address, came) = canary().await;
    let provider = hostile(Play::Bytes(bytes("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))).await;
    let reader = reader(provider, &["cdn.example.test"]);
    let mut tried = 0;
    for text in spellings(address.port()) {
        // What is no URL at all never becomes a link.
        let Ok(url) = Url::parse(&text) else { continue };
        let fetched = tokio::time::timeout(PATIENCE, reader.outputs.fetch(&url, 1000)).await;
        let refused = fetched.expect("an end").err().map(|error| error.category);
        assert_eq!(refused, Some(ErrorCategory::OutputBlocked), "{text}");
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
    // And no hop of a redirect.
    for text in spellings(address.port()) {
        let head = format!("HTTP/1.1 302 Found\r\nlocation: {text}\r\ncontent-length: 0\r\n\r\n");
        let provider = hostile(Play::Bytes(bytes(&head))).await;
        let reader = self::reader(provider, &["cdn.example.test"]);
        let url = Url::parse(&format!("http://{provider}/out.mp4")).expect("a URL");
        let fetched = tokio::time::timeout(PATIENCE, reader.outputs.fetch(&url, 1000)).await;
        let refused = fetched.expect("an end").err().map(|error| error.category);
        let expected = [
            Some(ErrorCategory::OutputBlocked),
            Some(ErrorCategory::BadPayload),
        ];
        assert!(expected.contains(&refused), "{text}: {refused:?}");
        // The read of a job goes nowhere else either, not even to a host that is listed for outputs.
        let answer = tokio::time::timeout(PATIENCE, reader.jobs.observe(&JobId::from("gj_1"))).await;
        let fetch = answer.expect("an end").observation.fetch;
        assert!(
            [Fetch::Blocked, Fetch::BadPayload].contains(&fetch),
            "{text}: {fetch}"
        );
    }
    assert_eq!(came.load(Ordering::SeqCst), 0, "nobody knocked at the canary");
}
