//! Serving until told to stop.

use super::router;
use crate::office::Office;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How long requests under way may still take after the signal; after that their connections are dropped.
/// The whole program ends within 15 seconds.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(8);

/// Serves pages and API on the listener until `shutdown`, then lets requests under way finish.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    office: Arc<Office>,
    shutdown: CancellationToken,
) -> std::io::Result<()> {
    let service = router(office).into_make_service_with_connect_info::<SocketAddr>();
    let told = shutdown.clone();
    let serving =
        axum::serve(listener, service).with_graceful_shutdown(async move { told.cancelled().await });
    let late = async {
        shutdown.cancelled().await;
        tokio::time::sleep(SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        ended = serving => ended,
        () = late => {
            tracing::warn!("requests under way were dropped");
            Ok(())
        }
    }
}
