//! What the people at the desk do in the demo, once messages have died: a few decisions and recoveries, ordered over
//! HTTP like anybody else's.

use super::application::{OfficeClient, OfficeError, operation_path};
use super::cast::Case;
use super::story::DeskStep;
use app::domain::ids::OperationId;
use serde_json::{Value, json};
use std::time::Duration;

/// How often a person looks again.
const LOOK: Duration = Duration::from_millis(250);
/// How long a person looks for something to happen.
const PATIENCE: usize = 100;

/// The people of the demo, each with their own sign-in.
pub struct People {
    pub operator: OfficeClient,
    pub approver: OfficeClient,
}

/// Why a step was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    #[error(transparent)]
    Office(#[from] OfficeError),
    #[error("waited in vain for {0}")]
    InVain(&'static str),
}

type Step<T> = Result<T, StepError>;

impl People {
    /// Does what the case asks for.
    ///
    /// # Errors
    /// The office refused it, or what was waited for did not come.
    pub async fn attend(&self, case: &Case) -> Step<()> {
        let id = &case.id;
        match case.scenario.desk {
            DeskStep::Leave => Ok(()),
            DeskStep::Close => {
                let body = json!({
                    "decision": "close_unresolved",
                    "reason": "Searched at the provider with support; nothing found. The customer has asked for another film.",
                });
                self.decide(&self.operator, id, body).await
            }
            DeskStep::Acknowledge => {
                let body = json!({
                    "decision": "acknowledge_obsolete",
                    "reason": "Delivered; only the catalogue entry was missing, and it was added by hand.",
                });
                self.decide(&self.operator, id, body).await
            }
            DeskStep::RequestRefund => {
                let body = json!({
                    "decision": "refund_requested",
                    "reason": "Marked failed by the provider's own operator. Refund asked for, their ticket 48213.",
                });
                self.decide(&self.operator, id, body).await
            }
            DeskStep::Recover => {
                self.dead_letter(id).await?;
                let reason = "The cause is fixed on our side; carrying the plan out.";
                let recovery = self
                    .confirm(&self.operator, id, json!({ "reason": reason }))
                    .await?;
                self.end_of(&recovery).await.map(drop)
            }
            DeskStep::Follow => {
                self.dead_letter(id).await?;
                let body = json!({ "reason": "The customer is waiting: following this one to its end.", "follow": true });
                self.confirm(&self.operator, id, body).await.map(drop)
            }
            DeskStep::Dispatch => {
                self.dead_letter(id).await?;
                let body = json!({
                    "reason": "The region is back. The connection was refused, so nothing was sent before.",
                    "confirm": id,
                });
                let recovery = self.confirm(&self.approver, id, body).await?;
                self.end_of(&recovery).await.map(drop)
            }
            DeskStep::Replace => self.replace(id).await,
        }
    }

    /// A new operation in the old one's stead, sent, waited for and delivered.
    async fn replace(&self, id: &OperationId) -> Step<()> {
        let child = OperationId(format!("{id}_r2"));
        self.dead_letter(id).await?;
        let body = json!({
            "decision": "prepare_new_operation",
            "id": child,
            "reason": "Rejected for a parameter of an old template; prepared again from the current one.",
        });
        self.decide(&self.approver, id, body).await?;
        let reason = "First submission of the replacement.";
        let sent = self
            .confirm(
                &self.approver,
                &child,
                json!({ "reason": reason, "confirm": child }),
            )
            .await?;
        self.end_of(&sent).await?;
        let body = json!({ "reason": "Waiting for the replacement's render.", "follow": true });
        let watched = self.confirm(&self.operator, &child, body).await?;
        self.end_of(&watched).await?;
        let body = json!({ "reason": "Copying the replacement's film." });
        let copied = self.confirm(&self.operator, &child, body).await?;
        self.end_of(&copied).await.map(drop)
    }

    /// Records a decision at the revision that the person sees; looks again when it has moved on.
    async fn decide(&self, who: &OfficeClient, id: &OperationId, mut body: Value) -> Step<()> {
        self.dead_letter(id).await?;
        let path = format!("{}/decisions", operation_path(id));
        for _ in 0..PATIENCE {
            body["revision"] = who.operation(id).await?["revision"].clone();
            match who.post(&path, &body).await {
                Err(error) if moved_on(&error) => tokio::time::sleep(LOOK).await,
                answer => return answer.map(drop).map_err(StepError::from),
            }
        }
        Err(StepError::InVain("a revision that stands still"))
    }

    /// Confirms the operation's plan; answers the recovery's id.
    async fn confirm(&self, who: &OfficeClient, id: &OperationId, mut body: Value) -> Step<String> {
        let path = format!("{}/recoveries", operation_path(id));
        for _ in 0..PATIENCE {
            let operation = who.operation(id).await?;
            body["revision"] = operation["revision"].clone();
            body["action"] = operation["plan"]["action"].clone();
            if let Some(letter) = first_letter(&operation) {
                body["dead_letter_id"] = letter;
            }
            match who.post(&path, &body).await {
                Ok(ordered) => return Ok(ordered["recovery_id"].as_str().unwrap_or_default().to_owned()),
                Err(error) if moved_on(&error) => tokio::time::sleep(LOOK).await,
                Err(error) => return Err(error.into()),
            }
        }
        Err(StepError::InVain("a revision that stands still"))
    }

    /// Waits until a recovery has ended; answers how.
    async fn end_of(&self, recovery: &str) -> Step<Value> {
        for _ in 0..PATIENCE {
            let seen = self.operator.get(&format!("/recoveries/{recovery}")).await?;
            if !seen["finished_at"].is_null() {
                return Ok(seen);
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(StepError::InVain("the end of a recovery"))
    }

    /// Waits until the operation's dead letter is known to its record.
    async fn dead_letter(&self, id: &OperationId) -> Step<()> {
        for _ in 0..PATIENCE {
            if first_letter(&self.operator.operation(id).await?).is_some() {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(StepError::InVain("a dead letter"))
    }
}

fn first_letter(operation: &Value) -> Option<Value> {
    operation
        .pointer("/dead_letters/0/id")
        .filter(|id| id.is_string())
        .cloned()
}

/// Somebody wrote between looking and ordering.
fn moved_on(error: &OfficeError) -> bool {
    match error {
        OfficeError::Refused { code, .. } => matches!(code.as_str(), "plan_stale" | "recovery_active"),
        OfficeError::Unreachable => false,
    }
}
