//! The reconciler (DESIGN 4.10): no recovery stays open. It ends what nobody will end any more.
//!
//! Lost claims are offered again by the queue itself (`jobs::requeue_lost`).

use super::end::{Ending, end};
use super::row::{Stored, lock};
use super::worker;
use crate::config::Config;
use crate::database::{Database, DbError, Tx};
use crate::storage::jobs::{self, JobState};
use crate::storage::{attempts, operations};
use app::domain::operation::Operation;
use app::domain::plan::Action;
use app::domain::recovery::RecoveryState;
use chrono::Duration;

/// How many active recoveries one round looks at.
const BATCH: u32 = 500;

/// One round: every active recovery whose lease is not alive is looked at, each in a transaction of its own.
/// Answers how many ended.
pub async fn reconcile(database: &Database, config: &Config) -> Result<usize, DbError> {
    let mut tx = database.read().await?;
    let sql =
        format!("SELECT * FROM dlo_recoveries WHERE finished_at IS NULL ORDER BY heard_at LIMIT {BATCH}");
    let rows = tx.fetch_all(&sql, vec![]).await?;
    let open = rows.iter().map(Stored::try_from).collect::<Result<Vec<_>, _>>()?;
    drop(tx);
    let mut touched = 0;
    for stored in open {
        if one(database, config, &stored).await? {
            touched += 1;
        }
    }
    Ok(touched)
}

async fn one(database: &Database, config: &Config, seen: &Stored) -> Result<bool, DbError> {
    // Looked at without locks first: most open recoveries are simply at work.
    let mut tx = database.read().await?;
    let job = job_state(&mut tx, seen).await?;
    if judge(config, seen, job, tx.now()) == Judgement::Leave {
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
    match judge(config, &stored, job, tx.now()) {
        Judgement::Leave => return Ok(false),
        Judgement::End(why) => finish(&mut tx, &stored, &record, why).await?,
    }
    tx.commit().await?;
    Ok(true)
}

async fn job_state(tx: &mut Tx, stored: &Stored) -> Result<JobState, DbError> {
    match stored.recovery.job_id {
        Some(id) => jobs::state(tx, id).await,
        None => Ok(JobState::Missing),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judgement {
    Leave,
    End(&'static str),
}

fn judge(config: &Config, stored: &Stored, job: JobState, now: chrono::DateTime<chrono::Utc>) -> Judgement {
    if stored.recovery.state == RecoveryState::AwaitingApproval {
        let late = stored.valid_until.is_some_and(|until| until < now);
        return if late {
            Judgement::End("It was not approved in time.")
        } else {
            Judgement::Leave
        };
    }
    let bound = Duration::seconds(i64::try_from(config.policy.observe_bound_seconds).unwrap_or(900));
    let silent = now - stored.heard_at > bound;
    match job {
        JobState::Missing => Judgement::End("Its queue job is gone."),
        JobState::Cancelled => Judgement::End("Its queue job was cancelled."),
        JobState::Dead => Judgement::End("Its queue job died."),
        JobState::Done if stored.handed_back => {
            Judgement::End("Its job is done, and nobody reported what it did.")
        }
        JobState::Done => Judgement::End("Its queue job is done without a result."),
        JobState::Queued | JobState::Processing if silent => {
            Judgement::End("It has been silent for too long.")
        }
        JobState::Queued | JobState::Processing => Judgement::Leave,
    }
}

async fn finish(tx: &mut Tx, stored: &Stored, record: &Operation, why: &str) -> Result<(), DbError> {
    let ending = if stored.recovery.action == Action::Dispatch {
        let attempt = attempts::by_recovery(tx, stored.recovery.id)
            .await?
            .map(|row| row.attempt);
        let awaiting = stored.recovery.state == RecoveryState::AwaitingApproval;
        match &attempt {
            Some(attempt) => super::receipt::ending_of(attempt.receipt.as_ref(), true),
            None if awaiting => Ending::new(RecoveryState::Refused, format!("{why} Nothing was sent.")),
            None => Ending::new(RecoveryState::Cancelled, format!("{why} Nothing was sent.")),
        }
    } else {
        let began = stored.recovery.state == RecoveryState::Running;
        let state = if began || why.contains("died") || stored.handed_back {
            RecoveryState::Failed
        } else {
            RecoveryState::Cancelled
        };
        Ending::new(state, why)
    };
    if let Some(id) = stored.recovery.job_id {
        jobs::cancel(tx, id).await?;
    }
    end(tx, stored, record.revision, &worker(), &ending).await?;
    Ok(())
}
