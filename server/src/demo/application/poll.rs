//! `render.poll`: waits for a job at the provider and reports what it says.

use super::super::cast::Case;
use super::super::story::Poll;
use super::office::error_of;
use super::{Application, Failure, Message, outbox};
use crate::provider::{Answer, Observation};
use app::domain::ids::JobId;
use app::domain::operation::ErrorCategory;
use app::domain::remote::{Execution, Fetch};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long one attempt waits.
const WAIT: Duration = Duration::from_millis(1500);
/// Between two reads.
const PAUSE: Duration = Duration::from_millis(300);

impl Application {
    pub(super) async fn poll(&self, message: &Message, case: &Case) -> Result<(), Failure> {
        let Some(job_id) = message.text("job_id").and_then(JobId::parse) else {
            return Err(Failure::permanent(
                ErrorCategory::BadPayload,
                "GenaceError: bad payload: render.poll names no job_id",
            ));
        };
        if case.scenario.conduct.poll == Poll::Searches {
            self.search(case, &job_id).await?;
        }
        let started = Instant::now();
        loop {
            let answer = self.reader.jobs.observe(&job_id).await;
            if let Some(end) = self.judge(case, &job_id, &answer).await? {
                return end;
            }
            if started.elapsed() > WAIT {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        let text = format!(
            "RenderTimeout: {job_id} is not finished; poll timed out (attempt {})",
            message.attempt
        );
        if message.is_last() && case.scenario.conduct.poll == Poll::MarksFailed {
            let error = error_of(ErrorCategory::Timeout, &text);
            self.report(case, &json!({ "phase": "failed", "error": error }))
                .await?;
        }
        Err(Failure::retry(ErrorCategory::Timeout, text))
    }

    /// Reports one answer; `None` while the job is open.
    async fn judge(
        &self,
        case: &Case,
        job_id: &JobId,
        answer: &Answer,
    ) -> Result<Option<Result<(), Failure>>, Failure> {
        let seen = &answer.observation;
        if seen.fetch != Fetch::Ok {
            return self
                .unread(case, job_id, seen.fetch)
                .await
                .map(|failure| Some(Err(failure)));
        }
        if answer
            .client_reference
            .as_deref()
            .is_some_and(|reference| reference != case.id.as_str())
        {
            let text = format!(
                "GenaceError: bad payload: {job_id} carries another client_reference; the cache was wrong"
            );
            return Ok(Some(Err(Failure::retry(ErrorCategory::BadPayload, text))));
        }
        let mut body = axes(job_id, seen);
        match seen.execution {
            Some(Execution::Queued | Execution::Running) | None => {
                let word = seen.execution.map(|execution| execution.to_string());
                if self.notes(&case.id, |notes| {
                    std::mem::replace(&mut notes.reported, word.clone()) != word
                }) {
                    self.report(case, &body).await?;
                }
                Ok(None)
            }
            Some(Execution::Unknown) => {
                let raw = seen.raw_status.clone().unwrap_or_default();
                let text =
                    format!("UnknownState: {job_id} is in the state \"{raw}\", which is not in the list");
                body["error"] = error_of(ErrorCategory::BadPayload, &text);
                self.report(case, &body).await?;
                Ok(Some(Err(Failure::retry(
                    ErrorCategory::BadPayload,
                    format!("GenaceError: bad payload: {text}"),
                ))))
            }
            Some(Execution::Succeeded) => self.succeeded(case, job_id, seen, body).await.map(Some),
            Some(Execution::Failed | Execution::Cancelled | Execution::Expired) => {
                body["phase"] = Value::from("failed");
                body["error"] = error_of(category_of(seen), "the provider ended the render");
                self.report(case, &body).await?;
                let reason = seen.reason.map_or("none", app::domain::remote::Reason::as_str);
                let args =
                    json!({ "operation_id": case.id, "job_id": job_id, "reason": reason, "credits": 12 });
                self.outbox.send(case.id.as_str(), outbox::REFUND, &args).await?;
                Ok(Some(Ok(())))
            }
        }
    }

    async fn succeeded(
        &self,
        case: &Case,
        job_id: &JobId,
        seen: &Observation,
        mut body: Value,
    ) -> Result<Result<(), Failure>, Failure> {
        body["phase"] = Value::from("succeeded");
        if seen.outputs.as_ref().is_some_and(|outputs| !outputs.is_empty()) {
            self.report(case, &body).await?;
            let mut letter = outbox::DELIVER;
            if case.scenario.conduct.deliver == super::super::story::Deliver::Hurried {
                letter.max_attempts = 2;
            }
            let args = json!({
                "operation_id": case.id,
                "job_id": job_id,
                "destination": format!("s3://{}/films/{}", case.owner.id, case.id),
                "notify_email": format!("producer@{}.example", case.owner.id),
            });
            self.outbox.send(case.id.as_str(), letter, &args).await?;
            return Ok(Ok(()));
        }
        let empty = self.notes(&case.id, |notes| {
            notes.empty_reads += 1;
            notes.empty_reads
        });
        body["remote"]["empty_observations"] = Value::from(empty);
        self.report(case, &body).await?;
        let text =
            format!("GenaceError: bad payload: {job_id} has succeeded and lists no outputs (read {empty})");
        Ok(Err(Failure::retry(ErrorCategory::BadPayload, text)))
    }

    /// The job could not be read: reported, unless the application reports nothing.
    async fn unread(&self, case: &Case, job_id: &JobId, fetch: Fetch) -> Result<Failure, Failure> {
        let (category, words) = unread_words(fetch);
        let text = format!("GenaceError: GET /v1/jobs/{job_id} {words}");
        if case.scenario.conduct.poll != Poll::Silent {
            let body =
                json!({ "remote": { "job_id": job_id, "fetch": fetch }, "error": error_of(category, &text) });
            self.report(case, &body).await?;
        }
        Ok(Failure::retry(category, text))
    }

    /// Looks for every job that carries this operation's reference, and reports those that it did not know.
    async fn search(&self, case: &Case, known: &JobId) -> Result<(), Failure> {
        let found =
            self.reader.jobs.search(&case.id).await.map_err(|error| {
                Failure::retry(ErrorCategory::Other, format!("GenaceError: search: {error}"))
            })?;
        let others: Vec<&JobId> = found.iter().filter(|job_id| *job_id != known).collect();
        for job_id in &others {
            self.report(case, &json!({ "remote": { "job_id": job_id } }))
                .await?;
        }
        match others.first() {
            None => Ok(()),
            Some(other) => Err(Failure::retry(
                ErrorCategory::Other,
                format!(
                    "TwoJobs: {known} and {other} both carry the reference {}; which one is ours?",
                    case.id
                ),
            )),
        }
    }
}

/// A good answer as a report.
fn axes(job_id: &JobId, seen: &Observation) -> Value {
    let mut body = json!({
        "remote": {
            "job_id": job_id,
            "fetch": seen.fetch,
            "execution": seen.execution,
            "reason": seen.reason,
            "raw_status": seen.raw_status,
            "outputs": seen.outputs,
            "observed_at": seen.observed_at,
        },
    });
    if let Some(charge) = &seen.charge {
        body["charge"] = json!(charge);
    }
    body
}

fn category_of(seen: &Observation) -> ErrorCategory {
    use app::domain::remote::Reason;
    match seen.reason {
        Some(Reason::Moderation) => ErrorCategory::Moderation,
        Some(Reason::Timeout) => ErrorCategory::Timeout,
        Some(
            Reason::None
            | Reason::ProviderError
            | Reason::SubmissionFailure
            | Reason::OperatorMarked
            | Reason::Unrecognised,
        )
        | None => match seen.execution {
            Some(Execution::Cancelled) => ErrorCategory::Cancelled,
            Some(
                Execution::Queued
                | Execution::Running
                | Execution::Succeeded
                | Execution::Failed
                | Execution::Expired
                | Execution::Unknown,
            )
            | None => ErrorCategory::Other,
        },
    }
}

/// The category of a read that failed, and the words for it.
pub(super) fn unread_words(fetch: Fetch) -> (ErrorCategory, &'static str) {
    match fetch {
        Fetch::Ok => (ErrorCategory::Other, "answered"),
        Fetch::NotFound => (ErrorCategory::NotFound, "-> 404 not found"),
        Fetch::Forbidden => (ErrorCategory::Unauthorized, "-> 403 forbidden"),
        Fetch::Unauthorized => (ErrorCategory::Unauthorized, "-> 401 unauthorized"),
        Fetch::RateLimited => (ErrorCategory::RateLimited, "-> 429 too many requests"),
        Fetch::ServerError => (ErrorCategory::Http5xx, "-> 503 service unavailable"),
        Fetch::BadPayload => (
            ErrorCategory::BadPayload,
            "answered with a bad payload: HTML instead of JSON, or half of it",
        ),
        Fetch::Network => (ErrorCategory::Connection, "failed: connection reset by peer"),
        Fetch::Blocked => (ErrorCategory::OutputBlocked, "was not sent: host not allowed"),
    }
}
