//! Taking the next job. Two workers never win the same one.

use crate::database::{DbError, Row, Tx, Value};
use crate::values;
use app::domain::ids::QueueJobId;
use chrono::{DateTime, Duration, Utc};

/// A claimed job, its attempt counted already.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub id: QueueJobId,
    pub job_name: String,
    /// The text of its args, whatever stands there.
    pub args: Vec<u8>,
    pub queue: String,
    pub priority: i64,
    /// The fence: this claim's attempt, from 1.
    pub attempt: i64,
    pub max_attempts: i64,
    /// On the database's clock.
    pub lease_until: DateTime<Utc>,
}

/// Whether [`claim`] would find a job: asked before the write lock is taken.
pub async fn has_claimable(tx: &mut Tx, queues: Option<&[String]>) -> Result<bool, DbError> {
    let (filter, values) = claimable(tx, queues);
    let sql = format!("SELECT EXISTS (SELECT 1 FROM soniq_jobs WHERE {filter}) AS found");
    tx.fetch_one(&sql, values).await?.flag("found")
}

/// Claims the next job of the given queues (`None`: of every queue): `priority`, then `scheduled_at` with the
/// unscheduled first, then `created_at`. Counts the attempt and begins the lease.
///
/// `worker_id` stays NULL: what Soniq's clean-up finds without a worker it leaves alone.
pub async fn claim(
    tx: &mut Tx,
    queues: Option<&[String]>,
    lease: Duration,
) -> Result<Option<Claimed>, DbError> {
    let (filter, values) = claimable(tx, queues);
    let args = tx.json_text("args");
    let lock = tx.pick("FOR UPDATE SKIP LOCKED", "");
    let sql = format!(
        "UPDATE soniq_jobs SET status = 'processing', attempts = COALESCE(attempts, 0) + 1, worker_id = NULL, updated_at = $1 \
         WHERE status = 'queued' AND id = (SELECT id FROM soniq_jobs WHERE {filter} \
         ORDER BY priority ASC, scheduled_at ASC NULLS FIRST, created_at ASC LIMIT 1 {lock}) \
         RETURNING id, job_name, {args} AS args_text, COALESCE(queue, 'default') AS queue, \
         COALESCE(priority, 100) AS priority, attempts, COALESCE(max_attempts, 3) AS max_attempts"
    );
    let Some(row) = tx.fetch_optional(&sql, values).await? else {
        return Ok(None);
    };
    let claimed = read(&row, tx.now() + lease)?;
    tx.execute(
        "INSERT INTO dlo_leases (job_id, attempt, until_at) VALUES ($1, $2, $3) \
         ON CONFLICT (job_id) DO UPDATE SET attempt = excluded.attempt, until_at = excluded.until_at",
        values![claimed.id, claimed.attempt, claimed.lease_until],
    )
    .await?;
    Ok(Some(claimed))
}

/// What may be claimed now. `$1` is the moment; the queues follow.
fn claimable(tx: &Tx, queues: Option<&[String]>) -> (String, Vec<Value>) {
    let mut values = values![tx.now()];
    let mut filter = "status = 'queued' AND (scheduled_at IS NULL OR scheduled_at <= $1)".to_owned();
    if let Some(queues) = queues {
        let places: Vec<String> = (0..queues.len()).map(|at| format!("${}", at + 2)).collect();
        filter.push_str(&format!(" AND queue IN ({})", places.join(", ")));
        values.extend(queues.iter().map(Value::from));
    }
    (filter, values)
}

fn read(row: &Row, lease_until: DateTime<Utc>) -> Result<Claimed, DbError> {
    Ok(Claimed {
        id: QueueJobId(row.uuid("id")?),
        job_name: row.text("job_name")?,
        args: row.opt_json_bytes("args_text")?.unwrap_or_default(),
        queue: row.text("queue")?,
        priority: row.int("priority")?,
        attempt: row.int("attempts")?,
        max_attempts: row.int("max_attempts")?,
        lease_until,
    })
}
