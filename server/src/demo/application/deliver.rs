//! `render.deliver`: copies outputs into the artifact store, and completes the operation.

use super::super::cast::Case;
use super::super::story::Deliver;
use super::office::error_of;
use super::poll::unread_words;
use super::{Application, Failure, Message};
use crate::artifacts::Wanted;
use crate::provider::OutputLink;
use crate::provider::output::OutputError;
use app::domain::ids::JobId;
use app::domain::operation::ErrorCategory;
use app::domain::remote::Fetch;
use serde_json::{Value, json};

/// A title that the catalogue does not take.
const LONG_TITLE: usize = 120;

impl Application {
    pub(super) async fn deliver(&self, message: &Message, case: &Case) -> Result<(), Failure> {
        let Some(job_id) = message.text("job_id").and_then(JobId::parse) else {
            return Err(Failure::retry(
                ErrorCategory::BadPayload,
                "GenaceError: bad payload: the webhook named no job_id, so there is nothing to copy from",
            ));
        };
        let answer = self.reader.jobs.observe(&job_id).await;
        if answer.observation.fetch != Fetch::Ok {
            let (category, words) = unread_words(answer.observation.fetch);
            return Err(Failure::retry(
                category,
                format!("GenaceError: GET /v1/jobs/{job_id} {words}"),
            ));
        }
        self.copy(case, &job_id, &answer.links).await?;
        self.complete(case).await
    }

    /// Copies what is missing and reports each copy; one bad output does not undo the good ones.
    async fn copy(&self, case: &Case, job_id: &JobId, links: &[OutputLink]) -> Result<(), Failure> {
        let store = match case.scenario.conduct.deliver {
            Deliver::StoreFull => &self.full_store,
            Deliver::Careful | Deliver::Hurried | Deliver::LosesCompletion | Deliver::CatalogueFails => {
                &self.store
            }
        };
        let mut copies: Vec<Value> = Vec::new();
        let mut failed = None;
        for link in links {
            if self.notes(&case.id, |notes| notes.copied.contains(&link.index)) {
                continue;
            }
            let wanted = Wanted {
                operation: &case.id,
                job: job_id,
                link,
            };
            match store.deliver_output(&self.reader.outputs, &wanted).await {
                Ok(stored) => {
                    self.notes(&case.id, |notes| notes.copied.insert(link.index));
                    copies.push(json!({
                        "index": link.index,
                        "state": "delivered",
                        "storage_key": stored.storage_key,
                        "bytes": stored.bytes,
                        "sha256": stored.sha256,
                    }));
                }
                Err(error) => {
                    copies
                        .push(json!({ "index": link.index, "state": "failed", "category": error.category }));
                    failed.get_or_insert_with(|| (error, words(&error, link)));
                }
            }
        }
        let mut body = json!({ "outputs": copies });
        if let Some((error, text)) = &failed {
            body["error"] = error_of(error.category, text);
        }
        if !copies.is_empty() {
            self.report(case, &body).await?;
        }
        match failed {
            None => Ok(()),
            Some((error, text)) => Err(Failure::retry(error.category, text)),
        }
    }

    /// Everything is copied: says so, and lists it.
    async fn complete(&self, case: &Case) -> Result<(), Failure> {
        let conduct = case.scenario.conduct.deliver;
        if conduct == Deliver::LosesCompletion {
            // Completed before it is listed: the foreign key is right to refuse.
            self.catalogue.complete(&case.id).await.map_err(database)?;
        }
        self.report(case, &json!({ "phase": "delivered" })).await?;
        let title = if conduct == Deliver::CatalogueFails {
            case.title.repeat(LONG_TITLE / 20)
        } else {
            case.title.clone()
        };
        self.catalogue.list(&case.id, &title).await.map_err(database)?;
        self.catalogue.complete(&case.id).await.map_err(database)
    }
}

fn database(error: String) -> Failure {
    Failure::retry(
        ErrorCategory::Database,
        format!("DatabaseError: catalogue.db: {error}"),
    )
}

/// As the application logs it, with the URL that it was refused under.
fn words(error: &OutputError, link: &OutputLink) -> String {
    let name = match error.category {
        ErrorCategory::StorageFull => "StorageFull: no space left for the copy",
        ErrorCategory::OutputExpired => "OutputError: url expired",
        ErrorCategory::OutputMismatch => "OutputError: content type mismatch",
        ErrorCategory::OutputTooLarge => "OutputError: output too large",
        ErrorCategory::OutputBlocked => "OutputError: host not allowed",
        ErrorCategory::Http5xx => "OutputError: error 503 service unavailable",
        ErrorCategory::Timeout
        | ErrorCategory::Connection
        | ErrorCategory::Tls
        | ErrorCategory::Http4xx
        | ErrorCategory::RateLimited
        | ErrorCategory::BadPayload
        | ErrorCategory::Rejected
        | ErrorCategory::Moderation
        | ErrorCategory::Unauthorized
        | ErrorCategory::NotFound
        | ErrorCategory::StorageWrite
        | ErrorCategory::Database
        | ErrorCategory::Configuration
        | ErrorCategory::HandlerMissing
        | ErrorCategory::Cancelled
        | ErrorCategory::Other => "OutputError",
    };
    format!(
        "{name}: output {}: {} (GET {})",
        link.index, error.detail, link.url
    )
}
