//! What people do with a message: link it to its operation, acknowledge it.

use super::evidence::absorb;
use crate::database::{DbError, Tx};
use crate::storage::dead_letters;
use crate::storage::operations;
use crate::values;
use app::domain::dead_letter::{Disposition, MessageFacts};
use app::domain::ids::{DeadLetterId, OperationId};
use app::domain::operation::Operation;
use app::domain::role::Caller;

/// Where a projected message stands.
#[derive(Debug, Clone)]
pub struct Standing {
    pub facts: MessageFacts,
    /// The record that it names or is linked to, if we hold it: locked.
    pub record: Option<Operation>,
    pub disposition: Disposition,
}

/// Reads where the message stands; locks its operation. `None` when the message is not known.
pub async fn standing(tx: &mut Tx, id: DeadLetterId) -> Result<Option<Standing>, DbError> {
    let Some(operation) = super::reread::operation_of(tx, id).await? else {
        return message(tx, id, None).await;
    };
    let record = operations::lock(tx, &operation).await?;
    message(tx, id, record).await
}

async fn message(
    tx: &mut Tx,
    id: DeadLetterId,
    record: Option<Operation>,
) -> Result<Option<Standing>, DbError> {
    let sql = "SELECT operation_id, job_id, action, error_category, disposition FROM dlo_messages \
               WHERE message_id = $1";
    let Some(row) = tx.fetch_optional(sql, values![id]).await? else {
        return Ok(None);
    };
    let reader = crate::storage::text::Reader {
        row: &row,
        table: "dlo_messages",
        id: id.to_string(),
    };
    Ok(Some(Standing {
        facts: MessageFacts {
            operation_id: row.opt_text("operation_id")?.map(OperationId),
            job_id: row.opt_text("job_id")?.map(Into::into),
            action: reader.opt_slug("action")?,
            error_category: reader.opt_slug("error_category")?,
        },
        record,
        disposition: reader.slug("disposition")?,
    }))
}

/// Links the message to a record that it does not name: from now on it is evidence about it. The record is locked.
pub async fn link(
    tx: &mut Tx,
    id: DeadLetterId,
    facts: &MessageFacts,
    record: Operation,
) -> Result<(), DbError> {
    tx.execute(
        "UPDATE dlo_messages SET operation_id = $2, linked = $3 WHERE message_id = $1",
        values![id, &record.id, true],
    )
    .await?;
    let Some(letter) = dead_letters::load_raw(tx, id).await? else {
        return Ok(());
    };
    let facts = MessageFacts {
        operation_id: Some(record.id.clone()),
        ..facts.clone()
    };
    absorb(tx, record, &[(&letter, facts)]).await
}

/// A person has seen the message and wants nothing done. Says so again, it changes nothing.
pub async fn acknowledge(tx: &mut Tx, id: DeadLetterId, caller: &Caller) -> Result<(), DbError> {
    let now = tx.now();
    tx.execute(
        "UPDATE dlo_messages SET disposition = $2, disposed_by = $3, disposed_at = $4 \
         WHERE message_id = $1 AND disposition <> $2",
        values![id, Disposition::Acknowledged.as_str(), &caller.name, now],
    )
    .await?;
    Ok(())
}

/// Whether a person has acknowledged the message.
pub async fn is_acknowledged(tx: &mut Tx, id: DeadLetterId) -> Result<bool, DbError> {
    let sql = "SELECT 1 AS found FROM dlo_messages WHERE message_id = $1 AND disposition = $2";
    let found = tx
        .fetch_optional(sql, values![id, Disposition::Acknowledged.as_str()])
        .await?;
    Ok(found.is_some())
}
