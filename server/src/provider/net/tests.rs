use super::super::gate::Gate;
use super::{ConnectError, Connector, Names, Policy};
use bytes::Bytes;
use http_body_util::Full;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Counts who connects.
async fn canary() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
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

/// A connector whose names mean what `play` says, by how often it was asked before.
fn playing(play: impl Fn(usize) -> Vec<SocketAddr> + Send + Sync + 'static) -> (Connector, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let names = Names::Played(Arc::new(move |_| play(counted.fetch_add(1, Ordering::SeqCst))));
    let connector = Connector { names, ..trusting() };
    (connector, asked)
}

#[tokio::test]
async fn a_name_that_is_bound_anew_leads_nobody_in() {
    let (address, came) = canary().await;
    let base = Url::parse("https://api.example.test").expect("a URL");
    let policy = Policy::listing(&base, &["cdn.example.test".to_owned()]);
    let url = Url::parse(&format!("http://cdn.example.test:{}/x", address.port())).expect("a URL");
    let port = address.port();
    // Every spelling of this machine and of its neighbours, alone and beside an address that is none of ours.
    let private = [
        "127.0.0.1",
        "127.9.9.9",
        "0.0.0.0",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "fd00:ec2::254",
        "fe80::1",
    ];
    for text in private {
        let ip: std::net::IpAddr = text.parse().expect("an address");
        let (connector, asked) = playing(move |_| vec![SocketAddr::new(ip, port)]);
        let opened = connector.open(&url, &policy, Gate::open()).await;
        assert_eq!(opened.err(), Some(ConnectError::Blocked), "{text}");
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{text}: asked once");
    }
    let all: Vec<SocketAddr> = private
        .iter()
        .map(|text| SocketAddr::new(text.parse().expect("an address"), port))
        .collect();
    let (connector, _) = playing(move |_| all.clone());
    let opened = connector.open(&url, &policy, Gate::open()).await;
    assert_eq!(opened.err(), Some(ConnectError::Blocked));
    assert_eq!(came.load(Ordering::SeqCst), 0, "nobody knocked");
}

#[tokio::test]
async fn what_was_checked_is_what_is_connected_to() {
    let (address, came) = canary().await;
    let elsewhere: SocketAddr = ([127, 0, 0, 1], 9).into();
    let url = Url::parse(&format!("http://provider.test:{}/x", address.port())).expect("a URL");
    // Our own provider may be anywhere. Asked a second time, the name would lead elsewhere.
    let (connector, asked) = playing(move |before| {
        if before == 0 {
            vec![address]
        } else {
            vec![elsewhere]
        }
    });
    let opened = connector.open(&url, &Policy::only(&url), Gate::open()).await;
    assert!(opened.is_ok(), "{:?}", opened.err());
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let knocked = async {
        while came.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), knocked)
        .await
        .expect("the canary heard of it");
    let (connector, _) = playing(|_| Vec::new());
    let opened = connector.open(&url, &Policy::only(&url), Gate::open()).await;
    assert_eq!(
        opened.err(),
        Some(ConnectError::Lookup),
        "a name that means nothing"
    );
}
