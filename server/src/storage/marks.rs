//! Marks: short texts that are other ones after every change of what they stand for. They are hashes of counters,
//! revisions and times, read from the tables alone, so that every process of a database finds the same ones.

use super::audit::VIEWED;
use crate::database::{DbError, Dialect, Row, Tx, Value};
use app::desk::Topic;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Announces on PostgreSQL that something may have changed.
pub const CHANGED_CHANNEL: &str = "dlo_changed";

/// Ids that one statement asks for at once.
const CHUNK: usize = 100;

/// The newest entries of the audit that are looked through for one that changed something: the end of an index. Behind
/// more looks than this the mark is another one once, and a page is loaded in vain.
const NEWEST: usize = 200;

/// What lists and counts show: the newest of everything that only grows, and how many there are of what goes. That
/// somebody looked at a record changes nothing there: else each look would load every open desk.
fn desk(dialect: Dialect) -> String {
    // Rows of SQLite are numbered as they come; PostgreSQL counts the index.
    let newest_message = match dialect {
        Dialect::Postgres => "(SELECT COUNT(*) FROM dlo_messages WHERE purged_at IS NULL)",
        Dialect::Sqlite => "(SELECT MAX(rowid) FROM dlo_messages)",
    };
    format!(
        "SELECT CAST({newest_message} AS TEXT) AS a, \
         CAST((SELECT MAX(purged_at) FROM dlo_messages WHERE purged_at IS NOT NULL) AS TEXT) AS b, \
         CAST((SELECT MAX(updated_at) FROM dlo_operations) AS TEXT) AS c, \
         CAST((SELECT MAX(u.seq) FROM (SELECT seq, action FROM dlo_audit ORDER BY seq DESC LIMIT {NEWEST}) u \
         WHERE u.action <> '{VIEWED}') AS TEXT) AS d, \
         CAST((SELECT MAX(seq) FROM dlo_events) AS TEXT) AS e, \
         (SELECT COUNT(*) || '-' || COALESCE(CAST(MAX(started_at) AS TEXT), '') FROM dlo_recoveries \
         WHERE finished_at IS NULL) AS f, \
         CAST((SELECT MAX(created_at) FROM dlo_recoveries) AS TEXT) AS g"
    )
}

/// What an operation's page shows: the record with its last observation, its messages, recoveries, timeline and audit.
const OPERATIONS: &str = "SELECT w.id AS id, \
     (SELECT CAST(o.revision AS TEXT) FROM dlo_operations o WHERE o.id = w.id) AS a, \
     (SELECT o.remote || o.label || o.next_action FROM dlo_operations o WHERE o.id = w.id) AS b, \
     CAST((SELECT MAX(u.seq) FROM dlo_audit u WHERE u.operation_id = w.id) AS TEXT) AS c, \
     CAST((SELECT MAX(e.seq) FROM dlo_events e WHERE e.operation_id = w.id) AS TEXT) AS d, \
     CAST((SELECT COUNT(*) FROM dlo_messages m WHERE m.operation_id = w.id AND m.purged_at IS NULL) AS TEXT) AS e, \
     CAST((SELECT SUM(m.resurrections) FROM dlo_messages m WHERE m.operation_id = w.id) AS TEXT) AS f, \
     (SELECT r.state || CAST(r.id AS TEXT) FROM dlo_recoveries r WHERE r.operation_id = w.id \
     ORDER BY r.created_at DESC LIMIT 1) AS g";

/// What a recovery's page shows.
const RECOVERIES: &str = "SELECT w.id AS id, r.state AS a, r.outcome AS b, CAST(r.revision_after AS TEXT) AS c, \
     r.approved_by AS d, CAST(r.started_at AS TEXT) AS e, CAST(r.finished_at AS TEXT) AS f, \
     CAST(r.queue_job_id AS TEXT) AS g";

/// The marks of these topics at this moment.
///
/// # Errors
/// The database does not answer.
pub async fn read(tx: &mut Tx, topics: &[Topic]) -> Result<HashMap<Topic, String>, DbError> {
    let mut marks = HashMap::new();
    let mut operations = Vec::new();
    let mut recoveries = Vec::new();
    for topic in topics {
        match topic {
            Topic::Desk => {
                let row = tx.fetch_one(&desk(tx.dialect()), vec![]).await?;
                marks.insert(topic.clone(), mark(&row)?);
            }
            Topic::Operation(id) => operations.push((id.as_str().to_owned(), topic)),
            Topic::Recovery(id) => recoveries.push((id.to_string(), topic)),
        }
    }
    for chunk in operations.chunks(CHUNK) {
        let sql = format!("{OPERATIONS} FROM ({}) w", wanted(chunk.len()));
        collect(tx, &sql, chunk, &mut marks).await?;
    }
    for chunk in recoveries.chunks(CHUNK) {
        let sql = format!(
            "{RECOVERIES} FROM ({}) w LEFT JOIN dlo_recoveries r ON r.id = {}",
            wanted(chunk.len()),
            tx.pick("CAST(w.id AS UUID)", "w.id")
        );
        collect(tx, &sql, chunk, &mut marks).await?;
    }
    Ok(marks)
}

/// As many ids as there are, as a table of one column.
fn wanted(count: usize) -> String {
    let each: Vec<String> = (1..=count)
        .map(|number| format!("SELECT CAST(${number} AS TEXT) AS id"))
        .collect();
    each.join(" UNION ALL ")
}

async fn collect(
    tx: &mut Tx,
    sql: &str,
    chunk: &[(String, &Topic)],
    marks: &mut HashMap<Topic, String>,
) -> Result<(), DbError> {
    let values = chunk.iter().map(|(id, _)| Value::from(id.as_str())).collect();
    for row in tx.fetch_all(sql, values).await? {
        let id = row.text("id")?;
        if let Some((_, topic)) = chunk.iter().find(|(own, _)| *own == id) {
            marks.insert((*topic).clone(), mark(&row)?);
        }
    }
    Ok(())
}

/// The hash of a row's columns `a` to `g`, all of them text: 16 hexadecimal digits.
fn mark(row: &Row) -> Result<String, DbError> {
    let mut hash = Sha256::new();
    for column in ["a", "b", "c", "d", "e", "f", "g"] {
        hash.update(row.opt_text(column)?.as_deref().unwrap_or("-"));
        hash.update([0x1f]);
    }
    Ok(hex::encode(&hash.finalize()[..8]))
}
