//! The desk's list: newest first by `moved_to_dead_letter_at`, then id, or all of it the other way round. And single letters.

use super::cursor::Cursor;
use super::found::complete;
use super::narrow::{Lead, Narrow};
use super::raw::{self, RawLetter};
use super::view::{MESSAGE_COLUMNS, OPERATION_COLUMNS, Projected, Redactor, projected, standing, view};
use crate::config::Messages;
use crate::database::{DbError, Row, Tx, Value};
use crate::storage::messages;
use crate::values;
use app::desk::view::Inconsistency;
use app::desk::{DeadLetterFilter, DeadLetterRow, DeadLetterView};
use app::domain::ids::{DeadLetterId, OperationId};

/// A page, and the place of its last row when more follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub rows: Vec<DeadLetterRow>,
    pub next: Option<Cursor>,
}

/// The statement of a page, which reads one row more than is shown: that says whether another page follows. `None` after
/// a place that is nobody's.
pub fn statement(
    tx: &Tx,
    filter: &DeadLetterFilter,
    after: Option<&Cursor>,
    limit: u32,
) -> Option<(String, Vec<Value>)> {
    let lead = Lead::of(filter);
    let mut narrow = Narrow::new(tx, filter, lead);
    if let Some(place) = after
        && !narrow.after(tx, lead, place, filter.oldest_first)
    {
        return None;
    }
    let bound = narrow.bind(Value::Int(Some(i64::from(limit) + 1)));
    let (clause, values) = narrow.clause();
    // One is the other read backwards: the same index serves both.
    let (by_time, by_id) = if filter.oldest_first {
        ("", " DESC")
    } else {
        (" DESC", "")
    };
    let sql = format!(
        "SELECT {}, {MESSAGE_COLUMNS}, {OPERATION_COLUMNS} FROM {}{clause} ORDER BY {}{by_time}, {}{by_id} LIMIT ${bound}",
        raw::columns(tx),
        tables(lead),
        lead.at(),
        lead.id()
    );
    Some((sql, values))
}

/// At most `limit` rows after `after`. A row not yet projected is listed wherever the dead table alone can say that the
/// filter holds.
pub async fn list(
    tx: &mut Tx,
    config: &Messages,
    redactor: &Redactor,
    filter: &DeadLetterFilter,
    after: Option<&Cursor>,
    limit: u32,
) -> Result<Listed, DbError> {
    let Some((sql, values)) = statement(tx, filter, after, limit) else {
        return Ok(Listed {
            rows: Vec::new(),
            next: None,
        });
    };
    let mut found = tx.fetch_all(&sql, values).await?;
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > wanted;
    found.truncate(wanted);
    let next = match found.last() {
        Some(row) if more => Some(Cursor {
            at: row.text("d_at")?,
            id: row.text("d_id")?,
        }),
        Some(_) | None => None,
    };
    let mut rows = Vec::with_capacity(found.len());
    for row in &found {
        rows.push(shown(tx, config, redactor, row).await?);
    }
    Ok(Listed { rows, next })
}

/// The living dead letters of an operation with their lineage, newest first. What is unreadable is left to the list.
pub async fn of_operation(
    tx: &mut Tx,
    config: &Messages,
    redactor: &Redactor,
    operation: &OperationId,
    limit: u32,
) -> Result<Vec<DeadLetterView>, DbError> {
    let filter = DeadLetterFilter {
        operation: Some(operation.0.clone()),
        ..DeadLetterFilter::default()
    };
    let listed = list(tx, config, redactor, &filter, None, limit).await?;
    let mut letters: Vec<DeadLetterView> = listed
        .rows
        .into_iter()
        .filter_map(|row| match row {
            DeadLetterRow::Readable(view) => Some(*view),
            DeadLetterRow::Unreadable(_) => None,
        })
        .collect();
    complete(tx, config, &mut letters).await?;
    Ok(letters)
}

/// Whether the dead letter is there.
pub async fn exists(tx: &mut Tx, id: DeadLetterId) -> Result<bool, DbError> {
    let found = tx
        .fetch_optional(
            "SELECT 1 AS found FROM soniq_dead_letter_jobs WHERE id = $1",
            values![id],
        )
        .await?;
    Ok(found.is_some())
}

/// The dead letter as it stands, kept from changing until the transaction ends.
pub async fn load_raw(tx: &mut Tx, id: DeadLetterId) -> Result<Option<RawLetter>, DbError> {
    raw_of(tx, id, raw::for_share(tx)).await
}

/// As [`load_raw`], for whoever only looks.
pub async fn peek(tx: &mut Tx, id: DeadLetterId) -> Result<Option<RawLetter>, DbError> {
    raw_of(tx, id, "").await
}

async fn raw_of(tx: &mut Tx, id: DeadLetterId, lock: &str) -> Result<Option<RawLetter>, DbError> {
    let sql = format!(
        "SELECT {} FROM soniq_dead_letter_jobs d WHERE d.id = $1{lock}",
        raw::columns(tx)
    );
    tx.fetch_optional(&sql, values![id])
        .await?
        .as_ref()
        .map(raw::read)
        .transpose()
}

pub(super) const fn tables(lead: Lead) -> &'static str {
    match lead {
        Lead::Dead => {
            "soniq_dead_letter_jobs d LEFT JOIN dlo_messages m ON m.message_id = d.id \
             LEFT JOIN dlo_operations o ON o.id = m.operation_id"
        }
        Lead::Messages => {
            "dlo_messages m JOIN soniq_dead_letter_jobs d ON d.id = m.message_id \
             LEFT JOIN dlo_operations o ON o.id = m.operation_id"
        }
    }
}

/// The row, or why it is impossible, in its place.
async fn shown(
    tx: &mut Tx,
    config: &Messages,
    redactor: &Redactor,
    row: &Row,
) -> Result<DeadLetterRow, DbError> {
    match readable(tx, config, redactor, row).await {
        Ok(view) => Ok(DeadLetterRow::Readable(Box::new(view))),
        Err(DbError::Inconsistent { table, column, id }) => {
            let id = if id.is_empty() { row.text("d_id")? } else { id };
            let column = real_name(column);
            Ok(DeadLetterRow::Unreadable(Inconsistency {
                table: table.to_owned(),
                column: column.to_owned(),
                id,
            }))
        }
        Err(other) => Err(other),
    }
}

/// The column behind the alias.
pub(super) fn real_name(column: &str) -> &str {
    ["d_", "m_", "o_"]
        .iter()
        .find_map(|alias| column.strip_prefix(alias))
        .unwrap_or(column)
}

pub(super) async fn readable(
    tx: &mut Tx,
    config: &Messages,
    redactor: &Redactor,
    row: &Row,
) -> Result<DeadLetterView, DbError> {
    let letter = raw::read(row)?;
    if let Some(projected) = projected(row)? {
        return Ok(view(&letter, projected, standing(row)?, redactor));
    }
    let projected = Projected {
        own_replays: own_replays(tx, letter.id).await?,
        ..Projected::on_the_spot(messages::find(config, &letter))
    };
    let standing = match &projected.facts.operation_id {
        Some(operation) => {
            let sql = format!("SELECT {OPERATION_COLUMNS} FROM dlo_operations o WHERE o.id = $1");
            match tx.fetch_optional(&sql, values![operation]).await? {
                Some(row) => standing(&row)?,
                None => None,
            }
        }
        None => None,
    };
    Ok(view(&letter, projected, standing, redactor))
}

/// Replays of a letter that is not projected yet.
async fn own_replays(tx: &mut Tx, id: DeadLetterId) -> Result<i64, DbError> {
    let sql = "SELECT COUNT(*) AS replays FROM dlo_replays WHERE dead_letter_id = $1";
    tx.fetch_one(sql, values![id]).await?.int("replays")
}
