//! `dlo_notes`: what people write about an operation.

use super::text::Reader;
use crate::database::{DbError, Row, Tx};
use crate::values;
use app::desk::NoteView;
use app::domain::ids::OperationId;
use app::domain::role::Caller;

/// Adds a note; `text` is redacted already. Answers it as readers see it.
pub async fn add(tx: &mut Tx, operation: &OperationId, by: &Caller, text: &str) -> Result<NoteView, DbError> {
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_notes (operation_id, body, written_by, role, written_at) VALUES ($1, $2, $3, $4, $5)",
        values![operation, text, &by.name, by.role.as_str(), now],
    )
    .await?;
    Ok(NoteView {
        at: now,
        by: by.name.clone(),
        role: by.role,
        text: text.to_owned(),
    })
}

/// The notes of one operation, oldest first; of many, the newest `limit`.
pub async fn list(tx: &mut Tx, operation: &OperationId, limit: u32) -> Result<Vec<NoteView>, DbError> {
    let sql = "SELECT seq, body, written_by, role, written_at FROM dlo_notes \
               WHERE operation_id = $1 ORDER BY seq DESC LIMIT $2";
    let rows = tx.fetch_all(sql, values![operation, limit]).await?;
    let mut notes = rows.iter().map(from_row).collect::<Result<Vec<_>, _>>()?;
    notes.reverse();
    Ok(notes)
}

fn from_row(row: &Row) -> Result<NoteView, DbError> {
    let reader = Reader {
        row,
        table: "dlo_notes",
        id: row.int("seq")?.to_string(),
    };
    Ok(NoteView {
        at: reader.get("written_at", Row::time)?,
        by: reader.text("written_by")?,
        role: reader.slug("role")?,
        text: reader.text("body")?,
    })
}
