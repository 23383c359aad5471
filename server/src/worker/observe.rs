//! Observe and inspect accounting (DESIGN 4.7, 4.9): one answered GET; with `follow`, one after the other up to the
//! stated bound, each a claim of its own.

use super::circuit::capped;
use super::{Executor, database_failure, lost_lease};
use crate::fault;
use crate::provider::Answer;
use crate::queue::JobFailure;
use crate::storage::recoveries::{self, Ending, Permit, Seen};
use app::domain::ids::JobId;
use app::domain::operation::ErrorCategory;
use app::domain::plan::Action;
use app::domain::recovery::RecoveryState;
use app::domain::remote::{Execution, Fetch};
use app::domain::transition::{Observation, Reading};
use std::time::Duration;

/// A 404 is asked again after these waits before it counts.
const NOT_FOUND_WAITS: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(900)];
/// Polling with `follow`: the first wait, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// Row 4 of the decision table: an id that only evidence names is attached when the answer bears it.
const EVIDENCE_ROW: u8 = 4;

impl Executor {
    pub(super) async fn observe(&self, permit: &Permit) -> Result<(), JobFailure> {
        let Some(job_id) = permit
            .stored
            .recovery
            .remote_job_id
            .clone()
            .or_else(|| permit.plan.job_id.clone())
        else {
            return Err(JobFailure::permanent(
                ErrorCategory::Configuration,
                "the recovery names no job to read",
            ));
        };
        let reading = Reading {
            attach: permit.plan.row == EVIDENCE_ROW,
            delivering: false,
        };
        let action = permit.stored.recovery.action;
        self.admitted(permit).await?;
        let answer = self.read(permit, &job_id).await?;
        fault::point(action.as_str(), "answered").await;
        self.note_answer(permit, &answer).await;
        let observation = &answer.observation;
        let follows = permit.stored.recovery.follow;
        let bound = Duration::from_secs(self.office.config.policy.observe_bound_seconds);
        let pause = capped(answer.retry_after).unwrap_or_else(|| next_wait(permit.followed_for));
        let in_time = permit.followed_for + pause < bound;
        let ended = |seen: &Seen| match unfinished(observation) {
            // The queue's retry asks again; the fetch is kept on the record meanwhile.
            Unfinished::Retry(_) => None,
            Unfinished::StillRunning if follows && in_time => None,
            Unfinished::StillRunning if follows => Some(Ending::new(
                RecoveryState::StillRunning,
                format!(
                    "Job {job_id} is still {}; asked for {} s.",
                    word(observation),
                    permit.followed_for.as_secs()
                ),
            )),
            Unfinished::StillRunning | Unfinished::No => Some(ending(permit, &job_id, observation, seen)),
        };
        let written = recoveries::record_observation(
            &self.office.database,
            &self.office.config,
            permit,
            &job_id,
            observation,
            reading,
            ended,
        )
        .await
        .map_err(|error| database_failure(&error))?;
        fault::point(action.as_str(), "recorded").await;
        if written.is_none() {
            return lost_lease();
        }
        match unfinished(observation) {
            Unfinished::Retry(category) => Err(JobFailure::new(
                category,
                format!("the read of the job was not answered well: {}", observation.fetch),
            )
            .after(capped(answer.retry_after))),
            // Between two polls nobody waits: the job goes back to the queue, and its worker takes other work.
            Unfinished::StillRunning if follows && in_time => Err(JobFailure::goes_on(
                pause,
                "the render goes on; it is asked again",
            )),
            Unfinished::StillRunning | Unfinished::No => Ok(()),
        }
    }

    /// One read; a 404 is asked again before it counts.
    async fn read(&self, permit: &Permit, job_id: &JobId) -> Result<Answer, JobFailure> {
        let reader = self.reader(permit)?;
        for wait in NOT_FOUND_WAITS {
            let answer = reader.jobs.observe(job_id).await;
            if answer.observation.fetch != Fetch::NotFound {
                return Ok(answer);
            }
            tokio::time::sleep(wait).await;
        }
        Ok(reader.jobs.observe(job_id).await)
    }
}

/// The wait before the next poll of a job that was followed for so long: half of that, within bounds.
fn next_wait(followed_for: Duration) -> Duration {
    (followed_for / 2).clamp(FIRST_WAIT, LONGEST_WAIT)
}

enum Unfinished {
    /// Nothing was learnt: ask again, as a retry of the queue job.
    Retry(ErrorCategory),
    StillRunning,
    No,
}

fn unfinished(observation: &Observation) -> Unfinished {
    match observation.fetch {
        Fetch::Network => Unfinished::Retry(ErrorCategory::Connection),
        Fetch::ServerError => Unfinished::Retry(ErrorCategory::Http5xx),
        Fetch::RateLimited => Unfinished::Retry(ErrorCategory::RateLimited),
        Fetch::Ok => match observation.execution {
            Some(Execution::Queued | Execution::Running) => Unfinished::StillRunning,
            Some(
                Execution::Succeeded
                | Execution::Failed
                | Execution::Cancelled
                | Execution::Expired
                | Execution::Unknown,
            )
            | None => Unfinished::No,
        },
        Fetch::NotFound | Fetch::Forbidden | Fetch::Unauthorized | Fetch::BadPayload | Fetch::Blocked => {
            Unfinished::No
        }
    }
}

fn word(observation: &Observation) -> &'static str {
    observation.execution.map_or("unread", Execution::as_str)
}

/// What was observed, in words.
fn ending(permit: &Permit, job_id: &JobId, observation: &Observation, seen: &Seen) -> Ending {
    let (state, outcome) = match observation.fetch {
        Fetch::Ok => {
            let mut words = format!("Job {job_id} is {}", word(observation));
            if let Some(raw) = &observation.raw_status {
                words.push_str(&format!(" (“{raw}”)"));
            }
            if let Some(outputs) = &observation.outputs {
                let unit = if outputs.len() == 1 { "output" } else { "outputs" };
                words.push_str(&format!(", {} {unit} listed", outputs.len()));
            }
            if permit.stored.recovery.action == Action::InspectAccounting || !seen.changed {
                words.push_str(&format!("; the charge is {}", seen.record.charge.state));
            }
            if !seen.changed {
                words.push_str("; nothing changed");
            }
            (RecoveryState::Succeeded, format!("{words}."))
        }
        Fetch::NotFound => (
            RecoveryState::Succeeded,
            format!("The provider does not know job {job_id}. That is no proof that it never ran."),
        ),
        Fetch::Forbidden | Fetch::Unauthorized => (
            RecoveryState::Failed,
            format!(
                "The provider refused to answer about job {job_id}: {}. Check the key.",
                observation.fetch
            ),
        ),
        Fetch::BadPayload => (
            RecoveryState::Failed,
            format!("The answer about job {job_id} could not be understood. The state is kept."),
        ),
        Fetch::Blocked => (
            RecoveryState::Failed,
            "The provider's address is not allowed by the configuration.".to_owned(),
        ),
        Fetch::RateLimited | Fetch::ServerError | Fetch::Network => (
            RecoveryState::Failed,
            format!("The read was not answered: {}.", observation.fetch),
        ),
    };
    Ending::new(state, outcome)
}
