//! Our own worker: claims jobs from the queue `dead-letter-office` and carries recoveries out (DESIGN 4.4 to 4.8).
//!
//! A queue job is not permission: each action asks storage for a permit first, and every result is written with it.

mod circuit;
mod deliver;
mod dispatch;
mod observe;
mod run;

pub use run::run;

use crate::artifacts::Artifacts;
use crate::config::ConfigError;
use crate::fault;
use crate::office::Office;
use crate::provider::{Creators, Reader, Readers};
use crate::queue::{Job, JobFailure};
use crate::storage::recoveries::{self, Permission, Permit};
use app::domain::ids::{AttemptId, RecoveryId};
use app::domain::operation::ErrorCategory;
use app::domain::plan::Action;
use std::sync::Arc;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// What the worker acts with. Only the creator can POST; whoever observes or delivers is handed a reader alone.
#[derive(Clone)]
pub struct Executor {
    pub office: Arc<Office>,
    pub readers: Arc<Readers>,
    pub creators: Arc<Creators>,
    pub artifacts: Arc<Artifacts>,
}

/// What creates nothing may still come to its end so long when the worker is told to end.
const TO_AN_END: Duration = Duration::from_secs(2);
/// Before a permit is asked for again while another worker's lease is alive.
const HELD_PAUSE: Duration = Duration::from_millis(200);

/// The names of our jobs, one for each action that a machine can take.
pub const JOB_NAMES: [(&str, Action); 4] = [
    ("generation.dispatch", Action::Dispatch),
    ("generation.observe", Action::Observe),
    ("generation.deliver", Action::Deliver),
    ("generation.inspect_accounting", Action::InspectAccounting),
];

impl Executor {
    /// The clients and the store that the office's configuration names.
    ///
    /// # Errors
    /// A key file or this machine's certificates cannot be read, or the store cannot be opened.
    pub fn new(office: Arc<Office>) -> Result<Self, ConfigError> {
        let config = &office.config;
        Ok(Self {
            readers: Arc::new(Readers::from_config(config)?),
            creators: Arc::new(Creators::from_config(config)?),
            artifacts: Arc::new(Artifacts::from_config(&config.artifacts)?),
            office,
        })
    }

    /// Carries one job out. `Ok` also when there was nothing left to do; an error is retried by the queue.
    pub async fn run_job(&self, job: &Job) -> Result<(), JobFailure> {
        let Some(id) = job
            .args
            .get("recovery_id")
            .and_then(|id| id.as_str())
            .and_then(RecoveryId::parse)
        else {
            return Err(JobFailure::permanent(
                ErrorCategory::Configuration,
                "the job names no recovery",
            ));
        };
        fault::point(action_of(&job.job_name), "claimed").await;
        let (database, config) = (&self.office.database, &self.office.config);
        let attempt = AttemptId(Uuid::now_v7());
        let permit = loop {
            // The lease's clock started before the claim's commit: it can only run out early, never late.
            let remaining = job.lease_ends.saturating_duration_since(Instant::now());
            let permission = recoveries::permit(database, config, id, attempt, remaining)
                .await
                .map_err(|error| database_failure(&error))?;
            match permission {
                Permission::Granted(permit) => break permit,
                Permission::Ended(_) | Permission::Unknown => return Ok(()),
                Permission::Held if remaining.is_zero() => {
                    return Err(JobFailure::new(
                        ErrorCategory::Other,
                        "another worker holds a living lease",
                    ));
                }
                Permission::Held => tokio::time::sleep(HELD_PAUSE).await,
            }
        };
        fault::point(permit.stored.recovery.action.as_str(), "permitted").await;
        let done = match permit.stored.recovery.action {
            // What may have left is answered for, or written down as unknown: nobody else may try again.
            Action::Dispatch => self.dispatch(&permit, job).await,
            Action::Observe | Action::InspectAccounting => until_the_end(job, self.observe(&permit)).await,
            Action::Deliver => until_the_end(job, self.deliver(&permit, job)).await,
            // Never a recovery: the insert refuses them.
            Action::Reconcile | Action::Acknowledge => Ok(()),
        };
        if done.is_err() {
            recoveries::release(database, &permit)
                .await
                .map_err(|error| database_failure(&error))?;
        }
        done
    }

    /// The reader of the permit's provider, pinned: a changed configuration never redirects an old id.
    fn reader(&self, permit: &Permit) -> Result<Reader, JobFailure> {
        let record = &permit.record;
        let reader = self
            .readers
            .get(&record.provider)
            .filter(|reader| Some(&reader.fingerprint) == record.fingerprint.as_ref());
        reader.cloned().ok_or_else(|| {
            JobFailure::permanent(
                ErrorCategory::Configuration,
                "the provider that the operation was made with is not configured",
            )
        })
    }
}

/// Work that creates nothing may be dropped anywhere and done again: when this worker ends, another one has it at once.
async fn until_the_end(
    job: &Job,
    work: impl Future<Output = Result<(), JobFailure>>,
) -> Result<(), JobFailure> {
    let too_late = async {
        job.ending.cancelled().await;
        tokio::time::sleep(TO_AN_END).await;
    };
    tokio::select! {
        done = work => done,
        () = too_late => Err(JobFailure::put_back(Duration::ZERO, "the worker ended before the work did")),
    }
}

/// The action that a job of ours is named for.
fn action_of(job_name: &str) -> &str {
    job_name.trim_start_matches("generation.")
}

/// A storage failure inside a job: the queue tries again.
fn database_failure(error: &crate::database::DbError) -> JobFailure {
    tracing::error!(error = %error, "database failure in a job");
    JobFailure::new(ErrorCategory::Database, "the database did not answer")
}

/// The lease went to somebody else: whoever holds it now carries on.
fn lost_lease() -> Result<(), JobFailure> {
    tracing::warn!("a lease was lost in the middle of a job; its result was not written");
    Ok(())
}
