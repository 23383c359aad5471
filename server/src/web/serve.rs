//! Serving until told to stop, connection by connection.
//!
//! The end has three steps. Every new request is answered 503 for a moment, so that whoever balances the load looks
//! elsewhere; then nobody listens any more; then what is under way may come to its end, within a bound.

use super::{Limits, Served, router};
use crate::office::Office;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// How long new requests are still answered, with 503, after the signal.
pub const DRAIN: Duration = Duration::from_secs(1);
/// How long requests under way may still take after the signal; after that their connections are dropped.
/// The whole program ends within 15 seconds.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(8);
/// The wait after a connection could not be taken for want of descriptors.
const OUT_OF_FILES: Duration = Duration::from_millis(200);

/// Serves pages and API on the listener until `shutdown`, then lets requests under way finish.
///
/// # Errors
/// Never at present; a listener that fails is tried again.
pub async fn serve(
    listener: TcpListener,
    office: Arc<Office>,
    shutdown: CancellationToken,
) -> std::io::Result<()> {
    serve_with(listener, office, shutdown, Limits::default()).await
}

/// As [`serve`], with other limits.
///
/// # Errors
/// As [`serve`].
pub async fn serve_with(
    listener: TcpListener,
    office: Arc<Office>,
    shutdown: CancellationToken,
    limits: Limits,
) -> std::io::Result<()> {
    let served = Served {
        limits,
        ..Served::new(office.clone())
    };
    let room = Arc::new(Semaphore::new(limits.connections));
    let routers = Routers {
        plain: router(served.clone(), false),
        secure: router(served, true),
        https: office.config.server.is_https(),
    };
    let connections = TaskTracker::new();
    let closing = CancellationToken::new();
    let drained = async {
        shutdown.cancelled().await;
        office.ending.cancel();
        tokio::time::sleep(DRAIN).await;
    };
    tokio::pin!(drained);
    loop {
        let accepted = tokio::select! {
            () = &mut drained => break,
            accepted = next(&listener, &room) => accepted,
        };
        match accepted {
            Ok((stream, peer, place)) => {
                let served = connection(stream, peer, routers.of(peer), closing.clone(), limits);
                connections.spawn(async move {
                    served.await;
                    drop(place);
                });
            }
            // The other side gave up before we looked.
            Err(error) if is_its_own(&error) => {}
            Err(error) => {
                tracing::error!(error = %error, "a connection could not be taken");
                tokio::time::sleep(OUT_OF_FILES).await;
            }
        }
    }
    drop(listener);
    closing.cancel();
    connections.close();
    if tokio::time::timeout(SHUTDOWN_GRACE - DRAIN, connections.wait())
        .await
        .is_err()
    {
        tracing::warn!("requests under way were dropped");
    }
    Ok(())
}

/// The next connection, as soon as there is a place for it.
async fn next(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = room
        .clone()
        .acquire_owned()
        .await
        .map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, place))
}

/// The same routes twice. A cookie without `Secure` and without a name that binds it to its host is given only to a
/// browser on this machine that speaks plain HTTP with us.
struct Routers {
    plain: axum::Router,
    secure: axum::Router,
    /// Whether the public address is https.
    https: bool,
}

impl Routers {
    fn of(&self, peer: SocketAddr) -> axum::Router {
        if self.https || !peer.ip().to_canonical().is_loopback() {
            self.secure.clone()
        } else {
            self.plain.clone()
        }
    }
}

fn is_its_own(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::ConnectionRefused
            | std::io::ErrorKind::ConnectionAborted
            | std::io::ErrorKind::ConnectionReset
    )
}

/// One connection, until it ends or the program does.
async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: axum::Router,
    closing: CancellationToken,
    limits: Limits,
) {
    // A compressed answer leaves in several pieces: none of them waits for the reader's acknowledgement of the last.
    stream.set_nodelay(true).ok();
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_header_size(limits.head_bytes)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing.cancelled() => {
            // What is under way is answered; nothing new is read.
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = %error, "a connection broke");
    }
}
