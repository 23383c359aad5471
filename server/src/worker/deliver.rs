//! Deliver (DESIGN 4.8): a fresh GET of the same job, then only the missing outputs, each published once.

use super::circuit::capped;
use super::{Executor, database_failure, lost_lease};
use crate::artifacts::Wanted;
use crate::fault;
use crate::provider::{Answer, OutputLink, Reader};
use crate::queue::{Job, JobFailure};
use crate::storage::recoveries::{self, Ending, Permit, Recorded};
use app::domain::ids::JobId;
use app::domain::indexes;
use app::domain::operation::{ErrorCategory, Operation, Phase};
use app::domain::plan::missing_outputs;
use app::domain::recovery::RecoveryState;
use app::domain::remote::Fetch;
use app::domain::transition::Reading;
use app::domain::transition::{OutputOutcome, OutputResult};
use std::time::Duration;

impl Executor {
    pub(super) async fn deliver(&self, permit: &Permit, job: &Job) -> Result<(), JobFailure> {
        let Some(job_id) = permit.record.job_id.clone() else {
            return Err(JobFailure::permanent(
                ErrorCategory::Configuration,
                "no job is attached to deliver from",
            ));
        };
        if permit.plan.outputs.is_empty() {
            return self.complete(permit, &[]).await;
        }
        let reader = self.reader(permit)?;
        self.admitted(permit).await?;
        let answer = reader.jobs.observe(&job_id).await;
        self.note_answer(permit, &answer).await;
        fault::point("deliver", "answered").await;
        let reading = Reading {
            attach: false,
            delivering: true,
        };
        let (database, config) = (&self.office.database, &self.office.config);
        let fetch = answer.observation.fetch;
        let seen = recoveries::record_observation(
            database,
            config,
            permit,
            &job_id,
            &answer.observation,
            reading,
            |_| {
                terminal_fetch(fetch)
                    .map(|why| Ending::new(RecoveryState::Failed, format!("No output was copied: {why}.")))
            },
        )
        .await
        .map_err(|error| database_failure(&error))?;
        let Some(seen) = seen else { return lost_lease() };
        match fetch {
            Fetch::Ok => {}
            Fetch::Network => return Err(retry_read(ErrorCategory::Connection, &answer)),
            Fetch::ServerError => return Err(retry_read(ErrorCategory::Http5xx, &answer)),
            Fetch::RateLimited => return Err(retry_read(ErrorCategory::RateLimited, &answer)),
            Fetch::NotFound | Fetch::Forbidden | Fetch::Unauthorized | Fetch::BadPayload | Fetch::Blocked => {
                return Ok(());
            }
        }
        let mut failures = Vec::new();
        for index in missing_outputs(&seen.record) {
            if job.ending.is_cancelled() {
                return Err(JobFailure::put_back(
                    Duration::ZERO,
                    "the worker ends; what is copied is kept",
                ));
            }
            let outcome = self.copy(permit, &reader, &job_id, &answer.links, index).await?;
            fault::point("deliver", "copied").await;
            if let OutputOutcome::Failed { category } = &outcome {
                failures.push((index, *category));
            }
            let result = OutputResult { index, outcome };
            let written =
                recoveries::record_delivery(database, config, permit, std::slice::from_ref(&result), |_| {
                    None
                })
                .await
                .map_err(|error| database_failure(&error))?;
            match written {
                Recorded::Written(_) => {}
                Recorded::Lost => return lost_lease(),
                Recorded::Moved(why) => return moved(&why),
            }
            fault::point("deliver", "recorded").await;
        }
        self.complete(permit, &failures).await
    }

    /// Fetches, verifies and publishes one output; stops early when the lease was lost meanwhile.
    async fn copy(
        &self,
        permit: &Permit,
        reader: &Reader,
        job_id: &JobId,
        links: &[OutputLink],
        index: u32,
    ) -> Result<OutputOutcome, JobFailure> {
        let Some(link) = links.iter().find(|link| link.index == index) else {
            return Ok(OutputOutcome::Failed {
                category: ErrorCategory::NotFound,
            });
        };
        let wanted = Wanted {
            operation: &permit.record.id,
            job: job_id,
            link,
        };
        let work = self.artifacts.deliver_output(&reader.outputs, &wanted);
        tokio::pin!(work);
        let half = Duration::from_secs(self.office.config.worker.lease_seconds.max(2)) / 2;
        loop {
            tokio::select! {
                done = &mut work => {
                    return Ok(match done {
                        Ok(stored) => OutputOutcome::Delivered {
                            storage_key: stored.storage_key,
                            bytes: stored.bytes,
                            sha256: stored.sha256,
                            content_type: stored.content_type,
                        },
                        Err(error) => OutputOutcome::Failed { category: error.category },
                    });
                }
                () = tokio::time::sleep(half) => {
                    // The queue keeps the lease alive; a lost one must not go on costing bandwidth.
                    let alive = recoveries::is_held(&self.office.database, permit).await;
                    if !alive.map_err(|error| database_failure(&error))? {
                        return Err(JobFailure::new(ErrorCategory::Other, "the lease was lost while copying"));
                    }
                }
            }
        }
    }

    /// Ends the recovery when nothing is missing, or when what is missing fails for a lasting reason; else the queue retries.
    async fn complete(&self, permit: &Permit, failures: &[(u32, ErrorCategory)]) -> Result<(), JobFailure> {
        let passing = failures
            .iter()
            .find(|(_, category)| !category.is_permanent_for_delivery());
        let ending = |record: &Operation| {
            if record.phase == Phase::Delivered {
                let copied = record.outputs.len();
                Some(Ending::new(
                    RecoveryState::Succeeded,
                    match copied {
                        1 => "Delivered: its one output is ours.".to_owned(),
                        many => format!("Delivered: all {many} outputs are ours."),
                    },
                ))
            } else if passing.is_none() {
                let why = indexes::failures(failures.iter().copied());
                Some(Ending::new(
                    RecoveryState::Failed,
                    format!("Not complete: {why}."),
                ))
            } else {
                None
            }
        };
        let written =
            recoveries::record_delivery(&self.office.database, &self.office.config, permit, &[], ending)
                .await
                .map_err(|error| database_failure(&error))?;
        fault::point("deliver", "ended").await;
        match (written, passing) {
            (Recorded::Lost, _) => lost_lease(),
            (Recorded::Moved(why), _) => moved(&why),
            (Recorded::Written(_), Some((index, category))) => Err(JobFailure::new(
                *category,
                format!("output {index} could not be copied: {category}"),
            )),
            (Recorded::Written(_), None) => Ok(()),
        }
    }
}

/// The recovery has ended with these words: the job has nothing left to do.
fn moved(why: &str) -> Result<(), JobFailure> {
    tracing::warn!(why, "a delivery ended before its end");
    Ok(())
}

fn retry_read(category: ErrorCategory, answer: &Answer) -> JobFailure {
    JobFailure::new(category, "the job could not be read before copying").after(capped(answer.retry_after))
}

/// Answers that another try will not better.
fn terminal_fetch(fetch: Fetch) -> Option<&'static str> {
    match fetch {
        Fetch::Ok | Fetch::Network | Fetch::ServerError | Fetch::RateLimited => None,
        Fetch::NotFound => Some("the provider does not know the job"),
        Fetch::Forbidden | Fetch::Unauthorized => Some("the provider refused to answer; check the key"),
        Fetch::BadPayload => Some("the answer could not be understood"),
        Fetch::Blocked => Some("the provider's address is not allowed by the configuration"),
    }
}
