//! Recoveries as an operation's readers see them.

use super::text::Reader;
use crate::database::{DbError, Row, Tx};
use crate::values;
use app::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use app::domain::recovery::Recovery;

/// The one place where a row becomes a recovery.
pub fn from_row(row: &Row) -> Result<Recovery, DbError> {
    let id = row.uuid("id")?;
    let reader = Reader { row, table: "dlo_recoveries", id: id.to_string() };
    Ok(Recovery {
        id: RecoveryId(id),
        operation_id: OperationId(reader.text("operation_id")?),
        dead_letter_id: reader.get("dead_letter_id", Row::opt_uuid)?.map(DeadLetterId),
        action: reader.slug("action")?,
        effect: reader.slug("effect")?,
        state: reader.slug("state")?,
        outcome: reader.get("outcome", Row::opt_text)?,
        requested_by: reader.text("requested_by")?,
        approved_by: reader.get("approved_by", Row::opt_text)?,
        reason: reader.text("reason")?,
        revision_before: reader.get("revision_before", Row::int)?,
        revision_after: reader.get("revision_after", Row::opt_int)?,
        job_id: reader.get("queue_job_id", Row::opt_uuid)?.map(QueueJobId),
        remote_job_id: reader.get("remote_job_id", Row::opt_text)?.map(JobId),
        follow: reader.get("follow", Row::flag)?,
        created_at: reader.get("created_at", Row::time)?,
        finished_at: reader.get("finished_at", Row::opt_time)?,
    })
}

/// The operation's recoveries, newest first.
pub async fn of_operation(tx: &mut Tx, operation: &OperationId) -> Result<Vec<Recovery>, DbError> {
    let sql = "SELECT * FROM dlo_recoveries WHERE operation_id = $1 ORDER BY created_at DESC, id";
    tx.fetch_all(sql, values![operation]).await?.iter().map(from_row).collect()
}
