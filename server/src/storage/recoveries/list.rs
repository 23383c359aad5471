//! Reading recoveries.

use super::row::Stored;
use crate::database::{DbError, Tx, Value};
use crate::storage::cursor;
use crate::values;
use app::desk::{DeskError, PageOf, PageRequest, RecoveryFilter};
use app::domain::ids::{OperationId, RecoveryId};
use app::domain::recovery::Recovery;

/// One recovery.
pub async fn get(tx: &mut Tx, id: RecoveryId) -> Result<Option<Stored>, DbError> {
    let row = tx
        .fetch_optional("SELECT * FROM dlo_recoveries WHERE id = $1", values![id])
        .await?;
    row.as_ref().map(Stored::try_from).transpose()
}

/// The operation's active recovery, if it has one.
pub async fn active_of(tx: &mut Tx, operation: &OperationId) -> Result<Option<Stored>, DbError> {
    let sql = "SELECT * FROM dlo_recoveries WHERE operation_id = $1 AND finished_at IS NULL";
    tx.fetch_optional(sql, values![operation])
        .await?
        .as_ref()
        .map(Stored::try_from)
        .transpose()
}

/// All recoveries of one operation, newest first.
pub async fn of_operation(tx: &mut Tx, operation: &OperationId) -> Result<Vec<Recovery>, DbError> {
    let sql = "SELECT * FROM dlo_recoveries WHERE operation_id = $1 ORDER BY created_at DESC, id";
    let rows = tx.fetch_all(sql, values![operation]).await?;
    rows.iter()
        .map(|row| Stored::try_from(row).map(|stored| stored.recovery))
        .collect()
}

/// Active ones first, then newest first.
///
/// # Errors
/// `invalid_request` for a cursor that is not one of ours.
pub async fn list(
    tx: &mut Tx,
    filter: &RecoveryFilter,
    page: &PageRequest,
) -> Result<PageOf<Recovery>, DeskError> {
    let mut sql =
        "SELECT *, CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END AS rank FROM dlo_recoveries WHERE 1 = 1"
            .to_owned();
    let mut bound: Vec<Value> = Vec::new();
    if let Some(state) = filter.state {
        bound.push(Value::from(state.as_str()));
        sql.push_str(&format!(" AND state = ${}", bound.len()));
    }
    if filter.only_active {
        sql.push_str(" AND finished_at IS NULL");
    }
    if let Some(operation) = &filter.operation {
        bound.push(Value::from(operation));
        sql.push_str(&format!(" AND operation_id = ${}", bound.len()));
    }
    if let Some(text) = &page.cursor {
        let (rank, created_at, id) = cursor::decode_ranked(text)?;
        let n = bound.len();
        bound.extend(values![rank, created_at, id]);
        sql.push_str(&format!(
            " AND (CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END > ${a} \
             OR (CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END = ${a} AND (created_at < ${b} OR (created_at = ${b} AND id > ${c}))))",
            a = n + 1,
            b = n + 2,
            c = n + 3
        ));
    }
    sql.push_str(&format!(
        " ORDER BY CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END, created_at DESC, id LIMIT {}",
        page.limit + 1
    ));
    let rows = tx.fetch_all(&sql, bound).await?;
    let mut items = rows
        .iter()
        .map(|row| Ok((row.int("rank")?, Stored::try_from(row)?.recovery)))
        .collect::<Result<Vec<_>, DbError>>()?;
    let limit = page.limit as usize;
    let more = items.len() > limit;
    items.truncate(limit);
    let next_cursor = items
        .last()
        .filter(|_| more)
        .map(|(rank, last)| cursor::encode_ranked(*rank, last.created_at, last.id.0));
    Ok(PageOf {
        items: items.into_iter().map(|(_, recovery)| recovery).collect(),
        next_cursor,
    })
}
