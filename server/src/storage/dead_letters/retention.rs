//! Dead letters that are old enough to be purged, oldest first; and purging them, a batch in one transaction.

use super::cursor::Cursor;
use super::raw::{self, RawLetter};
use super::replay::purge;
use super::view::{MESSAGE_COLUMNS, Projected, projected};
use crate::config::Messages;
use crate::database::{DbError, Row, Tx, Value};
use crate::storage::audit::{self, Entry};
use crate::storage::guard_facts::active_recovery;
use crate::storage::{messages, operations};
use app::domain::dead_letter::Disposition;
use app::domain::ids::{DeadLetterId, OperationId, RecoveryId};
use app::domain::plan::Effect;
use app::domain::role::Caller;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Which dead letters are old enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Died before this moment.
    pub before: DateTime<Utc>,
    /// Only those that a person has acknowledged.
    pub only_acknowledged: bool,
}

/// Why a dead letter that is old enough stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// A recovery of its operation is under way.
    RecoveryActive(RecoveryId),
    /// Its row cannot be what it says: a person looks at it first.
    Unreadable,
}

/// One dead letter that is old enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Old {
    /// As it stands in the table; a UUID unless it is unreadable.
    pub id: String,
    pub died_at: String,
    pub job_name: String,
    pub queue: String,
    pub disposition: Disposition,
    pub operation: Option<OperationId>,
    /// `None`: it may be purged.
    pub kept: Option<Kept>,
}

/// At most `limit` of them after a place, and the place of the last one when more may follow.
pub async fn old(
    tx: &mut Tx,
    config: &Messages,
    retention: &Retention,
    after: Option<&Cursor>,
    limit: u32,
) -> Result<(Vec<Old>, Option<Cursor>), DbError> {
    let mut values: Vec<Value> = vec![retention.before.into(), i64::from(limit).into()];
    let mut wanted = "d.moved_to_dead_letter_at < $1".to_owned();
    if retention.only_acknowledged {
        values.push(Disposition::Acknowledged.as_str().into());
        wanted.push_str(&format!(" AND m.disposition = ${}", values.len()));
    }
    if let Some(place) = after {
        let Some(id) = raw::id_value(tx, &place.id) else {
            return Ok((Vec::new(), None));
        };
        values.extend([Value::from(place.at.as_str()), id]);
        let cast = tx.pick("::timestamptz", "");
        let (at, id) = (values.len() - 1, values.len());
        wanted.push_str(&format!(
            " AND d.moved_to_dead_letter_at >= ${at}{cast} \
             AND (d.moved_to_dead_letter_at > ${at}{cast} OR d.id > ${id})"
        ));
    }
    let sql = format!(
        "SELECT {}, {MESSAGE_COLUMNS} FROM soniq_dead_letter_jobs d LEFT JOIN dlo_messages m ON m.message_id = d.id \
         WHERE {wanted} ORDER BY d.moved_to_dead_letter_at, d.id LIMIT $2",
        raw::columns(tx)
    );
    let rows = tx.fetch_all(&sql, values).await?;
    let full = u32::try_from(rows.len()).is_ok_and(|found| found >= limit);
    let next = match rows.last() {
        Some(row) if full => Some(Cursor {
            at: row.text("d_at")?,
            id: row.text("d_id")?,
        }),
        Some(_) | None => None,
    };
    let mut found = Vec::with_capacity(rows.len());
    for row in &rows {
        if let Some(old) = judge(tx, config, retention, row).await? {
            found.push(old);
        }
    }
    Ok((found, next))
}

/// One row; `None` when it turns out not to be old enough: texts compare a little otherwise than moments.
async fn judge(
    tx: &mut Tx,
    config: &Messages,
    retention: &Retention,
    row: &Row,
) -> Result<Option<Old>, DbError> {
    let read = raw::read(row).and_then(|letter| Ok((letter, projected(row)?)));
    let (letter, known): (RawLetter, Option<Projected>) = match read {
        Ok(read) => read,
        Err(DbError::Inconsistent { .. }) => return Ok(Some(unreadable(row)?)),
        Err(other) => return Err(other),
    };
    if letter.died_at >= retention.before {
        return Ok(None);
    }
    let known = known.unwrap_or_else(|| Projected::on_the_spot(messages::find(config, &letter)));
    let active = match &known.facts.operation_id {
        Some(operation) => active_recovery(tx, operation, None).await?,
        None => None,
    };
    Ok(Some(Old {
        id: letter.id.to_string(),
        died_at: row.text("d_at")?,
        job_name: letter.job_name,
        queue: letter.queue,
        disposition: known.disposition,
        operation: known.facts.operation_id,
        kept: active.map(Kept::RecoveryActive),
    }))
}

fn unreadable(row: &Row) -> Result<Old, DbError> {
    let text = |column: &str| row.opt_text(column).ok().flatten().unwrap_or_default();
    Ok(Old {
        id: row.text("d_id")?,
        died_at: text("d_at"),
        job_name: text("d_job_name"),
        queue: text("d_queue"),
        disposition: Disposition::Open,
        operation: None,
        kept: Some(Kept::Unreadable),
    })
}

/// Purges those of these that still may be: not replaced, not held by a recovery that has begun since. What they knew
/// stays, and each has its entry in the audit. Answers which are gone.
///
/// Operations are locked first, in the order of their ids; the audit comes last.
pub async fn purge_old(
    tx: &mut Tx,
    config: &Messages,
    retention: &Retention,
    ids: &[DeadLetterId],
    caller: &Caller,
    reason: &str,
) -> Result<Vec<DeadLetterId>, DbError> {
    let mut by_operation: BTreeMap<Option<OperationId>, Vec<DeadLetterId>> = BTreeMap::new();
    for id in ids {
        messages::project_one(tx, config, *id).await?;
        let operation = messages::operation_of(tx, *id).await?;
        by_operation.entry(operation).or_default().push(*id);
    }
    let mut free: Vec<(DeadLetterId, Option<OperationId>)> = Vec::new();
    for (operation, letters) in by_operation {
        if let Some(operation) = &operation {
            match operations::lock(tx, operation).await {
                // A message may name an operation that nobody has reported, or one that cannot be read.
                Ok(_) | Err(DbError::Inconsistent { .. }) => {}
                Err(other) => return Err(other),
            }
            if active_recovery(tx, operation, None).await?.is_some() {
                continue;
            }
        }
        free.extend(letters.into_iter().map(|letter| (letter, operation.clone())));
    }
    let mut gone = Vec::new();
    for (id, operation) in free {
        if retention.only_acknowledged && !messages::is_acknowledged(tx, id).await? {
            continue;
        }
        if purge(tx, config, id).await? {
            gone.push((id, operation));
        }
    }
    for (id, operation) in &gone {
        let entry = Entry::new(caller, "purge")
            .effect(Effect::None)
            .dead_letter(*id)
            .reason(reason);
        let entry = match operation {
            Some(operation) => entry.operation(operation),
            None => entry,
        };
        audit::append(tx, entry).await?;
    }
    Ok(gone.into_iter().map(|(id, _)| id).collect())
}
