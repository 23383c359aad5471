//! `render.submit`: sends the one request that costs money, and says what it can prove about it.

use super::super::cast::Case;
use super::super::story::Submit;
use super::genace::Submission;
use super::office::error_of;
use super::{Application, Failure, Message, outbox};
use app::domain::ids::JobId;
use app::domain::operation::ErrorCategory;
use serde_json::{Value, json};
use std::time::Duration;

/// How long the cache waits for the job that it hands out.
const LENDING: Duration = Duration::from_secs(10);

impl Application {
    /// The first message of an operation.
    pub(super) async fn queue_first(&self, case: &Case) -> Result<(), Failure> {
        let args = json!({
            "operation_id": case.id,
            "model": case.specification.model,
            "prompt": case.prompt,
            "seed": case.seed,
            "owner": case.owner.id,
            "webhook_url": format!("https://hooks.studio.example/renders/{}?token=whk_{:08x}", case.id, case.seed),
        });
        let letter = match case.scenario.conduct.submit {
            Submit::Unregistered => outbox::UPSCALE,
            Submit::Careful
            | Submit::MarksFailed
            | Submit::Blind
            | Submit::Unreachable
            | Submit::UnreachableMarksFailed
            | Submit::MissingSetting
            | Submit::Borrows
            | Submit::LosesReport
            | Submit::Webhook => outbox::SUBMIT,
        };
        self.outbox.send(case.id.as_str(), letter, &args).await?;
        Ok(())
    }

    pub(super) async fn submit(&self, message: &Message, case: &Case) -> Result<(), Failure> {
        match case.scenario.conduct.submit {
            Submit::MissingSetting | Submit::Unregistered => Err(Failure::permanent(
                ErrorCategory::Configuration,
                format!(
                    "ConfigurationError: GENACE_REGION is not configured for {}",
                    case.owner.id
                ),
            )),
            Submit::Borrows => self.borrow_job(case).await,
            Submit::Unreachable | Submit::UnreachableMarksFailed => self.submit_away(message, case).await,
            Submit::Careful | Submit::MarksFailed | Submit::Blind | Submit::LosesReport | Submit::Webhook => {
                self.submit_here(message, case).await
            }
        }
    }

    async fn submit_here(&self, message: &Message, case: &Case) -> Result<(), Failure> {
        let conduct = case.scenario.conduct.submit;
        let earlier = self.notes(&case.id, |notes| notes.uncertain.clone());
        if let Some((category, detail)) = earlier.filter(|_| conduct != Submit::Blind) {
            return self.give_up(message, case, category, &detail).await;
        }
        self.genace
            .reach()
            .await
            .map_err(|detail| Failure::retry(ErrorCategory::Connection, detail))?;
        if !self.notes(&case.id, |notes| std::mem::replace(&mut notes.submitting, true)) {
            self.report(case, &json!({ "phase": "submitting" })).await?;
        }
        match self.genace.submit(case).await {
            Submission::Accepted { job_id: Some(job_id) } => self.accepted(case, JobId(job_id)).await,
            Submission::Accepted { job_id: None } => {
                let detail =
                    "GenaceError: bad payload: the answer to POST /v1/generations names no job".to_owned();
                self.report(
                    case,
                    &json!({ "phase": "accepted", "error": error_of(ErrorCategory::BadPayload, &detail) }),
                )
                .await?;
                Err(Failure::permanent(ErrorCategory::BadPayload, detail))
            }
            Submission::Rejected {
                charged,
                code,
                status,
                detail,
            } => {
                let charge = match charged {
                    Some(charged) => json!({ "state": "charged", "charged": charged }),
                    None => json!({ "state": "none" }),
                };
                let error = error_of(ErrorCategory::Rejected, &format!("{status} {code}"));
                self.report(
                    case,
                    &json!({ "phase": "failed", "dispatch": "sent", "charge": charge, "error": error }),
                )
                .await?;
                Err(Failure::permanent(ErrorCategory::Rejected, detail))
            }
            Submission::NotSent { detail } => Err(Failure::retry(ErrorCategory::Connection, detail)),
            Submission::Unknown { category, detail } => {
                self.notes(&case.id, |notes| {
                    notes.uncertain = Some((category, detail.clone()))
                });
                self.report(case, &json!({ "error": error_of(category, &detail) }))
                    .await?;
                if conduct == Submit::Webhook {
                    return self.webhook_arrives(case).await;
                }
                Err(Failure::retry(category, detail))
            }
        }
    }

    /// The outcome is unknown, and sending again could pay twice.
    async fn give_up(
        &self,
        message: &Message,
        case: &Case,
        category: ErrorCategory,
        earlier: &str,
    ) -> Result<(), Failure> {
        if message.is_last() && case.scenario.conduct.submit == Submit::MarksFailed {
            self.report(
                case,
                &json!({ "phase": "failed", "error": error_of(category, earlier) }),
            )
            .await?;
        }
        let text = format!(
            "{earlier}\nSubmissionUnknown: attempt {} does not send again",
            message.attempt
        );
        Err(Failure::retry(category, text))
    }

    async fn accepted(&self, case: &Case, job_id: JobId) -> Result<(), Failure> {
        self.notes(&case.id, |notes| notes.job_id = Some(job_id.clone()));
        if case.scenario.conduct.submit != Submit::LosesReport {
            let body = json!({ "phase": "accepted", "dispatch": "sent", "remote": { "job_id": job_id } });
            self.report(case, &body).await?;
        }
        self.queue_poll(case, &job_id).await
    }

    async fn queue_poll(&self, case: &Case, job_id: &JobId) -> Result<(), Failure> {
        let mut letter = outbox::POLL;
        if case.scenario.conduct.poll == super::super::story::Poll::Hurried {
            letter.max_attempts = 1;
        }
        let args = json!({ "operation_id": case.id, "job_id": job_id, "owner": case.owner.id });
        self.outbox.send(case.id.as_str(), letter, &args).await?;
        Ok(())
    }

    /// A webhook says that it succeeded; its author forgot to name the job.
    async fn webhook_arrives(&self, case: &Case) -> Result<(), Failure> {
        self.report(case, &json!({ "phase": "succeeded" })).await?;
        let args = json!({ "operation_id": case.id, "source": "webhook", "owner": case.owner.id });
        self.outbox.send(case.id.as_str(), outbox::DELIVER, &args).await?;
        Ok(())
    }

    /// Nothing was sent, and each attempt can prove it: the connection was refused.
    async fn submit_away(&self, message: &Message, case: &Case) -> Result<(), Failure> {
        let detail = match self.away.reach().await {
            Err(detail) => detail,
            Ok(()) => "ConnectionRefused: another program answers at the region's address".to_owned(),
        };
        let mut body = json!({
            "dispatch": "confirmed_not_sent",
            "dispatch_proof": { "message_id": message.id, "attempts": message.attempt },
            "error": error_of(ErrorCategory::Connection, &detail),
        });
        if message.is_last() && case.scenario.conduct.submit == Submit::UnreachableMarksFailed {
            body["phase"] = Value::from("failed");
        }
        self.report(case, &body).await?;
        Err(Failure::retry(ErrorCategory::Connection, detail))
    }

    /// A cache of prompts finds "the same" render and takes its job, which belongs to another operation.
    async fn borrow_job(&self, case: &Case) -> Result<(), Failure> {
        let waiting = async {
            loop {
                let found = self
                    .lender
                    .as_ref()
                    .and_then(|id| self.notes(id, |notes| notes.job_id.clone()));
                match found {
                    Some(job_id) => break job_id,
                    None => tokio::time::sleep(Duration::from_millis(100)).await,
                }
            }
        };
        match tokio::time::timeout(LENDING, waiting).await {
            Ok(job_id) => self.accepted(case, job_id).await,
            Err(_) => Err(Failure::retry(
                ErrorCategory::Other,
                "CacheMiss: the cached render has no job yet",
            )),
        }
    }
}
