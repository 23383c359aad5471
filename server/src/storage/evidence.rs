//! What all dead letters, attempts and receipts of an operation add to its record, read in one place.

use super::attempts::{self, AttemptRow};
use super::operations::{CHUNK, held_elsewhere};
use super::text::{Reader, placeholders};
use crate::database::{DbError, Row, Tx, Value};
use app::domain::dead_letter::{Message, MessageFacts};
use app::domain::evidence::Evidence;
use app::domain::ids::{DeadLetterId, JobId, OperationId};
use app::domain::operation::Operation;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

const MESSAGES: &str = "dlo_messages";

/// All evidence about one operation.
///
/// Messages come from our own table, purged ones included; how often a living one was replayed is read from the dead
/// letter itself. Who needs dead letters that arrived this second projects them first, in the same transaction.
pub async fn gather(tx: &mut Tx, record: &Operation) -> Result<Evidence, DbError> {
    let mut found = without_holders(tx, record).await?;
    let known = found.known_jobs(record);
    found.held_elsewhere = held_elsewhere(tx, &record.provider, &record.account, &record.id, &known).await?;
    Ok(found)
}

/// Evidence of several operations, in their order, with one statement per kind instead of one per operation.
pub async fn gather_many(tx: &mut Tx, records: &[&Operation]) -> Result<Vec<Evidence>, DbError> {
    let ids: Vec<&OperationId> = records.iter().map(|record| &record.id).collect();
    let mut found = unheld(tx, &ids).await?;
    let mut evidence = Vec::new();
    for record in records {
        let mut own = found.remove(&record.id).unwrap_or_default();
        let known = own.known_jobs(record);
        // Almost every operation knows one id only, the one that it holds itself: nobody else can hold that.
        if known.iter().any(|job_id| record.job_id.as_ref() != Some(job_id)) {
            own.held_elsewhere =
                held_elsewhere(tx, &record.provider, &record.account, &record.id, &known).await?;
        }
        evidence.push(own);
    }
    Ok(evidence)
}

/// Evidence without `held_elsewhere`: enough to know which ids the operation knows.
pub(super) async fn without_holders(tx: &mut Tx, record: &Operation) -> Result<Evidence, DbError> {
    let mut found = unheld(tx, &[&record.id]).await?;
    Ok(found.remove(&record.id).unwrap_or_default())
}

async fn unheld(tx: &mut Tx, ids: &[&OperationId]) -> Result<BTreeMap<OperationId, Evidence>, DbError> {
    let mut found: BTreeMap<OperationId, Evidence> = BTreeMap::new();
    for chunk in ids.chunks(CHUNK) {
        let wanted = placeholders(1, chunk.len());
        let values: Vec<Value> = chunk.iter().map(|id| Value::from(*id)).collect();
        let sql = format!(
            "SELECT known.*, dead.id IS NOT NULL AS lives, dead.resurrection_count AS dead_resurrections, \
             dead.last_resurrection_at AS dead_last_resurrection_at \
             FROM dlo_messages AS known LEFT JOIN soniq_dead_letter_jobs AS dead ON dead.id = known.message_id \
             WHERE known.operation_id IN ({wanted}) ORDER BY known.died_at, known.message_id"
        );
        for row in tx.fetch_all(&sql, values.clone()).await? {
            let id = OperationId(row.text("operation_id")?);
            found.entry(id).or_default().messages.push(message(&row)?);
        }
        for AttemptRow {
            operation_id,
            attempt,
            extra_job_ids,
        } in attempts::of(tx, chunk).await?
        {
            let own = found.entry(operation_id).or_default();
            own.attempts.push(attempt);
            own.extra_job_ids.extend(extra_job_ids);
        }
    }
    Ok(found)
}

fn message(row: &Row) -> Result<Message, DbError> {
    let id = row.uuid("message_id")?;
    let reader = Reader {
        row,
        table: MESSAGES,
        id: id.to_string(),
    };
    let lives = row.flag("lives")?;
    let (resurrections, last_resurrection_at) = if lives {
        (
            row.opt_int("dead_resurrections")?.unwrap_or(0),
            lenient_time(row, "dead_last_resurrection_at"),
        )
    } else {
        (
            reader.get("resurrections", Row::int)?,
            reader.get("last_resurrection_at", Row::opt_time)?,
        )
    };
    Ok(Message {
        id: DeadLetterId(id),
        facts: MessageFacts {
            operation_id: reader.get("operation_id", Row::opt_text)?.map(OperationId),
            job_id: reader.get("job_id", Row::opt_text)?.map(JobId),
            action: reader.opt_slug("action")?,
            error_category: reader.opt_slug("error_category")?,
        },
        attempts: reader.get("attempts", Row::int)?,
        died_at: lenient_time(row, "died_at").ok_or_else(|| reader.impossible("died_at"))?,
        resurrections,
        own_replays: reader.get("own_replays", Row::int)?,
        last_resurrection_at,
        purged: reader.get("purged_at", Row::opt_time)?.is_some(),
        disposition: reader.slug("disposition")?,
    })
}

/// Other people's columns may hold text that is no time.
fn lenient_time(row: &Row, column: &str) -> Option<DateTime<Utc>> {
    row.opt_time(column).ok().flatten()
}
