//! `dlo serve`, `dlo worker`, `dlo migrate`: the commands that run until told to stop, and what they need first.

use super::context::{CliError, Context, Outcome};
use crate::background::{self, Duties};
use crate::office::Office;
use crate::web;
use std::fmt::Write as _;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// What runs in the background may still take so long after the signal, [`web::SHUTDOWN_GRACE`] within it.
const BACKGROUND_GRACE: Duration = Duration::from_secs(13);
/// Connections to the database are given back within this time, or left to it. The whole ends within 15 seconds.
const CLOSE: Duration = Duration::from_secs(1);

/// A token that SIGTERM and SIGINT cancel. A second signal ends the program at once.
pub fn until_told() -> Result<CancellationToken, CliError> {
    let unheard =
        |error: std::io::Error| CliError::failed(format!("signals cannot be heard: {}", error.kind()));
    let mut terminate = signal(SignalKind::terminate()).map_err(unheard)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(unheard)?;
    let shutdown = CancellationToken::new();
    let told = shutdown.clone();
    tokio::spawn(async move {
        for last in [false, true] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if last {
                std::process::exit(1);
            }
            tracing::info!("ending");
            told.cancel();
        }
    });
    Ok(shutdown)
}

/// Serves pages and API, and works, until told to stop.
pub async fn serve(context: Context) -> Outcome {
    let shutdown = until_told()?;
    for warning in context.config.warnings() {
        tracing::warn!("{warning}");
    }
    let bind = &context.config.server.bind;
    let listener = TcpListener::bind(bind)
        .await
        .map_err(|error| CliError::failed(format!("{bind} cannot be listened on: {}", error.kind())))?;
    let address = listener
        .local_addr()
        .map_err(|error| CliError::failed(format!("the address is not known: {}", error.kind())))?;
    let office = Arc::new(context.office(context.migrated().await?)?);
    let duties = Duties {
        worker: context.config.worker.enabled,
        housekeeping: true,
    };
    let working = background::start(&office, duties, &shutdown)?;
    let mut said = format!("Listening on http://{address}\n");
    // A database that takes no changes now serves what it has.
    let offered = office.offer_set_up().await.unwrap_or_else(|error| {
        tracing::warn!(error = %error, "no set-up link could be kept");
        None
    });
    if let Some(secret) = offered {
        let base = match context.config.server.public_url.trim_end_matches('/') {
            "" => format!("http://{}", callable(address)),
            public => public.to_owned(),
        };
        let minutes = crate::storage::setup::VALID.num_minutes();
        let link = format!("{base}{}?link={secret}", app::href::SETUP);
        let words = "Nobody can sign in yet. Make the first person here, once, within";
        // Writing to a String does not fail.
        let _ = writeln!(said, "{words} {minutes} minutes:\n{link}");
    }
    // Whoever started it may not be listening.
    let mut out = std::io::stdout();
    out.write_all(said.as_bytes()).and_then(|()| out.flush()).ok();
    let told = told_at(&shutdown);
    let served = web::serve(listener, office.clone(), shutdown.clone()).await;
    // When serving failed by itself, the rest ends too.
    shutdown.cancel();
    end(&office, working, told).await;
    served.map_err(|error| CliError::failed(format!("serving failed: {}", error.kind())))
}

/// An address that a browser on this machine can call: `0.0.0.0` cannot be called everywhere.
fn callable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => SocketAddr::from((Ipv4Addr::LOCALHOST, v4.port())),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => SocketAddr::from((Ipv6Addr::LOCALHOST, v6.port())),
        SocketAddr::V4(_) | SocketAddr::V6(_) => address,
    }
}

/// Works alone, without pages.
pub async fn worker(context: Context) -> Outcome {
    let shutdown = until_told()?;
    let office = Arc::new(context.office(context.current().await?)?);
    let working = background::start(
        &office,
        Duties {
            worker: true,
            housekeeping: true,
        },
        &shutdown,
    )?;
    let told = told_at(&shutdown);
    shutdown.cancelled().await;
    end(&office, working, told).await;
    Ok(())
}

/// When the end began.
fn told_at(shutdown: &CancellationToken) -> JoinHandle<Instant> {
    let told = shutdown.clone();
    tokio::spawn(async move {
        told.cancelled().await;
        Instant::now()
    })
}

/// Waits for what runs beside the requests, in what is left of the time.
async fn end(office: &Office, working: JoinSet<()>, told: JoinHandle<Instant>) {
    let told = told.await.unwrap_or_else(|_| Instant::now());
    background::finish(working, BACKGROUND_GRACE.saturating_sub(told.elapsed())).await;
    if tokio::time::timeout(CLOSE, office.database.close())
        .await
        .is_err()
    {
        tracing::warn!("the database kept some connections");
    }
}

/// Brings the database up to date.
pub async fn migrate(context: Context) -> Outcome {
    let database = context.migrated().await?;
    println!("the database is up to date");
    database.close().await;
    Ok(())
}
