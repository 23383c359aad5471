//! `dlo serve`, `dlo worker`, `dlo migrate`: the commands that run until told to stop, and what they need first.

use super::context::{CliError, Context, Outcome};
use crate::background::{self, Duties};
use crate::web;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// What runs in the background may still take so long after the signal: with [`web::SHUTDOWN_GRACE`] beside it, the
/// program ends well within 15 seconds.
const BACKGROUND_GRACE: Duration = Duration::from_secs(10);

/// A token that SIGTERM and SIGINT cancel. A second signal ends the program at once.
fn until_told() -> Result<CancellationToken, CliError> {
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
    println!("Listening on http://{address}");
    std::io::stdout().flush().ok();
    let served = web::serve(listener, office.clone(), shutdown.clone()).await;
    // When serving failed by itself, the rest ends too.
    shutdown.cancel();
    background::finish(working, BACKGROUND_GRACE).await;
    office.database.close().await;
    served.map_err(|error| CliError::failed(format!("serving failed: {}", error.kind())))
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
    shutdown.cancelled().await;
    background::finish(working, BACKGROUND_GRACE).await;
    office.database.close().await;
    Ok(())
}

/// Brings the database up to date.
pub async fn migrate(context: Context) -> Outcome {
    let database = context.migrated().await?;
    println!("the database is up to date");
    database.close().await;
    Ok(())
}
