//! Connections that we open ourselves: the address that is connected to is the one that was checked, and what
//! failed before the first byte of a request can be told from what failed after it.

use super::gate::{Gate, Gated};
use super::policy::endpoint;
pub use super::policy::{HostRule, Policy};
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::{Host, Url};

/// No connection is waited for longer, per address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest head of an answer, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// The most headers of an answer.
const MAX_HEADERS: usize = 100;

/// Why there is no connection. Nothing of a request was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The host or its address is not allowed.
    #[error("the address is not allowed")]
    Blocked,
    /// The URL is no http or https URL with a host.
    #[error("the URL cannot be used")]
    Url,
    #[error("the name was not found")]
    Lookup,
    #[error("the connection was refused")]
    Refused,
    #[error("the connection timed out")]
    Timeout,
    #[error("the secure connection failed")]
    Tls,
}

/// One connection, for one request. It ends when this is dropped.
pub struct Line {
    sender: SendRequest<Full<bytes::Bytes>>,
    driver: JoinHandle<()>,
}

impl Line {
    /// The handle that sends the one request.
    pub fn sender(&mut self) -> &mut SendRequest<Full<bytes::Bytes>> {
        &mut self.sender
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Opens connections: HTTP/1.1, no pool, no proxy.
#[derive(Clone)]
pub struct Connector {
    tls: TlsConnector,
    names: Names,
}

/// Answers of a name server that a test plays.
#[cfg(test)]
type PlayedLookup = dyn Fn(&str) -> Vec<SocketAddr> + Send + Sync;

/// Who answers for a name.
#[derive(Clone)]
enum Names {
    /// This machine's resolver.
    System,
    /// A resolver that a test plays.
    #[cfg(test)]
    Played(Arc<PlayedLookup>),
}

impl Names {
    async fn look_up(&self, name: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        match self {
            Self::System => Ok(lookup_host((name, port)).await?.collect()),
            #[cfg(test)]
            Self::Played(play) => Ok(play(name)),
        }
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connector")
    }
}

impl Connector {
    /// A connector that trusts what this machine trusts.
    ///
    /// # Errors
    /// The machine's certificates cannot be used.
    pub fn new() -> Result<Self, ConnectError> {
        use rustls_platform_verifier::BuilderVerifierExt;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier)
            .map_err(|_| ConnectError::Tls)?
            .with_no_client_auth();
        Ok(Self {
            tls: TlsConnector::from(Arc::new(config)),
            names: Names::System,
        })
    }

    /// A connector that trusts these roots alone.
    ///
    /// # Errors
    /// The protocol versions do not fit the cryptography that is built in.
    pub fn trusting(roots: RootCertStore) -> Result<Self, ConnectError> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| ConnectError::Tls)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            tls: TlsConnector::from(Arc::new(config)),
            names: Names::System,
        })
    }

    /// A connection to the URL's host, at an address that the policy allows. No byte of a request is sent; the
    /// first one has to pass the gate.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn open(&self, url: &Url, policy: &Policy, gate: Arc<Gate>) -> Result<Line, ConnectError> {
        let (host, port) = endpoint(url).ok_or(ConnectError::Url)?;
        if !policy.allows(url) {
            return Err(ConnectError::Blocked);
        }
        let stream = connect(&self.names, &host, port, policy).await?;
        if url.scheme() == "https" {
            let name = match &host {
                Host::Domain(name) => {
                    rustls_pki_types::ServerName::try_from(name.clone()).map_err(|_| ConnectError::Url)?
                }
                Host::Ipv4(address) => rustls_pki_types::ServerName::from(IpAddr::V4(*address)),
                Host::Ipv6(address) => rustls_pki_types::ServerName::from(IpAddr::V6(*address)),
            };
            let secured = tokio::time::timeout(CONNECT_TIMEOUT, self.tls.connect(name, stream))
                .await
                .map_err(|_| ConnectError::Timeout)?
                .map_err(|_| ConnectError::Tls)?;
            line(Gated::new(secured, gate)).await
        } else {
            line(Gated::new(stream, gate)).await
        }
    }
}

/// Names are looked up once, and what is connected to is one of those very addresses: a name that means something else
/// a moment later changes nothing.
async fn connect(
    names: &Names,
    host: &Host<String>,
    port: u16,
    policy: &Policy,
) -> Result<TcpStream, ConnectError> {
    let addresses: Vec<SocketAddr> = match host {
        Host::Ipv4(address) => vec![SocketAddr::from((*address, port))],
        Host::Ipv6(address) => vec![SocketAddr::from((*address, port))],
        Host::Domain(name) => tokio::time::timeout(CONNECT_TIMEOUT, names.look_up(name, port))
            .await
            .map_err(|_| ConnectError::Timeout)?
            .map_err(|_| ConnectError::Lookup)?,
    };
    if addresses.is_empty() {
        return Err(ConnectError::Lookup);
    }
    let mut error = ConnectError::Blocked;
    for address in addresses {
        if !policy.allows_address(host, port, address.ip()) {
            continue;
        }
        match tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // Small requests leave at once; a socket that cannot be told so works all the same.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(_)) => error = ConnectError::Refused,
            Err(_) => error = ConnectError::Timeout,
        }
    }
    Err(error)
}

async fn line<S>(stream: S) -> Result<Line, ConnectError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|_| ConnectError::Refused)?;
    let driver = tokio::spawn(async move {
        // Its error reaches whoever waits for the answer.
        let _ = connection.await;
    });
    Ok(Line { sender, driver })
}

#[cfg(test)]
mod tests;
