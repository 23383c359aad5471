//! The reconciler (DESIGN 4.10): no recovery stays open. It ends what nobody will end any more.
//!
//! Lost claims are offered again by the queue itself (`jobs::requeue_lost`).

use super::end::end;
use super::row::{Stored, lock};
use super::worker;
use crate::config::Config;
use crate::database::{Database, DbError, Tx};
use crate::storage::{attempts, jobs, operations};
use crate::values;
use app::domain::operation::Operation;
use app::domain::plan::Action;
use app::domain::protocol::{Abandoned, JobState, abandoned};
use app::domain::redact::safe_error;
use chrono::{DateTime, Duration, Utc};

/// How many active recoveries one round looks at.
const BATCH: u32 = 500;

/// One round: every active recovery whose lease is not alive is looked at, each in a transaction of its own.
/// Answers how many ended.
pub async fn reconcile(database: &Database, config: &Config) -> Result<usize, DbError> {
    let mut tx = database.read().await?;
    let sql =
        format!("SELECT * FROM dlo_recoveries WHERE finished_at IS NULL ORDER BY heard_at LIMIT {BATCH}");
    let rows = tx.fetch_all(&sql, vec![]).await?;
    drop(tx);
    let mut touched = 0;
    for row in &rows {
        // One impossible row must not keep the others open.
        let ended = match Stored::try_from(row) {
            Ok(stored) => one(database, config, &stored).await,
            Err(error) => Err(error),
        };
        match ended {
            Ok(true) => touched += 1,
            Ok(false) => {}
            Err(error) => tracing::error!(error = %error, "an open recovery could not be looked over"),
        }
    }
    Ok(touched)
}

async fn one(database: &Database, config: &Config, seen: &Stored) -> Result<bool, DbError> {
    // Looked at without locks first: most open recoveries are simply at work.
    let mut tx = database.read().await?;
    let Some(record) = operations::load(&mut tx, &seen.recovery.operation_id).await? else {
        return Ok(false);
    };
    let job = job_state(&mut tx, seen).await?;
    if judge(config, seen, &record, job, tx.now()).is_none() {
        return Ok(false);
    }
    drop(tx);
    let mut tx = database.write().await?;
    let Some(record) = operations::lock(&mut tx, &seen.recovery.operation_id).await? else {
        return Ok(false);
    };
    let Some(stored) = lock(&mut tx, seen.recovery.id).await? else {
        return Ok(false);
    };
    if !stored.recovery.state.is_active() {
        return Ok(false);
    }
    let job = job_state(&mut tx, &stored).await?;
    let Some(reason) = judge(config, &stored, &record, job, tx.now()) else {
        return Ok(false);
    };
    finish(&mut tx, &stored, &record, reason).await?;
    tx.commit_at("reconcile").await?;
    Ok(true)
}

async fn job_state(tx: &mut Tx, stored: &Stored) -> Result<JobState, DbError> {
    match stored.recovery.job_id {
        Some(id) => jobs::state(tx, id).await,
        None => Ok(JobState::Missing),
    }
}

fn judge(
    config: &Config,
    stored: &Stored,
    record: &Operation,
    job: JobState,
    now: DateTime<Utc>,
) -> Option<Abandoned> {
    let bound = i64::try_from(config.policy.observe_bound_seconds).unwrap_or(900);
    abandoned(stored, record, job, now, Duration::seconds(bound))
}

async fn finish(tx: &mut Tx, stored: &Stored, record: &Operation, reason: Abandoned) -> Result<(), DbError> {
    let last = match reason {
        Abandoned::JobDied => last_error(tx, stored).await?,
        Abandoned::NotApproved
        | Abandoned::Moved
        | Abandoned::JobMissing
        | Abandoned::JobCancelled
        | Abandoned::NotReported
        | Abandoned::Reported
        | Abandoned::Unfinished
        | Abandoned::NoResult
        | Abandoned::Silent => String::new(),
    };
    let attempt = match stored.recovery.action {
        Action::Dispatch => attempts::by_recovery(tx, stored.recovery.id).await?,
        Action::Observe
        | Action::Deliver
        | Action::InspectAccounting
        | Action::Reconcile
        | Action::Acknowledge => None,
    };
    let attempt = attempt.as_ref().map(|row| row.attempt.receipt.as_ref());
    let ending = reason.ending(stored, attempt, &last);
    if let Some(id) = stored.recovery.job_id {
        jobs::cancel(tx, id).await?;
    }
    end(tx, stored, record.revision, &worker(), &ending).await?;
    Ok(())
}

/// What the dead job said last, in safe words.
async fn last_error(tx: &mut Tx, stored: &Stored) -> Result<String, DbError> {
    let sql = "SELECT last_error FROM soniq_dead_letter_jobs WHERE id = $1";
    let row = tx.fetch_optional(sql, values![stored.recovery.job_id]).await?;
    let text = match row {
        Some(row) => row.opt_text("last_error")?.unwrap_or_default(),
        None => String::new(),
    };
    let (_, words) = safe_error(&text);
    let words = words
        .trim_start_matches("Max retries exceeded: ")
        .trim_start_matches("Retry policy declined: ");
    Ok(if words.is_empty() {
        ".".to_owned()
    } else {
        format!(": {words}")
    })
}
