//! `billing.refund`: waits for the provider's compensation and books it. It never asks for one.

use super::super::cast::Case;
use super::super::story::Refund;
use super::poll::unread_words;
use super::{Application, Failure, Message};
use app::domain::ids::JobId;
use app::domain::money::ChargeState;
use app::domain::operation::ErrorCategory;
use app::domain::remote::{Fetch, Reason};
use serde_json::json;

impl Application {
    pub(super) async fn refund(&self, message: &Message, case: &Case) -> Result<(), Failure> {
        let Some(job_id) = message.text("job_id").and_then(JobId::parse) else {
            return Err(Failure::permanent(
                ErrorCategory::BadPayload,
                "GenaceError: bad payload: billing.refund names no job_id",
            ));
        };
        let seen = self.reader.jobs.observe(&job_id).await.observation;
        if seen.fetch != Fetch::Ok {
            let (category, words) = unread_words(seen.fetch);
            return Err(Failure::retry(
                category,
                format!("GenaceError: GET /v1/jobs/{job_id} {words}"),
            ));
        }
        let charge = seen.charge.clone().unwrap_or_default();
        self.report(case, &json!({ "remote": { "job_id": job_id }, "charge": charge }))
            .await?;
        match charge.state {
            ChargeState::Refunded | ChargeState::None => {
                let account = match case.scenario.conduct.refund {
                    Refund::Careful => Some(case.owner.id),
                    // The account was never set up.
                    Refund::LedgerFails => None,
                };
                self.catalogue
                    .book_refund(&case.id, account)
                    .await
                    .map_err(|error| {
                        Failure::retry(
                            ErrorCategory::Database,
                            format!("DatabaseError: catalogue.db: {error}"),
                        )
                    })
            }
            ChargeState::Unknown
            | ChargeState::Reserved
            | ChargeState::Charged
            | ChargeState::RefundPending
            | ChargeState::PartiallyRefunded => {
                let (category, why) = match seen.reason {
                    Some(Reason::Moderation) => (ErrorCategory::Moderation, "ended by moderation"),
                    Some(
                        Reason::None
                        | Reason::ProviderError
                        | Reason::Timeout
                        | Reason::SubmissionFailure
                        | Reason::OperatorMarked
                        | Reason::Unrecognised,
                    )
                    | None => (ErrorCategory::Other, "ended by the provider"),
                };
                let text = format!(
                    "RefundUnresolved: {job_id} was {why}; its charge is {}",
                    charge.state
                );
                Err(Failure::retry(category, text))
            }
        }
    }
}
