//! A row of `soniq_dead_letter_jobs` as it stands there, read leniently: NULLs, `NaN`, NUL bytes and all.

use crate::database::{DbError, Dialect, Row, Tx, Value};
use crate::storage::text::Reader;
use app::domain::ids::DeadLetterId;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The table's name, for what is impossible in it.
pub const TABLE: &str = "soniq_dead_letter_jobs";

/// One dead letter. Times are whole, ids canonical; texts and JSON are as stored.
#[derive(Debug, Clone)]
pub struct RawLetter {
    pub id: DeadLetterId,
    pub job_name: String,
    pub args: Vec<u8>,
    pub queue: String,
    pub priority: i64,
    pub max_attempts: i64,
    pub attempts: i64,
    pub last_error: Option<String>,
    /// Open list: Soniq's reasons, and whatever an application invents.
    pub reason: String,
    pub original_created_at: DateTime<Utc>,
    pub died_at: DateTime<Utc>,
    pub resurrections: i64,
    pub last_resurrection_at: Option<DateTime<Utc>>,
    pub tags: Option<Vec<u8>>,
}

/// What to select from the dead table under the alias `d`, so that [`read`] understands it.
///
/// `d_id` and `d_at` are texts that name the row's place in the list whatever stands in them.
pub fn columns(tx: &Tx) -> &'static str {
    tx.pick(
        "CAST(d.id AS TEXT) AS d_id, d.job_name AS d_job_name, d.args::text AS d_args, d.queue AS d_queue, \
         d.priority AS d_priority, d.max_attempts AS d_max_attempts, d.attempts AS d_attempts, d.last_error AS d_error, \
         d.dead_letter_reason AS d_reason, d.resurrection_count AS d_resurrections, d.tags::text AS d_tags, \
         CASE WHEN isfinite(d.original_created_at) THEN d.original_created_at END AS d_created, \
         CASE WHEN isfinite(d.moved_to_dead_letter_at) THEN d.moved_to_dead_letter_at END AS d_died, \
         CASE WHEN isfinite(d.moved_to_dead_letter_at) THEN \
         to_char(d.moved_to_dead_letter_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"+00:00\"') \
         ELSE d.moved_to_dead_letter_at::text END AS d_at, \
         CASE WHEN isfinite(d.last_resurrection_at) THEN d.last_resurrection_at END AS d_resurrected",
        "d.id AS d_id, d.job_name AS d_job_name, d.args AS d_args, d.queue AS d_queue, d.priority AS d_priority, \
         d.max_attempts AS d_max_attempts, d.attempts AS d_attempts, d.last_error AS d_error, \
         d.dead_letter_reason AS d_reason, d.resurrection_count AS d_resurrections, d.tags AS d_tags, \
         d.original_created_at AS d_created, d.moved_to_dead_letter_at AS d_died, d.moved_to_dead_letter_at AS d_at, \
         d.last_resurrection_at AS d_resurrected",
    )
}

/// The row's letter, or which column is impossible.
pub fn read(row: &Row) -> Result<RawLetter, DbError> {
    let id = row.opt_text("d_id")?.unwrap_or_default();
    let reader = Reader {
        row,
        table: TABLE,
        id: id.clone(),
    };
    let impossible = |column| DbError::Inconsistent {
        table: TABLE,
        column,
        id: id.clone(),
    };
    let time = |alias: &str, column| {
        row.opt_time(alias)
            .ok()
            .flatten()
            .ok_or_else(|| impossible(column))
    };
    Ok(RawLetter {
        id: DeadLetterId::parse(&id).ok_or_else(|| impossible("id"))?,
        job_name: reader.text("d_job_name")?,
        args: row.opt_json_bytes("d_args")?.unwrap_or_default(),
        queue: reader.text("d_queue")?,
        priority: reader.get("d_priority", Row::int)?,
        max_attempts: reader.get("d_max_attempts", Row::int)?,
        attempts: reader.get("d_attempts", Row::int)?,
        last_error: row.opt_text("d_error")?,
        reason: reader.text("d_reason")?,
        original_created_at: time("d_created", "original_created_at")?,
        died_at: time("d_died", "moved_to_dead_letter_at")?,
        resurrections: reader.get("d_resurrections", Row::opt_int)?.unwrap_or(0),
        last_resurrection_at: row.opt_time("d_resurrected").ok().flatten(),
        tags: row.opt_json_bytes("d_tags")?,
    })
}

/// The text of an id, as a value that compares with the id columns: whatever stands there in SQLite, a UUID in
/// PostgreSQL (`None` when it is none, and then no row has it).
pub fn id_value(tx: &Tx, id: &str) -> Option<Value> {
    match tx.dialect() {
        Dialect::Postgres => Uuid::parse_str(id).ok().map(|id| Value::Uuid(Some(id))),
        Dialect::Sqlite => Some(Value::Text(Some(id.to_owned()))),
    }
}

/// ` FOR SHARE OF d` where rows are locked one by one.
pub const fn for_share(tx: &Tx) -> &'static str {
    tx.pick(" FOR SHARE OF d", "")
}
