//! `dlo_attempts` and `dlo_receipts`: one row per creation request, and everything that came back, kept for ever.

use super::operations::CHUNK;
use super::text::{Reader, json, placeholders};
use crate::database::{DbError, Row, Tx, Value};
use crate::values;
use app::domain::attempt::{Attempt, Receipt, ReceiptKind, most_telling};
use app::domain::ids::{AttemptId, JobId, OperationId, RecoveryId};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use uuid::Uuid;

/// An attempt with its most telling receipt, and the ids that its other receipts name.
pub struct AttemptRow {
    pub operation_id: OperationId,
    pub attempt: Attempt,
    pub extra_job_ids: BTreeSet<JobId>,
}

/// Writes a new attempt, numbered after the last one. Before the first byte of its request leaves.
///
/// The caller holds the operation's lock. A second attempt of one recovery is a unique violation.
pub async fn insert(
    tx: &mut Tx,
    operation: &OperationId,
    recovery: RecoveryId,
    id: AttemptId,
) -> Result<Attempt, DbError> {
    let sql = "SELECT COALESCE(MAX(number), 0) AS number FROM dlo_attempts WHERE operation_id = $1";
    let number = tx.fetch_one(sql, values![operation]).await?.int("number")? + 1;
    let started_at = tx.now();
    tx.execute(
        "INSERT INTO dlo_attempts (id, operation_id, number, recovery_id, started_at) VALUES ($1, $2, $3, $4, $5)",
        values![id, operation, number, recovery, started_at],
    )
    .await?;
    Ok(Attempt {
        id,
        number,
        recovery_id: recovery,
        started_at,
        receipt: None,
        received_at: None,
    })
}

/// Keeps what came back. An attempt may have several receipts: an unknown one, a late one, a person's.
pub async fn append_receipt(
    tx: &mut Tx,
    operation: &OperationId,
    attempt: AttemptId,
    receipt: &Receipt,
) -> Result<(), DbError> {
    let at = tx.now();
    tx.execute(
        "INSERT INTO dlo_receipts (attempt_id, operation_id, kind, job_id, body, received_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        values![
            attempt,
            operation,
            receipt.kind.as_str(),
            receipt.job_id.as_ref(),
            json(receipt),
            at
        ],
    )
    .await?;
    Ok(())
}

/// The attempts of one operation, oldest first.
pub async fn list(tx: &mut Tx, operation: &OperationId) -> Result<Vec<Attempt>, DbError> {
    Ok(of(tx, &[operation])
        .await?
        .into_iter()
        .map(|row| row.attempt)
        .collect())
}

/// The attempt of one recovery, where it has begun one.
pub async fn by_recovery(tx: &mut Tx, recovery: RecoveryId) -> Result<Option<AttemptRow>, DbError> {
    let row = tx
        .fetch_optional(
            "SELECT operation_id FROM dlo_attempts WHERE recovery_id = $1",
            values![recovery],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let operation = OperationId(row.text("operation_id")?);
    Ok(of(tx, &[&operation])
        .await?
        .into_iter()
        .find(|row| row.attempt.recovery_id == recovery))
}

/// The kinds of all receipts of one recovery's attempt, oldest first; `None` when it has begun no attempt.
pub async fn receipt_kinds(tx: &mut Tx, recovery: RecoveryId) -> Result<Option<Vec<ReceiptKind>>, DbError> {
    let sql = "SELECT id FROM dlo_attempts WHERE recovery_id = $1";
    let Some(row) = tx.fetch_optional(sql, values![recovery]).await? else {
        return Ok(None);
    };
    let attempt = row.uuid("id")?;
    let sql = "SELECT attempt_id, kind FROM dlo_receipts WHERE attempt_id = $1 ORDER BY seq";
    let rows = tx.fetch_all(sql, values![attempt]).await?;
    let kinds = rows.iter().map(|row| {
        Reader {
            row,
            table: "dlo_receipts",
            id: attempt.to_string(),
        }
        .slug("kind")
    });
    kinds.collect::<Result<_, _>>().map(Some)
}

/// Closes every attempt that is open, on a person's word (`confirm_not_sent`). Answers how many there were.
pub async fn close_by_person(tx: &mut Tx, operation: &OperationId, detail: &str) -> Result<usize, DbError> {
    let open: Vec<Attempt> = list(tx, operation)
        .await?
        .into_iter()
        .filter(Attempt::is_open)
        .collect();
    for attempt in &open {
        let receipt = Receipt {
            kind: ReceiptKind::ConfirmedByPerson,
            status: None,
            job_id: None,
            job_id_at: None,
            charge: None,
            detail: detail.to_owned(),
            category: None,
        };
        append_receipt(tx, operation, attempt.id, &receipt).await?;
    }
    Ok(open.len())
}

/// The attempts of several operations, each operation's oldest first.
pub(super) async fn of(tx: &mut Tx, operations: &[&OperationId]) -> Result<Vec<AttemptRow>, DbError> {
    let mut found = Vec::new();
    for chunk in operations.chunks(CHUNK) {
        let wanted = placeholders(1, chunk.len());
        let values: Vec<Value> = chunk.iter().map(|id| Value::from(*id)).collect();
        let sql = format!(
            "SELECT * FROM dlo_attempts WHERE operation_id IN ({wanted}) ORDER BY operation_id, number"
        );
        let attempts = tx.fetch_all(&sql, values.clone()).await?;
        if attempts.is_empty() {
            continue;
        }
        let sql = format!("SELECT * FROM dlo_receipts WHERE operation_id IN ({wanted}) ORDER BY seq");
        let receipts: Vec<ReceiptRow> = tx
            .fetch_all(&sql, values)
            .await?
            .iter()
            .map(receipt_from_row)
            .collect::<Result<_, _>>()?;
        for row in &attempts {
            found.push(attempt_from_row(row, &receipts)?);
        }
    }
    Ok(found)
}

struct ReceiptRow {
    attempt: Uuid,
    receipt: Receipt,
    received_at: DateTime<Utc>,
}

fn receipt_from_row(row: &Row) -> Result<ReceiptRow, DbError> {
    let attempt = row.uuid("attempt_id")?;
    let reader = Reader {
        row,
        table: "dlo_receipts",
        id: attempt.to_string(),
    };
    Ok(ReceiptRow {
        attempt,
        receipt: reader.json("body")?,
        received_at: reader.get("received_at", Row::time)?,
    })
}

fn attempt_from_row(row: &Row, receipts: &[ReceiptRow]) -> Result<AttemptRow, DbError> {
    let id = row.uuid("id")?;
    let own: Vec<&ReceiptRow> = receipts.iter().filter(|receipt| receipt.attempt == id).collect();
    let kept: Vec<&Receipt> = own.iter().map(|row| &row.receipt).collect();
    let telling = most_telling(&kept).map(|at| own[at]);
    let shown = telling.and_then(|telling| telling.receipt.job_id.as_ref());
    let extra_job_ids = kept
        .iter()
        .filter_map(|receipt| receipt.job_id.clone())
        .filter(|job_id| Some(job_id) != shown)
        .collect();
    Ok(AttemptRow {
        operation_id: OperationId(row.text("operation_id")?),
        attempt: Attempt {
            id: AttemptId(id),
            number: row.int("number")?,
            recovery_id: RecoveryId(row.uuid("recovery_id")?),
            started_at: row.time("started_at")?,
            receipt: telling.map(|telling| telling.receipt.clone()),
            received_at: telling.map(|telling| telling.received_at),
        },
        extra_job_ids,
    })
}
