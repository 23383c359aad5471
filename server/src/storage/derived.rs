//! What is kept beside the facts as an index over derived values: label, next action, money flag, known job ids.
//! Rewritten in the transaction that changes the facts, and never read as truth.

use super::{evidence, known_jobs, operations};
use crate::database::{DbError, Tx};
use crate::values;
use app::domain::ids::OperationId;
use app::domain::operation::Operation;
use app::domain::plan::decide;

/// Derives everything of this operation anew; and of others that know a job id which it has begun or ceased to hold.
///
/// To be called whenever the record, a message of it, an attempt or a receipt has changed. An operation that does not
/// exist is no error: messages may name one that nobody has reported yet.
pub async fn refresh(tx: &mut Tx, id: &OperationId) -> Result<(), DbError> {
    let Some(record) = operations::load(tx, id).await? else {
        return Ok(());
    };
    let known = evidence::without_holders(tx, &record).await?.known_jobs(&record);
    let moved = known_jobs::update(tx, &record, &known).await?;
    write(tx, &record).await?;
    for other in known_jobs::others_who_know(tx, &record, &moved).await? {
        // An unreadable neighbour is shown as such; it does not stop this one.
        if let Ok(Some(neighbour)) = operations::load(tx, &other).await {
            write(tx, &neighbour).await?;
        }
    }
    Ok(())
}

/// Writes the derived values of one record.
async fn write(tx: &mut Tx, record: &Operation) -> Result<(), DbError> {
    let evidence = evidence::gather(tx, record).await?;
    let plan = decide(record, &evidence, tx.now());
    let charged = record.charge.charged.map(|amount| amount.normalize().to_string());
    tx.execute(
        "UPDATE dlo_operations SET label = $2, next_action = $3, refund_unresolved = $4, charged_credits = $5 \
         WHERE id = $1",
        values![&record.id, plan.label.as_str(), plan.action.as_str(), plan.refund_unresolved, charged],
    )
    .await?;
    tx.execute(
        "UPDATE dlo_messages SET phase = $2, label = $3, next_action = $4, owner = $5 WHERE operation_id = $1",
        values![&record.id, record.phase.as_str(), plan.label.as_str(), plan.action.as_str(), &record.owner],
    )
    .await?;
    Ok(())
}
