//! `dlo_revisions`: the whole record at each revision, written in the transaction that changed it.

use super::text::{Reader, json};
use crate::database::{DbError, Row, Tx};
use crate::values;
use app::domain::ids::OperationId;
use app::domain::operation::Operation;
use chrono::{DateTime, Utc};

const TABLE: &str = "dlo_revisions";

/// The record as it stood, and when it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub record: Operation,
    pub written_at: DateTime<Utc>,
}

/// Keeps the record as it stands now. A change that does not bump the revision replaces what was kept of it.
pub async fn keep(tx: &mut Tx, record: &Operation) -> Result<(), DbError> {
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_revisions (operation_id, revision, record, written_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (operation_id, revision) DO UPDATE SET record = excluded.record",
        values![&record.id, record.revision, json(record), now],
    )
    .await?;
    Ok(())
}

/// One revision; `None` when it is not kept, or was kept by a program whose records this one cannot read.
pub async fn find(tx: &mut Tx, id: &OperationId, revision: i64) -> Result<Option<Kept>, DbError> {
    let sql = "SELECT record, written_at FROM dlo_revisions WHERE operation_id = $1 AND revision = $2";
    let row = tx.fetch_optional(sql, values![id, revision]).await?;
    let Some(row) = row else { return Ok(None) };
    let reader = Reader {
        row: &row,
        table: TABLE,
        id: id.0.clone(),
    };
    match reader.json("record") {
        Ok(record) => Ok(Some(Kept {
            record,
            written_at: reader.get("written_at", Row::time)?,
        })),
        Err(DbError::Inconsistent { table, column, id }) => {
            tracing::warn!(table, column, id, revision, "a kept revision is unreadable");
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

/// The kept revisions of one operation with their times, newest first, at most `limit`.
pub async fn list(tx: &mut Tx, id: &OperationId, limit: u32) -> Result<Vec<(i64, DateTime<Utc>)>, DbError> {
    let sql = "SELECT revision, written_at FROM dlo_revisions WHERE operation_id = $1 \
               ORDER BY revision DESC LIMIT $2";
    let rows = tx.fetch_all(sql, values![id, limit]).await?;
    rows.iter()
        .map(|row| Ok((row.int("revision")?, row.time("written_at")?)))
        .collect()
}
