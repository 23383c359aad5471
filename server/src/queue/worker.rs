//! The loop that claims jobs and carries them out.

use super::carry_out::Claim;
use super::registry::Registry;
use crate::config::Retries;
use crate::database::{Database, DbError};
use crate::storage::jobs::{self, Claimed};
use chrono::Duration as Span;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How often lost claims are looked for: they are taken up again within two seconds of their lease's end.
const LOST_EVERY: Duration = Duration::from_secs(1);
/// How often this worker's own done jobs are cleared away.
const SWEEP_EVERY: Duration = Duration::from_secs(60);
/// How long a worker that stops waits for what it has cancelled.
const AFTER_CANCEL: Duration = Duration::from_secs(2);
/// How long a worker that stops waits for its running jobs, when nobody says otherwise.
const GRACE: Duration = Duration::from_secs(10);
/// How long a done job's row is kept when nobody says otherwise: Soniq's own time.
pub const KEEP_DONE: Duration = Duration::from_secs(300);

/// How a worker works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The queues that it serves; `None`: every queue. Our own worker serves one, and only tests serve all.
    pub queues: Option<Vec<String>>,
    /// Jobs at once.
    pub concurrency: usize,
    pub lease: Duration,
    /// The longest wait for a job that nobody announced.
    pub poll: Duration,
    pub retries: Retries,
    /// How long the row of a done job is kept.
    pub keep_done: Duration,
    /// The longest that a handler may take.
    pub timeout: Option<Duration>,
    /// How long a worker that stops waits for its running jobs.
    pub grace: Duration,
}

impl Settings {
    /// A worker of these queues, with the configuration's sections of our own worker.
    pub fn new(queues: Option<Vec<String>>, worker: &crate::config::Worker, retries: &Retries) -> Self {
        Self {
            queues,
            concurrency: usize::try_from(worker.concurrency).unwrap_or(1).max(1),
            lease: Duration::from_secs(worker.lease_seconds),
            poll: Duration::from_secs(worker.poll_seconds),
            retries: retries.clone(),
            keep_done: KEEP_DONE,
            timeout: None,
            grace: GRACE,
        }
    }

    pub(super) fn lease_span(&self) -> Span {
        span(self.lease)
    }

    pub(super) fn keep_done_span(&self) -> Span {
        span(self.keep_done)
    }

    /// The wait after this many attempts.
    pub(super) fn backoff(&self, attempts: i64) -> Span {
        span(Duration::from_secs(
            self.retries.backoff(u32::try_from(attempts).unwrap_or(u32::MAX)),
        ))
    }
}

fn span(duration: Duration) -> Span {
    Span::from_std(duration).unwrap_or(Span::days(3650))
}

/// A worker.
#[derive(Clone)]
pub struct Worker {
    pub database: Database,
    pub registry: Arc<Registry>,
    pub settings: Arc<Settings>,
    /// Rings when there may be work; see [`super::listen`].
    pub bell: Arc<Notify>,
}

impl Worker {
    /// Works until `stop` is cancelled; then waits for what runs, gives back what does not end in time, and returns.
    pub async fn run(self, stop: CancellationToken) {
        let hard_stop = CancellationToken::new();
        let mut running = JoinSet::new();
        let mut lost = tokio::time::interval(LOST_EVERY);
        lost.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut sweep = tokio::time::interval(SWEEP_EVERY);
        while !stop.is_cancelled() {
            while running.try_join_next().is_some() {}
            let free = running.len() < self.settings.concurrency;
            if free {
                match claim(&self.database, &self.settings).await {
                    Ok(Some((claimed, claimed_at))) => {
                        let worker = self.clone();
                        let (ending, cut) = (stop.clone(), hard_stop.clone());
                        running
                            .spawn(async move { worker.carry_out(claimed, claimed_at, ending, cut).await });
                        // A full house must not keep lost claims waiting.
                        if lost_is_due(&mut lost).await {
                            log(take_up_lost(&self.database, &self.settings).await);
                        }
                        continue;
                    }
                    Ok(None) => {}
                    Err(error) => tracing::warn!(error = %error, "no job could be claimed"),
                }
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.bell.notified(), if free => {}
                () = tokio::time::sleep(self.settings.poll), if free => {}
                Some(_) = running.join_next(), if !running.is_empty() => {}
                _ = lost.tick() => log(take_up_lost(&self.database, &self.settings).await),
                _ = sweep.tick() => log(sweep_done(&self.database, &self.settings).await),
            }
        }
        if tokio::time::timeout(self.settings.grace, drain(&mut running))
            .await
            .is_err()
        {
            hard_stop.cancel();
            if tokio::time::timeout(AFTER_CANCEL, drain(&mut running))
                .await
                .is_err()
            {
                tracing::warn!("jobs were left running; their leases end by themselves");
            }
        }
    }

    async fn carry_out(
        &self,
        claimed: Claimed,
        claimed_at: Instant,
        ending: CancellationToken,
        cut: CancellationToken,
    ) {
        let Self {
            database,
            registry,
            settings,
            bell: _,
        } = self;
        Claim {
            database,
            registry,
            settings,
            claimed,
            claimed_at,
            ending,
            cut,
        }
        .carry_out()
        .await;
    }
}

/// Carries out, one after the other, all jobs that can be claimed now. Answers how many.
pub async fn run_once(
    database: &Database,
    registry: &Registry,
    settings: &Settings,
) -> Result<usize, DbError> {
    let mut carried_out = 0;
    while let Some((claimed, claimed_at)) = claim(database, settings).await? {
        Claim {
            database,
            registry,
            settings,
            claimed,
            claimed_at,
            ending: CancellationToken::new(),
            cut: CancellationToken::new(),
        }
        .carry_out()
        .await;
        carried_out += 1;
    }
    Ok(carried_out)
}

async fn drain(running: &mut JoinSet<()>) {
    while running.join_next().await.is_some() {}
}

/// Whether the interval's next moment has come.
async fn lost_is_due(lost: &mut tokio::time::Interval) -> bool {
    tokio::time::timeout(Duration::ZERO, lost.tick()).await.is_ok()
}

/// Claims a job, if there is one. The monotonic clock starts before the commit, so that it never outlasts the lease.
async fn claim(database: &Database, settings: &Settings) -> Result<Option<(Claimed, Instant)>, DbError> {
    let queues = settings.queues.as_deref();
    let mut tx = database.read().await?;
    let found = jobs::has_claimable(&mut tx, queues).await?;
    drop(tx);
    if !found {
        return Ok(None);
    }
    let claimed_at = Instant::now();
    let mut tx = database.write().await?;
    let claimed = jobs::claim(&mut tx, queues, settings.lease_span()).await?;
    tx.commit_at("claim").await?;
    Ok(claimed.map(|claimed| (claimed, claimed_at)))
}

async fn take_up_lost(database: &Database, settings: &Settings) -> Result<(), DbError> {
    let mut tx = database.read().await?;
    let found = jobs::has_lost(&mut tx, settings.lease_span()).await?;
    drop(tx);
    if found {
        let mut tx = database.write().await?;
        let requeued = jobs::requeue_lost(&mut tx, settings.lease_span()).await?;
        tx.commit_at("requeue").await?;
        if requeued > 0 {
            tracing::warn!(requeued, "claims whose lease had ended were put back");
        }
    }
    Ok(())
}

async fn sweep_done(database: &Database, settings: &Settings) -> Result<(), DbError> {
    let Some(queues) = &settings.queues else {
        return Ok(());
    };
    let mut tx = database.write().await?;
    jobs::sweep_done(&mut tx, queues).await?;
    tx.commit().await
}

fn log(result: Result<(), DbError>) {
    if let Err(error) = result {
        tracing::warn!(error = %error, "the queue could not be kept");
    }
}
