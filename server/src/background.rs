//! What runs beside the requests, started and ended in one place.

use crate::artifacts::Artifacts;
use crate::config::ConfigError;
use crate::database::DbError;
use crate::live;
use crate::office::Office;
use crate::storage::{idempotency, recoveries, sessions};
use crate::worker::{self, Executor};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How often what is over is taken away: sessions, and first answers older than a day.
const HOUSEKEEPING: Duration = Duration::from_secs(600);

/// How often half-written outputs are looked for, and how old they must be: no delivery takes so long.
const CLEAN_EVERY: Duration = Duration::from_secs(3600);
const STAGED_FOR_LONG: Duration = Duration::from_secs(24 * 3600);

/// How often open recoveries are looked over.
const RECONCILE_EVERY: Duration = Duration::from_millis(500);

/// What this process does beside answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duties {
    /// Carry out jobs of our own queue.
    pub worker: bool,
    /// Take away what is over.
    pub housekeeping: bool,
}

/// Starts the duties. They end by themselves when `shutdown` is cancelled.
///
/// # Errors
/// The worker cannot be made from the configuration.
pub fn start(
    office: &Arc<Office>,
    duties: Duties,
    shutdown: &CancellationToken,
) -> Result<JoinSet<()>, ConfigError> {
    let mut working = JoinSet::new();
    // Whoever reads or decides needs what the messages know; processes that do it at once stand back for each other.
    let (reader, stop) = (office.clone(), shutdown.clone());
    working.spawn(async move { reader.keep_projecting(stop).await });
    working.spawn(live::announce(office.database.clone(), shutdown.clone()));
    let (live, database, stop) = (office.live.clone(), office.database.clone(), shutdown.clone());
    working.spawn(async move { live.keep_looking(database, stop).await });
    if duties.worker {
        let executor = Executor::new(office.clone())?;
        working.spawn(clean_staging(executor.artifacts.clone(), shutdown.clone()));
        working.spawn(worker::run(executor, shutdown.clone()));
    }
    if duties.housekeeping {
        working.spawn(check_chain(office.clone(), shutdown.clone()));
        working.spawn(reconcile(office.clone(), shutdown.clone()));
        working.spawn(housekeeping(office.clone(), shutdown.clone()));
    }
    Ok(working)
}

/// Waits for the duties' ends, and drops what takes longer than `grace`.
pub async fn finish(mut working: JoinSet<()>, grace: Duration) {
    let ended = async { while working.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, ended).await.is_err() {
        tracing::warn!("some work was dropped; its leases run out by themselves");
    }
}

/// Takes away what deliveries that died have left half written.
async fn clean_staging(artifacts: Arc<Artifacts>, shutdown: CancellationToken) {
    loop {
        artifacts.clean_staging(STAGED_FOR_LONG, chrono::Utc::now()).await;
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(CLEAN_EVERY) => {}
        }
    }
}

/// At each start: who went past this program did it while it was not running, if they are wise.
async fn check_chain(office: Arc<Office>, shutdown: CancellationToken) {
    if let Some(Err(error)) = shutdown.run_until_cancelled(office.check_chain()).await {
        tracing::warn!(error = %error, "the audit's chain could not be checked");
    }
}

async fn housekeeping(office: Arc<Office>, shutdown: CancellationToken) {
    loop {
        if let Err(error) = tidy(&office).await {
            tracing::warn!(error = %error, "housekeeping failed; it is tried again");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(HOUSEKEEPING) => {}
        }
    }
}

async fn tidy(office: &Office) -> Result<(), DbError> {
    sessions::delete_expired(&office.database).await?;
    let mut tx = office.database.write().await?;
    idempotency::forget_old(&mut tx).await?;
    tx.commit().await
}

/// Ends recoveries that nobody will end any more.
async fn reconcile(office: Arc<Office>, shutdown: CancellationToken) {
    loop {
        if let Err(error) = recoveries::reconcile(&office.database, &office.config).await {
            tracing::warn!(error = %error, "open recoveries could not be looked over");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(RECONCILE_EVERY) => {}
        }
    }
}
