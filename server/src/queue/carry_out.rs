//! What becomes of one claimed job.

use super::registry::{HandlerResult, Job, JobFailure, Registered, Registry};
use super::worker::Settings;
use crate::database::{Database, DbError};
use crate::storage::jobs::{self, Claimed, MAX_ERROR};
use app::domain::ids::QueueJobId;
use app::domain::operation::ErrorCategory;
use app::domain::redact::lenient_json;
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

/// Tries to write how a job ended while the database is busy; then its lease runs out, and it is taken up again.
const WRITE_TRIES: u32 = 5;
/// The first wait between them; each next one is longer by as much.
const WRITE_WAIT: Duration = Duration::from_millis(100);
/// How long a handler that was cut off may still write down how its work stands.
const LAST_WORDS: Duration = Duration::from_millis(1500);

/// One claim being carried out.
pub(super) struct Claim<'a> {
    pub database: &'a Database,
    pub registry: &'a Registry,
    pub settings: &'a Settings,
    pub claimed: Claimed,
    /// On the monotonic clock, before the claim's commit.
    pub claimed_at: Instant,
    /// The worker is told to end.
    pub ending: CancellationToken,
    /// The worker waits no longer: the handler has a moment, then it is dropped and the job given back.
    pub cut: CancellationToken,
}

/// How a claim ends.
enum End {
    Done(Value),
    Retry {
        error: String,
        after: Option<Duration>,
    },
    /// Not failed: somebody may have it again after so long, with so many attempts spent.
    Later {
        after: Duration,
        spent: i64,
    },
    Dead {
        reason: &'static str,
        attempts: Option<i64>,
        error: String,
    },
    /// The worker stops: somebody else may have the job.
    GivenBack,
    /// Somebody else has it already.
    Lost,
}

impl End {
    /// The transaction that writes it, as fail points name it.
    const fn step(&self) -> &'static str {
        match self {
            Self::Done(_) => "job_done",
            Self::Retry { .. } => "job_retry",
            Self::Dead { .. } => "job_dead",
            Self::GivenBack => "job_given_back",
            Self::Later { .. } => "job_later",
            Self::Lost => "job_lost",
        }
    }
}

impl Claim<'_> {
    /// Carries the job out, and writes how it ended.
    pub(super) async fn carry_out(self) {
        let end = self.work().await;
        let id = self.claimed.id;
        for tries in 1..=WRITE_TRIES {
            match self.write(&end).await {
                Ok(()) => return,
                Err(error) if error.is_transient() && tries < WRITE_TRIES => {
                    tokio::time::sleep(WRITE_WAIT * tries).await;
                }
                Err(error) => {
                    tracing::error!(job = %id, error = %error, "how the job ended could not be written");
                    return;
                }
            }
        }
    }

    async fn work(&self) -> End {
        let claimed = &self.claimed;
        if claimed.attempt > claimed.max_attempts {
            let error = "Max attempts exceeded (job crashed repeatedly)".to_owned();
            return End::Dead {
                reason: "max_retries_exceeded",
                attempts: Some(claimed.attempt),
                error,
            };
        }
        let Some(registered) = self.registry.get(&claimed.job_name) else {
            let error = format!("Job {} not registered.", claimed.job_name);
            return End::Dead {
                reason: "job_not_found",
                attempts: None,
                error,
            };
        };
        let args = match lenient_json(&claimed.args) {
            Value::Object(args) => args,
            other => {
                let error = format!(
                    "Backend contract violation: job args must be dict, got {}",
                    python_type(&other)
                );
                return End::Dead {
                    reason: "invalid_arguments",
                    attempts: None,
                    error,
                };
            }
        };
        let lost = CancellationToken::new();
        let job = Job {
            id: claimed.id,
            job_name: claimed.job_name.clone(),
            args,
            queue: claimed.queue.clone(),
            priority: claimed.priority,
            attempt: claimed.attempt,
            max_attempts: claimed.max_attempts,
            lease_ends: self.claimed_at + self.settings.lease,
            lost: lost.clone(),
            ending: self.ending.clone(),
            cut: self.cut.clone(),
        };
        // A task of its own: a panic in a handler is a failure of its job alone.
        let handler = tokio::spawn((registered.handler)(job));
        match self.attend(registered, handler, &lost).await {
            Attended::Ended(Ok(result)) => End::Done(result),
            Attended::Ended(Err(failure)) if failure.put_back => {
                let spent = if failure.afresh { 0 } else { claimed.attempt - 1 };
                End::Later {
                    after: failure.after.unwrap_or(Duration::ZERO),
                    spent,
                }
            }
            Attended::Ended(Err(failure)) => after_failure(&failure, claimed.attempt, claimed.max_attempts),
            Attended::Stopped => End::GivenBack,
            Attended::Lost => End::Lost,
        }
    }

    /// Waits for the handler, renews the lease, keeps the time.
    async fn attend(
        &self,
        registered: &Registered,
        mut handler: JoinHandle<HandlerResult>,
        lost: &CancellationToken,
    ) -> Attended {
        let mut renewal = tokio::time::interval(self.settings.lease / 3);
        renewal.tick().await;
        let time_is_up = async {
            match self.settings.timeout {
                Some(timeout) => tokio::time::sleep(timeout).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(time_is_up);
        let attended = loop {
            tokio::select! {
                ended = &mut handler => {
                    return Attended::Ended(ended.unwrap_or_else(|crash| Err(crashed(crash))));
                }
                _ = renewal.tick(), if registered.renews => match self.renew().await {
                    Ok(true) => {}
                    Ok(false) => {
                        lost.cancel();
                        break Attended::Lost;
                    }
                    Err(error) => {
                        tracing::warn!(job = %self.claimed.id, error = %error, "a lease could not be renewed");
                    }
                },
                () = &mut time_is_up => {
                    let seconds = self.settings.timeout.unwrap_or_default().as_secs_f64();
                    let text = format!("Job timed out after {seconds:?}s");
                    break Attended::Ended(Err(JobFailure::new(ErrorCategory::Timeout, text)));
                }
                () = self.cut.cancelled() => {
                    match tokio::time::timeout(LAST_WORDS, &mut handler).await {
                        Ok(ended) => {
                            return Attended::Ended(ended.unwrap_or_else(|crash| Err(crashed(crash))));
                        }
                        Err(_) => break Attended::Stopped,
                    }
                }
            }
        };
        handler.abort();
        // The handler is gone before anybody else may have its job. How it ended does not matter any more.
        let _ = handler.await;
        attended
    }

    async fn renew(&self) -> Result<bool, DbError> {
        let Claimed { id, attempt, .. } = self.claimed;
        let mut tx = self.database.write().await?;
        let held = jobs::renew(&mut tx, id, attempt, self.settings.lease_span())
            .await?
            .is_some();
        tx.commit_at("job_renew").await?;
        Ok(held)
    }

    /// Writes everything in one transaction, and only while the claim is held.
    async fn write(&self, end: &End) -> Result<(), DbError> {
        let Claimed { id, attempt, .. } = self.claimed;
        let mut tx = self.database.write().await?;
        let (held, word) = match end {
            End::Done(result) => {
                let result = match result {
                    Value::Null => None,
                    Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Array(_)
                    | Value::Object(_) => serde_json::value::to_raw_value(result).ok(),
                };
                (
                    jobs::finish(&mut tx, id, attempt, result, self.settings.keep_done_span()).await?,
                    "done",
                )
            }
            End::Retry { error, after } => {
                // Whoever asks for a longer pause gets it.
                let asked = after.and_then(|after| chrono::Duration::from_std(after).ok());
                let delay = self.settings.backoff(attempt).max(asked.unwrap_or_default());
                (jobs::retry(&mut tx, id, attempt, error, delay).await?, "retry")
            }
            End::Later { after, spent } => {
                let delay = chrono::Duration::from_std(*after).unwrap_or_default();
                (
                    jobs::put_back(&mut tx, id, attempt, delay, *spent).await?,
                    "later",
                )
            }
            End::Dead {
                reason,
                attempts,
                error,
            } => (
                bury(&mut tx, id, attempt, reason, *attempts, error).await?,
                "dead",
            ),
            End::GivenBack => (jobs::release(&mut tx, id, attempt).await?, "given_back"),
            End::Lost => (false, "lost"),
        };
        tx.commit_at(end.step()).await?;
        metrics::counter!("dlo_queue_jobs_total", "end" => if held { word } else { "lost" }).increment(1);
        if !held {
            tracing::warn!(job = %id, attempt, "the claim was lost before the job ended");
        }
        Ok(())
    }
}

async fn bury(
    tx: &mut crate::database::Tx,
    id: QueueJobId,
    attempt: i64,
    reason: &str,
    attempts: Option<i64>,
    error: &str,
) -> Result<bool, DbError> {
    if !jobs::holds(tx, id, attempt).await? {
        return Ok(false);
    }
    jobs::move_to_dead_letters(tx, id, reason, attempts, error).await
}

/// How the wait for a handler ended.
enum Attended {
    Ended(HandlerResult),
    Stopped,
    Lost,
}

fn crashed(crash: JoinError) -> JobFailure {
    let text = match crash.try_into_panic() {
        Ok(panic) => panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .map_or_else(
                || "handler panicked".to_owned(),
                |text| format!("handler panicked: {text}"),
            ),
        Err(_) => "handler was stopped".to_owned(),
    };
    JobFailure::new(ErrorCategory::Other, text)
}

fn after_failure(failure: &JobFailure, attempt: i64, max_attempts: i64) -> End {
    let error = cut(format!("{}: {}", failure.category, failure.text));
    if attempt >= max_attempts {
        let error = cut(format!("Max retries exceeded: {error}"));
        End::Dead {
            reason: "max_retries_exceeded",
            attempts: Some(attempt),
            error,
        }
    } else if failure.permanent {
        let error = cut(format!("Retry policy declined: {error}"));
        End::Dead {
            reason: "permanent_failure",
            attempts: Some(attempt),
            error,
        }
    } else {
        End::Retry {
            error,
            after: failure.after,
        }
    }
}

fn cut(text: String) -> String {
    if text.chars().count() <= MAX_ERROR {
        text
    } else {
        text.chars().take(MAX_ERROR).collect()
    }
}

/// What Soniq, which is Python, calls it.
fn python_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}
