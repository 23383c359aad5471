//! What a decision changes beside the record: messages, attempts, reservations, and the operations that it makes.

use super::super::Failure;
use crate::config::Config;
use crate::database::Tx;
use crate::storage::guard_facts::{is_adopted, pin};
use crate::storage::{attempts, evidence, facts, operations, reservations};
use crate::values;
use app::desk::{Code, DecisionOrder, DeskError, Event, EventKind, Lane};
use app::domain::decision::Decision;
use app::domain::evidence::Evidence;
use app::domain::ids::{DeadLetterId, OperationId};
use app::domain::operation::{Operation, Phase};
use app::domain::plan::{Action, decide};
use app::domain::redact::redact_text;
use app::domain::transition::{Context, adopt, new_child};

/// Refuses what the tables refuse, and changes what the record's new derived values depend on.
/// Answers the operation that the decision makes, to be written by [`after`].
pub async fn before(
    tx: &mut Tx,
    config: &Config,
    record: &Operation,
    known: &Evidence,
    order: &DecisionOrder,
    context: &Context<'_>,
) -> Result<Option<Operation>, Failure> {
    match &order.decision {
        Decision::AdoptAsOperation { job_id, id } => {
            refuse_taken(tx, id).await?;
            let (_, child) = adopt(record, known, job_id, id, context)?;
            Ok(Some(child))
        }
        Decision::PrepareNewOperation { id } => {
            refuse_taken(tx, id).await?;
            refuse_open_child(tx, record).await?;
            let specification = facts::specification(tx, &record.specification.id).await?;
            let revision = specification.as_ref().map(|facts| facts.current_revision);
            let fingerprint = pin(config, &record.provider, &record.account);
            let mut child = new_child(record, id, revision, fingerprint, context.now);
            // The current revision may ask for another model than the parent's did.
            child.model = specification.and_then(|facts| facts.model).or(child.model);
            Ok(Some(child))
        }
        Decision::ConfirmNotSent { evidence } => {
            let detail = format!("{}: {}", context.by, redact_text(evidence));
            attempts::close_by_person(tx, &record.id, &detail).await?;
            Ok(None)
        }
        Decision::AcknowledgeObsolete { dead_letter_id } => {
            acknowledge(tx, &record.id, *dead_letter_id, context.by).await?;
            Ok(None)
        }
        Decision::AttachJob { .. }
        | Decision::ChooseJob { .. }
        | Decision::OutsideSendExcluded { .. }
        | Decision::CloseUnresolved
        | Decision::OutputsLost { .. }
        | Decision::RefundConfirmed { .. }
        | Decision::ChargeAccepted
        | Decision::RefundRequested
        | Decision::Reopen => Ok(None),
    }
}

/// Writes the operation that the decision made, and ends reservations that nothing will be charged against.
pub async fn after(
    tx: &mut Tx,
    record: &Operation,
    order: &DecisionOrder,
    made: Option<Operation>,
) -> Result<(), Failure> {
    if let Some(child) = made {
        operations::create(tx, &child, &[begun(&child, record, order)]).await?;
    }
    let confirmed_not_sent = matches!(order.decision, Decision::ConfirmNotSent { .. });
    if confirmed_not_sent || record.closure.is_some() {
        reservations::end_of_operation(tx, &record.id).await?;
    }
    Ok(())
}

async fn refuse_taken(tx: &mut Tx, id: &OperationId) -> Result<(), Failure> {
    if operations::exists(tx, id).await? {
        let detail = format!("An operation {id} is recorded already: choose another id.");
        return Err(DeskError::new(Code::NotAllowedHere, detail).into());
    }
    Ok(())
}

/// One open child per parent. Open is a child that may still create or deliver; an adopted extra render is none of
/// them: it is another job of the same request.
async fn refuse_open_child(tx: &mut Tx, parent: &Operation) -> Result<(), Failure> {
    for id in operations::children(tx, &parent.id).await? {
        let Some(child) = operations::load(tx, &id).await? else {
            continue;
        };
        let adopted = is_adopted(parent, &child);
        let ended = child.phase == Phase::Delivered || child.closure.is_some() || {
            let known = evidence::gather(tx, &child).await?;
            decide(&child, &known, tx.now()).action == Action::Acknowledge
        };
        if !adopted && !ended {
            let detail = format!("The new operation {id} is still open: finish or close it first.");
            return Err(DeskError::new(Code::NotAllowedHere, detail).into());
        }
    }
    Ok(())
}

/// The disposition of one message of the operation, or of all that are open.
async fn acknowledge(
    tx: &mut Tx,
    operation: &OperationId,
    message: Option<DeadLetterId>,
    by: &str,
) -> Result<(), Failure> {
    let now = tx.now();
    if let Some(id) = message {
        let sql = "SELECT message_id FROM dlo_messages WHERE message_id = $1 AND operation_id = $2";
        if tx.fetch_optional(sql, values![id, operation]).await?.is_none() {
            let detail = format!("Message {id} does not speak of this operation.");
            return Err(DeskError::new(Code::NotAllowedHere, detail).into());
        }
    }
    tx.execute(
        "UPDATE dlo_messages SET disposition = 'acknowledged', disposed_by = $2, disposed_at = $3 \
         WHERE operation_id = $1 AND disposition = 'open' AND purged_at IS NULL \
         AND (message_id = $4 OR $5)",
        values![operation, by, now, message, message.is_none()],
    )
    .await?;
    Ok(())
}

fn begun(child: &Operation, parent: &Operation, order: &DecisionOrder) -> Event {
    let how = if let Decision::AdoptAsOperation { job_id, id: _ } = &order.decision {
        format!("adopted {job_id} from {}", parent.id)
    } else {
        format!("prepared in the stead of {}", parent.id)
    };
    Event {
        at: child.created_at,
        kind: EventKind::Decision,
        lane: Lane::OurSide,
        title: child.phase.to_string(),
        detail: format!("{how}: {}", redact_text(&order.reason)),
        source: "a person".to_owned(),
        money: None,
        phase: Some(child.phase),
        execution: child.remote.execution,
        revision: child.revision,
    }
}
