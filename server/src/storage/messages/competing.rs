//! Jobs of anybody else's that may act for an operation (guard `no_competing_job`).

use super::facts::{operation_id, own_action};
use crate::config::Messages;
use crate::database::{DbError, Tx};
use crate::storage::jobs::OWN_QUEUE;
use crate::values;
use app::domain::guard::CompetingJob;
use app::domain::ids::{OperationId, QueueJobId};
use app::domain::redact::{lenient_json, visible};

/// Queued and processing jobs that name the operation, but for our own worker's and those in `except`.
///
/// The database preselects by text: an id may stand there as it is, or behind an escape.
pub async fn competing_jobs(
    tx: &mut Tx,
    config: &Messages,
    operation: &OperationId,
    except: &[QueueJobId],
) -> Result<Vec<CompetingJob>, DbError> {
    let args = tx.json_text("args");
    let position = tx.pick("strpos", "instr");
    let sql = format!(
        "SELECT CAST(id AS TEXT) AS id, job_name, COALESCE(queue, 'default') AS queue, status, {args} AS args_text \
         FROM soniq_jobs WHERE status IN ('queued', 'processing') \
         AND ({position}({args}, $1) > 0 OR {position}({args}, $2) > 0) ORDER BY created_at, id"
    );
    let mut found = Vec::new();
    for row in tx.fetch_all(&sql, values![operation, "\\"]).await? {
        let (id, queue, job_name) = (row.text("id")?, row.text("queue")?, row.text("job_name")?);
        let ours = queue == OWN_QUEUE && own_action(&job_name).is_some();
        let excepted = QueueJobId::parse(&id).is_some_and(|id| except.contains(&id));
        let args = lenient_json(&row.opt_json_bytes("args_text")?.unwrap_or_default());
        if ours || excepted || operation_id(config, &queue, &args).as_ref() != Some(operation) {
            continue;
        }
        found.push(CompetingJob {
            id,
            job_name: visible(&job_name),
            status: row.text("status")?,
        });
    }
    Ok(found)
}
