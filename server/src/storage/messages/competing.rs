//! Jobs of anybody's that may act for an operation (guard `no_competing_job`, and the warning of a queued twin).

use super::facts::{operation_id, own_action};
use crate::config::Messages;
use crate::database::{DbError, Tx};
use crate::storage::jobs::OWN_QUEUE;
use crate::values;
use app::domain::guard::CompetingJob;
use app::domain::ids::{DeadLetterId, OperationId, QueueJobId};
use app::domain::redact::{lenient_json, redact_text, visible};
use app::domain::warning::Twin;

/// Jobs without an operation that are named as twins.
const MAX_TWINS: u32 = 20;

/// A queued or processing job that names the operation.
#[derive(Debug, Clone)]
pub struct Naming {
    pub id: String,
    /// As it stands.
    pub job_name: String,
    pub status: String,
    pub dedup_key: Option<String>,
    /// It carries out a recovery of ours.
    pub ours: bool,
}

impl Naming {
    /// As readers may see it.
    pub fn twin(&self) -> Twin {
        Twin {
            id: visible(&self.id),
            job_name: visible(&self.job_name),
            status: self.status.clone(),
            dedup_key: self.dedup_key.as_deref().map(redact_text),
        }
    }
}

/// Queued and processing jobs that name the operation, oldest first.
///
/// The database preselects by text: an id may stand there as it is, or behind an escape.
pub async fn naming(tx: &mut Tx, config: &Messages, operation: &OperationId) -> Result<Vec<Naming>, DbError> {
    let args = tx.json_text("args");
    let position = tx.pick("strpos", "instr");
    let sql = format!(
        "SELECT CAST(id AS TEXT) AS id, job_name, COALESCE(queue, 'default') AS queue, status, dedup_key, \
         {args} AS args_text FROM soniq_jobs WHERE status IN ('queued', 'processing') \
         AND ({position}({args}, $1) > 0 OR {position}({args}, $2) > 0) ORDER BY created_at, id"
    );
    let mut found = Vec::new();
    for row in tx.fetch_all(&sql, values![operation, "\\"]).await? {
        let (queue, job_name) = (row.text("queue")?, row.text("job_name")?);
        let args = lenient_json(&row.opt_json_bytes("args_text")?.unwrap_or_default());
        if operation_id(config, &queue, &args).as_ref() != Some(operation) {
            continue;
        }
        found.push(Naming {
            id: row.text("id")?,
            ours: queue == OWN_QUEUE && own_action(&job_name).is_some(),
            job_name,
            status: row.text("status")?,
            dedup_key: row.opt_text("dedup_key")?,
        });
    }
    Ok(found)
}

/// Queued and processing jobs that name the operation, but for our own worker's and those in `except`.
pub async fn competing_jobs(
    tx: &mut Tx,
    config: &Messages,
    operation: &OperationId,
    except: &[QueueJobId],
) -> Result<Vec<CompetingJob>, DbError> {
    let found = naming(tx, config, operation).await?;
    Ok(found
        .into_iter()
        .filter(|job| !job.ours && !QueueJobId::parse(&job.id).is_some_and(|id| except.contains(&id)))
        .map(|job| CompetingJob {
            job_name: visible(&job.job_name),
            id: job.id,
            status: job.status,
        })
        .collect())
}

/// Queued and processing jobs of the same name and args as this dead letter, which names no operation.
pub async fn same_work(tx: &mut Tx, id: DeadLetterId) -> Result<Vec<Twin>, DbError> {
    let sql = format!(
        "SELECT CAST(j.id AS TEXT) AS id, j.job_name, j.status, j.dedup_key FROM soniq_dead_letter_jobs d \
         JOIN soniq_jobs j ON j.job_name = d.job_name AND j.args = d.args \
         WHERE d.id = $1 AND j.status IN ('queued', 'processing') ORDER BY j.created_at, j.id LIMIT {MAX_TWINS}"
    );
    let rows = tx.fetch_all(&sql, values![id]).await?;
    rows.iter()
        .map(|row| {
            let naming = Naming {
                id: row.text("id")?,
                job_name: row.text("job_name")?,
                status: row.text("status")?,
                dedup_key: row.opt_text("dedup_key")?,
                ours: false,
            };
            Ok(naming.twin())
        })
        .collect()
}
