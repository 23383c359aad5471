//! `dlo_replays`: which dead letter was replayed into which job, by whom and why; and how that job ended.
//!
//! The contract stores no link from a new job to its dead letter, and a job's row may be deleted as soon as it is done:
//! what is seen of its end is kept.

use super::text::{Reader, placeholders};
use crate::database::{Database, DbError, Row, Tx, Value};
use crate::values;
use app::desk::{CameFrom, Lineage, ReplayEnd, ReplayView};
use app::domain::ids::{DeadLetterId, QueueJobId, RecoveryId};
use app::domain::redact::redact_text;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

const TABLE: &str = "dlo_replays";
/// Open replays that one look settles.
const BATCH: u32 = 500;
/// Replays that are shown with one dead letter; older ones are in the audit.
const SHOWN: usize = 200;

/// What becomes of a replay's job, from the rows of both tables in one statement.
const STANDING: &str = "r.job_id, r.ended, r.ended_at, j.status AS job_status, j.updated_at AS job_touched, \
     d.id IS NOT NULL AS lives_dead, d.moved_to_dead_letter_at AS dead_at, m.message_id IS NOT NULL AS known_dead, \
     m.died_at AS known_dead_at, m.purged_at AS dead_purged_at";
const TABLES: &str = "dlo_replays r LEFT JOIN soniq_jobs j ON j.id = r.job_id \
     LEFT JOIN soniq_dead_letter_jobs d ON d.id = r.job_id LEFT JOIN dlo_messages m ON m.message_id = r.job_id";

/// Looks at replays whose end nobody has seen yet, and keeps what can be seen. Answers how many ended.
pub async fn settle(database: &Database) -> Result<usize, DbError> {
    let mut tx = database.read().await?;
    let now = tx.now();
    let sql = format!(
        "SELECT {STANDING} FROM {TABLES} WHERE r.ended IS NULL AND (j.id IS NULL OR j.status IN ('done', 'cancelled')) \
         LIMIT {BATCH}"
    );
    let rows = tx.fetch_all(&sql, vec![]).await?;
    drop(tx);
    if rows.is_empty() {
        return Ok(0);
    }
    // What has ended stays ended: it need not be looked at again under the write lock.
    let mut tx = database.write().await?;
    for row in &rows {
        let (end, at) = standing(row)?;
        tx.execute(
            "UPDATE dlo_replays SET ended = $2, ended_at = $3 WHERE job_id = $1 AND ended IS NULL",
            values![row.uuid("job_id")?, end.as_str(), at.unwrap_or(now)],
        )
        .await?;
    }
    tx.commit().await?;
    Ok(rows.len())
}

/// Where the job stands now, and since when it has ended. A row that is there says more than what was kept.
fn standing(row: &Row) -> Result<(ReplayEnd, Option<DateTime<Utc>>), DbError> {
    let seen = |column: &str| row.opt_time(column).ok().flatten();
    let reader = Reader {
        row,
        table: TABLE,
        id: row.uuid("job_id")?.to_string(),
    };
    let kept = (reader.opt_slug::<ReplayEnd>("ended")?, seen("ended_at"));
    Ok(match row.opt_text("job_status")?.as_deref() {
        Some("queued") => (ReplayEnd::Queued, None),
        Some("processing") => (ReplayEnd::Processing, None),
        Some("done") => (ReplayEnd::Done, kept.1.or_else(|| seen("job_touched"))),
        Some("cancelled") => (ReplayEnd::Cancelled, kept.1.or_else(|| seen("job_touched"))),
        Some(_) => {
            return Err(DbError::Inconsistent {
                table: "soniq_jobs",
                column: "status",
                id: reader.id,
            });
        }
        None if row.flag("lives_dead")? => (ReplayEnd::DeadLetter, seen("dead_at")),
        None if row.flag("known_dead")? => (ReplayEnd::DeadLetter, seen("known_dead_at")),
        None => (kept.0.unwrap_or(ReplayEnd::Gone), kept.1),
    })
}

/// How often a dead letter was replayed: by the contract's count, and by our records.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    pub id: DeadLetterId,
    pub resurrections: i64,
    pub own_replays: i64,
}

/// The lineage of each of these dead letters.
pub async fn lineages(tx: &mut Tx, letters: &[Counted]) -> Result<BTreeMap<DeadLetterId, Lineage>, DbError> {
    let mut found: BTreeMap<DeadLetterId, Lineage> = letters
        .iter()
        .map(|letter| {
            let lineage = Lineage {
                replayed_outside: (letter.resurrections - letter.own_replays).max(0),
                not_counted: (letter.own_replays - letter.resurrections).max(0),
                ..Lineage::default()
            };
            (letter.id, lineage)
        })
        .collect();
    for chunk in letters.chunks(super::operations::CHUNK) {
        let wanted = placeholders(1, chunk.len());
        let ids = || -> Vec<Value> { chunk.iter().map(|letter| Value::from(letter.id)).collect() };
        let sql = format!(
            "SELECT {STANDING}, r.dead_letter_id, r.recovery_id, r.replayed_by, r.reason, r.replayed_at, \
             c.state AS recovery_state FROM {TABLES} LEFT JOIN dlo_recoveries c ON c.id = r.recovery_id \
             WHERE r.dead_letter_id IN ({wanted}) ORDER BY r.replayed_at DESC, r.job_id"
        );
        for row in tx.fetch_all(&sql, ids()).await? {
            let from = DeadLetterId(row.uuid("dead_letter_id")?);
            if let Some(lineage) = found.get_mut(&from)
                && lineage.replays.len() < SHOWN
            {
                lineage.replays.push(replay(&row)?);
            }
        }
        let sql = format!(
            "SELECT r.job_id, r.dead_letter_id, r.recovery_id, r.replayed_by, r.reason, r.replayed_at, \
             d.id IS NULL AS purged FROM dlo_replays r LEFT JOIN soniq_dead_letter_jobs d ON d.id = r.dead_letter_id \
             WHERE r.job_id IN ({wanted})"
        );
        for row in tx.fetch_all(&sql, ids()).await? {
            if let Some(lineage) = found.get_mut(&DeadLetterId(row.uuid("job_id")?)) {
                lineage.came_from = Some(came_from(&row)?);
            }
        }
    }
    Ok(found)
}

fn replay(row: &Row) -> Result<ReplayView, DbError> {
    let job = row.uuid("job_id")?;
    let reader = Reader {
        row,
        table: TABLE,
        id: job.to_string(),
    };
    let (end, ended_at) = standing(row)?;
    Ok(ReplayView {
        job_id: QueueJobId(job),
        replayed_by: reader.text("replayed_by")?,
        reason: redact_text(&reader.text("reason")?),
        replayed_at: reader.get("replayed_at", Row::time)?,
        recovery_id: reader.get("recovery_id", Row::opt_uuid)?.map(RecoveryId),
        recovery_state: reader.opt_slug("recovery_state")?,
        end,
        ended_at,
        dead_letter_id: (end == ReplayEnd::DeadLetter).then_some(DeadLetterId(job)),
        dead_letter_purged: end == ReplayEnd::DeadLetter && !row.flag("lives_dead")?,
    })
}

fn came_from(row: &Row) -> Result<CameFrom, DbError> {
    let reader = Reader {
        row,
        table: TABLE,
        id: row.uuid("job_id")?.to_string(),
    };
    Ok(CameFrom {
        dead_letter_id: DeadLetterId(reader.get("dead_letter_id", Row::uuid)?),
        purged: row.flag("purged")?,
        replayed_by: reader.text("replayed_by")?,
        reason: redact_text(&reader.text("reason")?),
        replayed_at: reader.get("replayed_at", Row::time)?,
        recovery_id: reader.get("recovery_id", Row::opt_uuid)?.map(RecoveryId),
    })
}
