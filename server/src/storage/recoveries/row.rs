//! A row of `dlo_recoveries` becomes a value once.

use crate::database::{DbError, Row, Tx};
use crate::values;
use app::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
pub use app::domain::protocol::Stored;
use app::domain::recovery::Recovery;

const TABLE: &str = "dlo_recoveries";

impl TryFrom<&Row> for Stored {
    type Error = DbError;

    fn try_from(row: &Row) -> Result<Self, DbError> {
        let id = row.uuid("id")?;
        let slug = |column: &'static str| DbError::Inconsistent {
            table: TABLE,
            column,
            id: id.to_string(),
        };
        Ok(Self {
            recovery: Recovery {
                id: RecoveryId(id),
                operation_id: OperationId(row.text("operation_id")?),
                dead_letter_id: row.opt_uuid("dead_letter_id")?.map(DeadLetterId),
                action: row.text("action")?.parse().map_err(|_| slug("action"))?,
                effect: row.text("effect")?.parse().map_err(|_| slug("effect"))?,
                state: row.text("state")?.parse().map_err(|_| slug("state"))?,
                outcome: row.opt_text("outcome")?,
                requested_by: row.text("requested_by")?,
                approved_by: row.opt_text("approved_by")?,
                reason: row.text("reason")?,
                revision_before: row.int("revision_before")?,
                revision_after: row.opt_int("revision_after")?,
                job_id: row.opt_uuid("queue_job_id")?.map(QueueJobId),
                remote_job_id: row.opt_text("remote_job_id")?.map(JobId),
                follow: row.flag("follow")?,
                created_at: row.time("created_at")?,
                finished_at: row.opt_time("finished_at")?,
            },
            requested_role: row
                .text("requested_role")?
                .parse()
                .map_err(|_| slug("requested_role"))?,
            fence: row.int("fence")?,
            lease_until: row.opt_time("lease_until")?,
            handed_back: row.text("execute")? == "queue",
            reservation_open: row.flag("reservation_open")?,
            valid_until: row.opt_time("valid_until")?,
            heard_at: row.time("heard_at")?,
            started_at: row.opt_time("started_at")?,
        })
    }
}

/// Reads and locks one recovery.
pub async fn lock(tx: &mut Tx, id: RecoveryId) -> Result<Option<Stored>, DbError> {
    let sql = format!("SELECT * FROM dlo_recoveries WHERE id = $1{}", tx.for_update());
    tx.fetch_optional(&sql, values![id])
        .await?
        .as_ref()
        .map(Stored::try_from)
        .transpose()
}
