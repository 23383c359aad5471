//! Refused orders stand in the audit as well.

use super::Office;
use crate::storage::audit::{self, Entry};
use crate::values;
use app::desk::{Code, DeskError};
use app::domain::ids::{DeadLetterId, OperationId};
use app::domain::role::Caller;

impl Office {
    /// A refusal of a mutation is audited, in a transaction of its own: the refused one left no trace.
    pub async fn note_refusal(
        &self,
        caller: &Caller,
        operation: &OperationId,
        action: &str,
        reason: &str,
        refusal: &DeskError,
    ) {
        self.note(
            Entry::new(caller, format!("refused_{action}")).operation(operation),
            reason,
            refusal,
        )
        .await;
    }

    /// As [`Office::note_refusal`], of an order about a message.
    pub async fn note_message_refusal(
        &self,
        caller: &Caller,
        message: DeadLetterId,
        action: &str,
        reason: &str,
        refusal: &DeskError,
    ) {
        let mut entry = Entry::new(caller, format!("refused_{action}")).dead_letter(message);
        if let Some(operation) = self.operation_of(message).await {
            entry = entry.operation(&operation);
        }
        self.note(entry, reason, refusal).await;
    }

    /// The operation that a dead letter speaks of, as far as it is known.
    async fn operation_of(&self, message: DeadLetterId) -> Option<OperationId> {
        let mut tx = self.database.read().await.ok()?;
        let sql = "SELECT operation_id FROM dlo_messages WHERE message_id = $1";
        let row = tx.fetch_optional(sql, values![message]).await.ok()??;
        row.opt_text("operation_id").ok()?.map(OperationId)
    }

    async fn note(&self, entry: Entry, reason: &str, refusal: &DeskError) {
        if !is_judgement(refusal.code) {
            return;
        }
        let written = async {
            let mut tx = self.database.write().await?;
            let entry = entry
                .reason(format!("{}: {reason}", refusal.code))
                .guards(&refusal.guards);
            audit::append(&mut tx, entry).await?;
            tx.commit().await
        }
        .await;
        if let Err(error) = written {
            tracing::error!(error = %error, "a refusal could not be audited");
        }
    }
}

/// Bad requests, lost races and failures are the log's matter.
const fn is_judgement(code: Code) -> bool {
    match code {
        Code::RoleRequired
        | Code::PlanStale
        | Code::RecoveryActive
        | Code::UseDecision
        | Code::ConfirmMismatch
        | Code::GuardBlocked
        | Code::NotAllowedHere
        | Code::JobNotConfirmed
        | Code::JobHeldElsewhere
        | Code::RecordExists
        | Code::RecordRequired => true,
        Code::Unauthenticated
        | Code::SignInExpired
        | Code::SignInRefused
        | Code::NameLooksAlike
        | Code::IssuerUnavailable
        | Code::InvalidRequest
        | Code::InvalidRecord
        | Code::MissingIdempotencyKey
        | Code::BadId
        | Code::BodyTooLarge
        | Code::UnsupportedMediaType
        | Code::CrossSite
        | Code::NotFound
        | Code::MethodNotAllowed
        | Code::AlreadyExists
        | Code::RevisionMismatch
        | Code::PreconditionRequired
        | Code::PhaseRegression
        | Code::EvidenceRegression
        | Code::TerminalPhase
        | Code::IdempotencyConflict
        | Code::SlowDown
        | Code::Unavailable
        | Code::Internal => false,
    }
}
