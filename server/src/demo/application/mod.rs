//! The demo's application: a small studio that renders films at a paid provider. Its jobs (`render.*`, `billing.*`)
//! run on our queue code, on queues of its own, and report to the office over HTTP. It makes the mistakes that its
//! scenarios name, and nothing it does is a pretence: what fails, fails.

mod catalogue;
mod deliver;
mod failure;
mod genace;
mod notes;
mod office;
mod outbox;
mod poll;
mod refund;
mod submit;

pub use catalogue::Catalogue;
pub use failure::Failure;
pub use genace::Genace;
pub use office::{OfficeClient, OfficeError, operation_path};
pub use outbox::{DELIVER, Letter, Outbox, POLL, QUEUES, REFUND};

use super::cast::{Case, SPECIFICATIONS, owners};
use crate::artifacts::Artifacts;
use crate::provider::Reader;
use app::domain::ids::OperationId;
use app::domain::operation::ErrorCategory;
use chrono::{DateTime, Utc};
use notes::Notes;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The provider's name in the office's configuration.
pub const PROVIDER: &str = "genace";

/// A message that a handler works on.
#[derive(Debug, Clone)]
pub struct Message {
    /// The queue job's id, which a dead letter keeps.
    pub id: uuid::Uuid,
    pub job_name: String,
    pub args: Map<String, Value>,
    /// From 1.
    pub attempt: i64,
    pub max_attempts: i64,
}

impl Message {
    /// No attempt follows this one.
    pub const fn is_last(&self) -> bool {
        self.attempt >= self.max_attempts
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.args.get(name).and_then(Value::as_str)
    }
}

/// What the application works with.
pub struct Application {
    pub office: OfficeClient,
    pub genace: Genace,
    /// A region whose address refuses connections.
    pub away: Genace,
    /// Reads jobs and fetches outputs.
    pub reader: Reader,
    pub store: Artifacts,
    /// The same store under a quota that is used up.
    pub full_store: Artifacts,
    pub catalogue: Catalogue,
    pub outbox: Outbox,
    cases: HashMap<OperationId, Case>,
    notes: Mutex<HashMap<OperationId, Notes>>,
    /// The operation whose job the cache hands out.
    lender: Option<OperationId>,
}

/// The parts of an [`Application`].
pub struct Parts {
    pub office: OfficeClient,
    pub genace: Genace,
    pub away: Genace,
    pub reader: Reader,
    pub store: Artifacts,
    pub full_store: Artifacts,
    pub catalogue: Catalogue,
    pub outbox: Outbox,
}

/// The names of the application's jobs that it has handlers for.
pub const JOB_NAMES: [&str; 4] = ["render.submit", "render.poll", "render.deliver", "billing.refund"];

impl Application {
    pub fn new(parts: Parts, cases: &[Case]) -> Self {
        let Parts {
            office,
            genace,
            away,
            reader,
            store,
            full_store,
            catalogue,
            outbox,
        } = parts;
        Self {
            office,
            genace,
            away,
            reader,
            store,
            full_store,
            catalogue,
            outbox,
            lender: cases
                .iter()
                .find(|case| case.scenario.name == super::scenarios::LENDER)
                .map(|case| case.id.clone()),
            cases: cases.iter().map(|case| (case.id.clone(), case.clone())).collect(),
            notes: Mutex::default(),
        }
    }

    /// Reports the facts that guards read: owners and specifications.
    ///
    /// # Errors
    /// The office refused them, or did not answer.
    pub async fn report_facts(&self, as_of: DateTime<Utc>) -> Result<(), OfficeError> {
        for owner in owners() {
            let body =
                json!({ "authorized": owner.authorized, "remaining_credits": owner.credits, "as_of": as_of });
            self.office.put(&format!("/owners/{}", owner.id), &body).await?;
        }
        for specification in SPECIFICATIONS {
            let body = json!({
                "current_revision": specification.revision,
                "model": specification.model,
                "model_available": true,
                "active": true,
                "estimated_credits": specification.credits,
                "body": {
                    "model": specification.model,
                    "prompt": "the house style, one continuous take",
                    "duration_seconds": specification.seconds,
                },
            });
            self.office
                .put(&format!("/specifications/{}", specification.id), &body)
                .await?;
        }
        Ok(())
    }

    /// Wants one generation: reports its record, and queues its first message.
    ///
    /// # Errors
    /// The office or the queue refused it.
    pub async fn want(&self, case: &Case) -> Result<(), Failure> {
        let body = json!({
            "provider": PROVIDER,
            "account": "main",
            "owner": case.owner.id,
            "specification": { "id": case.specification.id, "revision": case.revision },
            "model": case.specification.model,
            "phase": "prepared",
        });
        self.office.put_operation(&case.id, &body).await?;
        self.queue_first(case).await
    }

    /// Carries one message out.
    ///
    /// # Errors
    /// What the message's error text will say; whether another attempt can help.
    pub async fn handle(&self, message: &Message) -> Result<(), Failure> {
        let Some(operation) = message.text("operation_id").and_then(OperationId::parse) else {
            return Err(Failure::permanent(
                ErrorCategory::BadPayload,
                format!(
                    "GenaceError: bad payload: {} names no operation_id",
                    message.job_name
                ),
            ));
        };
        let Some(case) = self.cases.get(&operation) else {
            return self.stray(message, &operation).await;
        };
        match message.job_name.as_str() {
            "render.submit" => self.submit(message, case).await,
            "render.poll" => self.poll(message, case).await,
            "render.deliver" => self.deliver(message, case).await,
            "billing.refund" => self.refund(message, case).await,
            other => Err(Failure::permanent(
                ErrorCategory::HandlerMissing,
                format!("no handler for {other}"),
            )),
        }
    }

    /// A message about an operation that the application's own books do not hold: does the office know it?
    async fn stray(&self, message: &Message, operation: &OperationId) -> Result<(), Failure> {
        match self.office.operation(operation).await {
            Ok(_) => Ok(()),
            Err(error) => Err(Failure::retry(
                ErrorCategory::NotFound,
                format!(
                    "UnknownOperation: {} not found in the office: {error}",
                    message.job_name
                ),
            )),
        }
    }

    /// Reports what is new of an operation.
    async fn report(&self, case: &Case, body: &Value) -> Result<(), Failure> {
        self.office
            .patch_operation(&case.id, body)
            .await
            .map_err(Failure::from)
    }

    /// What the application remembers of an operation.
    fn notes<T>(&self, operation: &OperationId, with: impl FnOnce(&mut Notes) -> T) -> T {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        with(notes.entry(operation.clone()).or_default())
    }
}
