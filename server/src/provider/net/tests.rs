use super::super::gate::Gate;
use super::{ConnectError, Connector, Policy};
use bytes::Bytes;
use http_body_util::Full;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use url::Url;

/// Made for these tests alone: a root, and a certificate for `localhost` and 127.0.0.1.
const ROOT: &[u8] = include_bytes!("testdata/root.der");
const LEAF: &[u8] = include_bytes!("testdata/leaf.der");
const LEAF_KEY: &[u8] = include_bytes!("testdata/leaf-key.der");

/// Answers one request over TLS.
async fn serve() -> SocketAddr {
    let key = rustls_pki_types::PrivatePkcs8KeyDer::from(LEAF_KEY.to_vec());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![LEAF.to_vec().into()], key.into())
        .expect("a certificate");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
        }
    });
    address
}

fn trusting() -> Connector {
    let mut roots = RootCertStore::empty();
    roots.add(ROOT.to_vec().into()).expect("a root");
    Connector::trusting(roots).expect("a connector")
}

#[tokio::test]
async fn a_trusted_certificate_is_talked_to() {
    let address = serve().await;
    for url in [
        format!("https://{address}/x"),
        format!("https://localhost:{}/x", address.port()),
    ] {
        let url = Url::parse(&url).expect("a URL");
        let mut line = trusting()
            .open(&url, &Policy::only(&url), Gate::open())
            .await
            .expect("a connection");
        let request = http::Request::get("/x")
            .body(Full::new(Bytes::new()))
            .expect("a request");
        let response = line.sender().send_request(request).await.expect("an answer");
        assert_eq!(response.status(), 204);
    }
}

#[tokio::test]
async fn a_stranger_is_not() {
    let address = serve().await;
    let url = Url::parse(&format!("https://{address}/x")).expect("a URL");
    let strange = Connector::trusting(RootCertStore::empty()).expect("a connector");
    let opened = strange.open(&url, &Policy::only(&url), Gate::open()).await;
    assert_eq!(opened.err(), Some(ConnectError::Tls));
    let opened = Connector::new()
        .expect("a connector")
        .open(&url, &Policy::only(&url), Gate::open())
        .await;
    assert_eq!(
        opened.err(),
        Some(ConnectError::Tls),
        "nor does this machine know the root"
    );
}

#[tokio::test]
async fn nothing_is_opened_to_where_the_policy_does_not_lead() {
    let address = serve().await;
    let url = Url::parse(&format!("https://{address}/x")).expect("a URL");
    let elsewhere = Url::parse("https://api.example.test").expect("a URL");
    let opened = trusting()
        .open(&url, &Policy::only(&elsewhere), Gate::open())
        .await;
    assert_eq!(opened.err(), Some(ConnectError::Blocked));
    let opened = trusting().open(&url, &Policy::nowhere(), Gate::open()).await;
    assert_eq!(opened.err(), Some(ConnectError::Blocked));
}
