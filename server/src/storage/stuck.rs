//! Jobs that nobody carries on, read from Soniq's tables and our leases. Nothing here writes.

use super::jobs::OWN_QUEUE;
use super::soniq_handlers::{self, Living};
use super::soniq_workers::ALIVE;
use super::text::Reader;
use crate::database::{DbError, Row, Tx, Value};
use crate::values;
use app::desk::{StuckCount, StuckJob, StuckKind, StuckView};
use app::domain::redact::visible;
use chrono::Duration;

/// Jobs that are shown one by one.
const SHOWN: u32 = 100;
/// A lease of ours that has been over for so long is nobody's: a living worker takes a lost claim up within two seconds.
const LEASE_LONG_OVER: Duration = Duration::seconds(30);
/// A row without a worker that nothing has touched for so long: Soniq lets a job run for 300 s unless told otherwise.
const QUIET: Duration = Duration::seconds(300);
/// Three times that, for a job whose worker lives: some jobs may run longer.
const TOO_LONG: Duration = Duration::seconds(900);
/// Due for so long: a worker polls every 5 s.
const DUE: Duration = Duration::seconds(300);

/// Why a job is stuck, or NULL. `$1` is the moment, `$2` the oldest living heartbeat, `$3` the end of leases that are
/// long over, `$4` when a row was last touched that is quiet, `$5` one that takes too long, `$6` what is due for long.
///
/// SQLite compares times as text: what is later than every moment and has no time's form is never reached.
const KIND_SQLITE: &str = "WHEN j.status = 'queued' AND j.scheduled_at > $1 AND j.scheduled_at NOT LIKE '____-__-__T__:__:%' \
     THEN 'unreadable_time' ";

fn kind(tx: &Tx) -> String {
    let unreadable = tx.pick("", KIND_SQLITE);
    format!(
        "CASE WHEN j.status = 'queued' AND j.queue IS NULL THEN 'no_queue' \
         WHEN j.attempts IS NULL OR j.max_attempts IS NULL THEN 'no_attempts' {unreadable}\
         WHEN j.status = 'queued' AND COALESCE(j.scheduled_at, j.created_at) <= $6 \
         AND (j.scheduled_at IS NULL OR j.scheduled_at <= $1) THEN 'never_claimed' \
         WHEN j.status = 'queued' THEN NULL \
         WHEN l.job_id IS NOT NULL AND l.until_at <= $3 THEN 'lease_over' \
         WHEN l.job_id IS NOT NULL THEN NULL \
         WHEN j.worker_id IS NULL AND COALESCE(j.updated_at, j.created_at, $4) <= $4 THEN 'no_worker' \
         WHEN j.worker_id IS NULL THEN NULL \
         WHEN w.id IS NULL OR w.status <> 'active' OR w.last_heartbeat IS NULL OR w.last_heartbeat <= $2 \
         THEN 'worker_gone' \
         WHEN COALESCE(j.updated_at, j.created_at, $5) <= $5 THEN 'too_long' END"
    )
}

const TABLES: &str = "soniq_jobs j LEFT JOIN dlo_leases l ON l.job_id = j.id LEFT JOIN soniq_workers w ON w.id = j.worker_id \
     WHERE j.status IN ('queued', 'processing')";

fn moments(tx: &Tx) -> Vec<Value> {
    let now = tx.now();
    values![
        now,
        now - ALIVE,
        now - LEASE_LONG_OVER,
        now - QUIET,
        now - TOO_LONG,
        now - DUE
    ]
}

/// What is stuck now.
pub async fn read(tx: &mut Tx) -> Result<StuckView, DbError> {
    let kind = kind(tx);
    let sql = format!(
        "SELECT stuck, COUNT(*) AS jobs FROM (SELECT {kind} AS stuck FROM {TABLES}) AS looked \
         WHERE stuck IS NOT NULL GROUP BY stuck"
    );
    let moments = moments(tx);
    let mut counts = Vec::new();
    for row in tx.fetch_all(&sql, moments.clone()).await? {
        let reader = Reader {
            row: &row,
            table: "soniq_jobs",
            id: String::new(),
        };
        counts.push(StuckCount {
            stuck: reader.slug("stuck")?,
            jobs: row.int("jobs")?,
        });
    }
    if counts.is_empty() {
        return Ok(StuckView::default());
    }
    counts.sort_by_key(|count| count.stuck);
    let living = soniq_handlers::living(tx).await?;
    // What will never move by itself comes first; then what has waited longest.
    let sql = format!(
        "SELECT * FROM (SELECT CAST(j.id AS TEXT) AS id, j.job_name, j.queue, j.status, j.attempts, j.max_attempts, \
         CAST(j.worker_id AS TEXT) AS worker_id, \
         CASE WHEN j.status = 'queued' THEN COALESCE(j.scheduled_at, j.created_at) \
         ELSE COALESCE(j.updated_at, j.created_at) END AS since, {kind} AS stuck FROM {TABLES}) AS looked \
         WHERE stuck IS NOT NULL ORDER BY CASE WHEN stuck = 'never_claimed' THEN 1 ELSE 0 END, stuck, since, id LIMIT {SHOWN}"
    );
    let rows = tx.fetch_all(&sql, moments).await?;
    let mut items = rows
        .iter()
        .map(|row| job(row, &living))
        .collect::<Result<Vec<_>, DbError>>()?;
    items.sort_by_key(|item| item.stuck);
    Ok(StuckView { counts, items })
}

fn job(row: &Row, living: &[Living]) -> Result<StuckJob, DbError> {
    let id = row.text("id")?;
    let reader = Reader {
        row,
        table: "soniq_jobs",
        id: id.clone(),
    };
    let stuck: StuckKind = reader.slug("stuck")?;
    let queue = row.opt_text("queue")?;
    let mut means = stuck.means().to_owned();
    if let Some(more) = about_workers(stuck, queue.as_deref(), living) {
        means = format!("{means} {more}");
    }
    Ok(StuckJob {
        id,
        job_name: row.text("job_name")?,
        queue,
        status: row.text("status")?,
        attempts: row.opt_int("attempts").unwrap_or(None),
        max_attempts: row.opt_int("max_attempts").unwrap_or(None),
        worker_id: row.opt_text("worker_id")?,
        since: row.opt_time("since").ok().flatten(),
        stuck,
        means,
    })
}

/// What the living workers have to do with it, where that can be said.
fn about_workers(stuck: StuckKind, queue: Option<&str>, living: &[Living]) -> Option<String> {
    match stuck {
        StuckKind::NeverClaimed | StuckKind::NoQueue => {}
        StuckKind::NoAttempts
        | StuckKind::UnreadableTime
        | StuckKind::LeaseOver
        | StuckKind::WorkerGone
        | StuckKind::NoWorker
        | StuckKind::TooLong => return None,
    }
    if queue == Some(OWN_QUEUE) {
        return Some("This is our own queue: is `dlo worker` running?".to_owned());
    }
    let takers = living.iter().filter(|worker| worker.takes(queue)).count();
    let named = queue.map_or_else(
        || "jobs without a queue".to_owned(),
        |queue| format!("the queue {}", visible(queue)),
    );
    Some(match (takers, living.len()) {
        (0, 0) => "No Soniq worker lives now.".to_owned(),
        (0, all) => format!("Of {all} living Soniq workers none takes {named}."),
        (takers, _) => format!("Living Soniq workers that take {named}: {takers}."),
    })
}
