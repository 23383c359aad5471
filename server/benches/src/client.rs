//! A small HTTP/1.1 client on kept-alive connections, and how long its requests take.

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// Who asks.
#[derive(Debug, Clone)]
pub enum Credential {
    Cookie(String),
    Token(String),
}

/// One connection.
pub struct Connection {
    sender: SendRequest<Empty<Bytes>>,
    host: String,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("a socket option");
        let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("a connection");
        tokio::spawn(connection);
        Self {
            sender,
            host: address.to_string(),
        }
    }

    /// Asks for a page and reads it whole. Anything but 200 ends the run.
    pub async fn get(&mut self, path: &str, credential: &Credential, gzip: bool) -> Bytes {
        let mut request = http::Request::get(path).header("host", &self.host);
        request = match credential {
            Credential::Cookie(cookie) => request.header("cookie", cookie).header("accept", "text/html"),
            Credential::Token(token) => request.header("authorization", format!("Bearer {token}")),
        };
        if gzip {
            request = request.header("accept-encoding", "gzip");
        }
        let request = request.body(Empty::new()).expect("a request");
        self.sender.ready().await.expect("a kept connection");
        let answer = self.sender.send_request(request).await.expect("an answer");
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        assert_eq!(answer.headers().contains_key("content-encoding"), gzip, "{path}");
        answer
            .into_body()
            .collect()
            .await
            .expect("a whole body")
            .to_bytes()
    }
}

/// What one round of requests took.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub median: Duration,
    pub p99: Duration,
    pub per_second: f64,
}

/// Asks for the paths in turn on so many connections for so long, compressed as a browser would.
pub async fn measure(
    address: SocketAddr,
    credential: &Credential,
    paths: &Arc<Vec<String>>,
    connections: usize,
    span: Duration,
) -> Measured {
    let began = Instant::now();
    let tasks: Vec<_> = (0..connections)
        .map(|first| {
            let (credential, paths) = (credential.clone(), Arc::clone(paths));
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await;
                let mut took = Vec::new();
                for path in paths.iter().cycle().skip(first) {
                    let asked = Instant::now();
                    if asked.duration_since(began) > span {
                        break;
                    }
                    connection.get(path, &credential, true).await;
                    took.push(asked.elapsed());
                }
                took
            })
        })
        .collect();
    let mut took = Vec::new();
    for task in tasks {
        took.extend(task.await.expect("a connection's round"));
    }
    let whole = began.elapsed();
    took.sort_unstable();
    let per_second = f64::from(u32::try_from(took.len()).expect("a count")) / whole.as_secs_f64();
    Measured {
        median: took[took.len() / 2],
        p99: took[took.len() * 99 / 100],
        per_second,
    }
}
