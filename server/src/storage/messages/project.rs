//! The projector: finds dead letters that nobody has read yet, and keeps what they know.

use super::evidence::{absorb, insert};
use super::facts::find;
use crate::config::Messages;
use crate::database::{Database, DbError, Dialect, Tx, Value};
use crate::storage::dead_letters::{self, RawLetter, columns, for_share, id_value};
use crate::storage::operations;
use crate::storage::text::placeholders;
use crate::values;
use app::domain::dead_letter::MessageFacts;
use app::domain::ids::{DeadLetterId, OperationId};
use std::collections::BTreeMap;

/// The key of PostgreSQL's lock: one projector at a time, and nobody adopts messages meanwhile.
pub(super) const PROJECTOR_LOCK: i64 = 0x_444c_4f5f_5052_4f4a;

/// Whether some dead letter has not been read yet, or has gone without us. Cheap: two counts.
pub async fn pending(tx: &mut Tx) -> Result<bool, DbError> {
    tx.fetch_one(
        "SELECT (SELECT COUNT(*) FROM soniq_dead_letter_jobs) <> \
         (SELECT COUNT(*) FROM dlo_messages WHERE purged_at IS NULL) AS found",
        vec![],
    )
    .await?
    .flag("found")
}

/// Whether one of the newest dead letters has not been read yet: one look at the end of an index, whatever the table
/// holds. A letter that was written with an older date is found by [`pending`] alone.
pub async fn newest_pending(tx: &mut Tx) -> Result<bool, DbError> {
    tx.fetch_one(
        "SELECT EXISTS (SELECT 1 FROM (SELECT id FROM soniq_dead_letter_jobs \
         ORDER BY moved_to_dead_letter_at DESC, id LIMIT 16) AS newest \
         WHERE NOT EXISTS (SELECT 1 FROM dlo_messages m WHERE m.message_id = newest.id)) AS found",
        vec![],
    )
    .await?
    .flag("found")
}

/// Reads at most `limit` dead letters that nobody has read yet, newest first. Answers how many.
///
/// Each is new evidence about the operation that it names: the revision is counted on, and the derived values follow in
/// the same transaction.
pub async fn project(database: &Database, config: &Messages, limit: u32) -> Result<usize, DbError> {
    let mut tx = database.read().await?;
    let ids = unread(&mut tx, None, limit).await?;
    drop(tx);
    if ids.is_empty() {
        return Ok(0);
    }
    let mut tx = database.write().await?;
    if !alone(&mut tx).await? {
        return Ok(0);
    }
    let projected = project_these(&mut tx, config, &ids, None).await?;
    tx.commit_at("project").await?;
    Ok(projected)
}

/// As [`project`], for somebody who reads next: waits for a projector that is at work, and so misses nothing that it has
/// in hand.
pub async fn project_now(database: &Database, config: &Messages, limit: u32) -> Result<usize, DbError> {
    let mut tx = database.write().await?;
    match tx.dialect() {
        Dialect::Sqlite => {}
        Dialect::Postgres => {
            tx.execute("SELECT pg_advisory_xact_lock($1)", values![PROJECTOR_LOCK])
                .await?;
        }
    }
    let ids = unread(&mut tx, None, limit).await?;
    let projected = project_these(&mut tx, config, &ids, None).await?;
    tx.commit().await?;
    Ok(projected)
}

/// Reads one dead letter, if it is there and nobody has read it yet.
pub async fn project_one(tx: &mut Tx, config: &Messages, id: DeadLetterId) -> Result<(), DbError> {
    let known = tx
        .fetch_optional(
            "SELECT 1 AS found FROM dlo_messages WHERE message_id = $1",
            values![id],
        )
        .await?;
    if known.is_none() {
        project_these(tx, config, &[id.to_string()], None).await?;
    }
    Ok(())
}

/// Notices dead letters that somebody else has purged, or put back. What they knew stays. Answers how many.
pub async fn sweep(tx: &mut Tx) -> Result<u64, DbError> {
    let now = tx.now();
    let back = tx
        .execute(
            "UPDATE dlo_messages SET purged_at = NULL WHERE purged_at IS NOT NULL \
             AND EXISTS (SELECT 1 FROM soniq_dead_letter_jobs d WHERE d.id = dlo_messages.message_id)",
            vec![],
        )
        .await?;
    let gone = tx
        .execute(
            "UPDATE dlo_messages SET purged_at = $1 WHERE purged_at IS NULL \
         AND NOT EXISTS (SELECT 1 FROM soniq_dead_letter_jobs d WHERE d.id = dlo_messages.message_id)",
            values![now],
        )
        .await?;
    Ok(back + gone)
}

/// Takes over how often others have replayed: a count that would be lost with the row. Answers how many changed.
pub async fn sync_replays(database: &Database) -> Result<u64, DbError> {
    const DIFFERENT: &str = "FROM soniq_dead_letter_jobs d JOIN dlo_messages m ON m.message_id = d.id \
         WHERE d.resurrection_count > 0 AND d.resurrection_count <> m.resurrections";
    let mut tx = database.read().await?;
    let sql = format!("SELECT EXISTS (SELECT 1 {DIFFERENT}) AS found");
    let found = tx.fetch_one(&sql, vec![]).await?.flag("found")?;
    drop(tx);
    if !found {
        return Ok(0);
    }
    let mut tx = database.write().await?;
    let sql = format!(
        "UPDATE dlo_messages SET \
         resurrections = (SELECT d.resurrection_count FROM soniq_dead_letter_jobs d WHERE d.id = dlo_messages.message_id), \
         last_resurrection_at = (SELECT d.last_resurrection_at FROM soniq_dead_letter_jobs d \
         WHERE d.id = dlo_messages.message_id) \
         WHERE message_id IN (SELECT d.id {DIFFERENT})"
    );
    let changed = tx.execute(&sql, vec![]).await?;
    tx.commit_at("project_replays").await?;
    Ok(changed)
}

/// Ids, as they stand, of dead letters that nobody has read yet; with `naming`, only of those whose text may name that
/// operation, as it is or behind an escape.
pub(super) async fn unread(
    tx: &mut Tx,
    naming: Option<&OperationId>,
    limit: u32,
) -> Result<Vec<String>, DbError> {
    let mut wanted = "NOT EXISTS (SELECT 1 FROM dlo_messages m WHERE m.message_id = d.id)".to_owned();
    let mut values = values![limit];
    if let Some(operation) = naming {
        let (args, position) = (tx.json_text("d.args"), tx.pick("strpos", "instr"));
        wanted.push_str(&format!(
            " AND ({position}({args}, $2) > 0 OR {position}({args}, $3) > 0)"
        ));
        values.extend(values![operation, "\\"]);
    }
    let sql = format!(
        "SELECT CAST(d.id AS TEXT) AS id FROM soniq_dead_letter_jobs d WHERE {wanted} \
         ORDER BY d.moved_to_dead_letter_at DESC LIMIT $1"
    );
    let rows = tx.fetch_all(&sql, values).await?;
    rows.iter().map(|row| row.text("id")).collect()
}

/// A dead letter that has been found, and what it says; `None` where it cannot be read.
type Read = (String, Option<(RawLetter, super::Found)>);

/// Reads these dead letters (only those that name `only`, where given), oldest first.
///
/// They are read without a lock, to learn which operations they name: an operation is locked before its letters. A
/// letter that goes meanwhile is not kept, because what is kept of its row is copied under the lock.
pub(super) async fn project_these(
    tx: &mut Tx,
    config: &Messages,
    ids: &[String],
    only: Option<&OperationId>,
) -> Result<usize, DbError> {
    let mut read: Vec<Read> = Vec::new();
    let mut named: BTreeMap<OperationId, Vec<usize>> = BTreeMap::new();
    for (id, letter) in load(tx, config, ids).await? {
        let operation = letter
            .as_ref()
            .and_then(|(_, found)| found.facts.operation_id.clone());
        if only.is_some() && operation.as_ref() != only {
            continue;
        }
        if let Some(operation) = operation {
            named.entry(operation).or_default().push(read.len());
        }
        read.push((id, letter));
    }
    // Operations first, in the order of their ids; then the letters.
    let mut held = BTreeMap::new();
    for (operation, letters) in named {
        match operations::lock(tx, &operation).await {
            Ok(Some(record)) => {
                held.insert(operation, (record, letters));
            }
            Ok(None) => {}
            Err(DbError::Inconsistent { table, column, id }) => {
                tracing::warn!(table, column, id, "a message names an unreadable record");
            }
            Err(other) => return Err(other),
        }
    }
    share(tx, &read).await?;
    let mut fresh = vec![false; read.len()];
    for (at, (id, letter)) in read.iter().enumerate() {
        let nothing = (MessageFacts::default(), String::new());
        let (facts, safe_error) = letter.as_ref().map_or(nothing, |(_, found)| {
            (found.facts.clone(), found.safe_error.clone())
        });
        fresh[at] = insert(tx, id, &facts, &safe_error).await?;
    }
    for (record, letters) in held.into_values() {
        let news: Vec<_> = letters
            .iter()
            .filter(|at| fresh[**at])
            .filter_map(|at| read[*at].1.as_ref())
            .map(|(letter, found)| (letter, found.facts.clone()))
            .collect();
        if !news.is_empty() {
            absorb(tx, record, &news).await?;
        }
    }
    Ok(fresh.iter().filter(|fresh| **fresh).count())
}

async fn load(tx: &mut Tx, config: &Messages, ids: &[String]) -> Result<Vec<Read>, DbError> {
    let wanted: Vec<Value> = ids.iter().filter_map(|id| id_value(tx, id)).collect();
    let mut read = Vec::new();
    for chunk in wanted.chunks(operations::CHUNK) {
        let sql = format!(
            "SELECT {} FROM soniq_dead_letter_jobs d WHERE d.id IN ({}) \
             ORDER BY d.moved_to_dead_letter_at, d.id",
            columns(tx),
            placeholders(1, chunk.len()),
        );
        for row in tx.fetch_all(&sql, chunk.to_vec()).await? {
            let letter = match dead_letters::read(&row) {
                Ok(letter) => {
                    let found = find(config, &letter);
                    Some((letter, found))
                }
                Err(DbError::Inconsistent { .. }) => None,
                Err(other) => return Err(other),
            };
            read.push((row.text("d_id")?, letter));
        }
    }
    Ok(read)
}

/// Keeps these letters from being replayed or purged until the transaction ends: their counts are copied.
async fn share(tx: &mut Tx, read: &[Read]) -> Result<(), DbError> {
    match tx.dialect() {
        Dialect::Sqlite => return Ok(()),
        Dialect::Postgres => {}
    }
    let wanted: Vec<Value> = read.iter().filter_map(|(id, _)| id_value(tx, id)).collect();
    for chunk in wanted.chunks(operations::CHUNK) {
        let sql = format!(
            "SELECT 1 AS held FROM soniq_dead_letter_jobs d WHERE d.id IN ({}) \
             ORDER BY d.moved_to_dead_letter_at, d.id{}",
            placeholders(1, chunk.len()),
            for_share(tx)
        );
        tx.fetch_all(&sql, chunk.to_vec()).await?;
    }
    Ok(())
}

/// Whether no other process projects right now; keeps it so until the transaction ends.
async fn alone(tx: &mut Tx) -> Result<bool, DbError> {
    match tx.dialect() {
        Dialect::Sqlite => Ok(true),
        Dialect::Postgres => tx
            .fetch_one(
                "SELECT pg_try_advisory_xact_lock($1) AS found",
                values![PROJECTOR_LOCK],
            )
            .await?
            .flag("found"),
    }
}
