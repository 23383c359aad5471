//! `dlo_audit`: append-only, one chain. Each entry is written in the transaction of what it records.

use super::text::{Reader, json};
use crate::database::{Database, DbError, Dialect, Row, Tx, Value};
use crate::values;
use app::desk::AuditFilter;
use app::domain::audit::{AuditEntry, GENESIS};
use app::domain::guard::GuardResult;
use app::domain::ids::{DeadLetterId, OperationId, RecoveryId};
use app::domain::plan::Effect;
use app::domain::redact::redact_text;
use app::domain::role::{Caller, Role};
use chrono::TimeDelta;

/// The key of PostgreSQL's lock on the end of the chain; any number that nobody else uses.
const CHAIN_LOCK: i64 = 0x_444c_4f5f_4155_4454;
/// Entries that one statement reads while the chain is checked or exported.
const BATCH: i64 = 1000;

/// The action of a look at an operation's record.
pub const VIEWED: &str = "viewed";

/// An entry to be: [`append`] gives it its number, its time and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry(AuditEntry);

impl Entry {
    /// Who did what.
    pub fn new(caller: &Caller, action: impl Into<String>) -> Self {
        Self(AuditEntry {
            seq: 0,
            at: chrono::DateTime::UNIX_EPOCH,
            actor: clean(caller.name.clone()),
            role: caller.role.to_string(),
            action: action.into(),
            effect: None,
            operation_id: None,
            dead_letter_id: None,
            recovery_id: None,
            revision_before: None,
            revision_after: None,
            reason: None,
            guards: Vec::new(),
            hash: String::new(),
        })
    }

    /// Somebody did something who is not known.
    pub fn nobody(action: impl Into<String>) -> Self {
        let nobody = Caller {
            name: Caller::NOBODY.to_owned(),
            role: Role::Viewer,
        };
        let mut entry = Self::new(&nobody, action);
        entry.0.role = "none".to_owned();
        entry
    }

    pub fn effect(mut self, effect: Effect) -> Self {
        self.0.effect = Some(effect.to_string());
        self
    }

    pub fn operation(mut self, id: &OperationId) -> Self {
        self.0.operation_id = Some(clean(id.0.clone()));
        self
    }

    pub fn dead_letter(mut self, id: impl Into<Option<DeadLetterId>>) -> Self {
        self.0.dead_letter_id = id.into().map(|id| id.to_string());
        self
    }

    pub fn recovery(mut self, id: RecoveryId) -> Self {
        self.0.recovery_id = Some(id.to_string());
        self
    }

    pub fn revisions(mut self, before: i64, after: impl Into<Option<i64>>) -> Self {
        self.0.revision_before = Some(before);
        self.0.revision_after = after.into();
        self
    }

    /// The person's words, or why something was refused. Redacted here: the chain never forgets.
    pub fn reason(mut self, reason: impl AsRef<str>) -> Self {
        self.0.reason = Some(clean(redact_text(reason.as_ref())));
        self
    }

    pub fn guards(mut self, guards: &[GuardResult]) -> Self {
        self.0.guards = guards.to_vec();
        self
    }
}

/// PostgreSQL cannot keep a NUL; the hash must be over what is kept.
fn clean(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "")
    } else {
        text
    }
}

/// Whoever holds it is the only one who appends.
async fn lock_chain(tx: &mut Tx) -> Result<(), DbError> {
    match tx.dialect() {
        Dialect::Postgres => {
            tx.execute("SELECT pg_advisory_xact_lock($1)", values![CHAIN_LOCK])
                .await?;
        }
        Dialect::Sqlite => {}
    }
    Ok(())
}

/// Appends an entry; answers its number. Numbers have no gaps. The last lock that a transaction takes.
pub async fn append(tx: &mut Tx, entry: Entry) -> Result<i64, DbError> {
    lock_chain(tx).await?;
    let last = tx
        .fetch_optional(
            "SELECT seq, at, hash FROM dlo_audit ORDER BY seq DESC LIMIT 1",
            vec![],
        )
        .await?;
    let mut entry = entry.0;
    let previous = match last {
        Some(last) => {
            entry.seq = last.int("seq")? + 1;
            entry.at = tx.now().max(last.time("at")?);
            last.text("hash")?
        }
        None => {
            entry.seq = 1;
            entry.at = tx.now();
            GENESIS.to_owned()
        }
    };
    entry.hash = entry.chained_hash(&previous);
    tx.execute(
        "INSERT INTO dlo_audit (seq, at, actor, role, action, effect, operation_id, dead_letter_id, recovery_id, \
         revision_before, revision_after, reason, guards, hash) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        values![
            entry.seq,
            entry.at,
            entry.actor,
            entry.role,
            entry.action,
            entry.effect,
            entry.operation_id,
            entry.dead_letter_id,
            entry.recovery_id,
            entry.revision_before,
            entry.revision_after,
            entry.reason,
            json(&entry.guards),
            entry.hash,
        ],
    )
    .await?;
    Ok(entry.seq)
}

/// Appends an entry unless the same person did the same to the same operation within this time. Many look at once, and
/// pages that follow load again and again.
///
/// # Errors
/// When the database does not answer.
pub async fn append_once(database: &Database, entry: Entry, within: TimeDelta) -> Result<(), DbError> {
    let mut tx = database.read().await?;
    if is_young(&mut tx, &entry, within).await? {
        return Ok(());
    }
    drop(tx);
    let mut tx = database.write().await?;
    lock_chain(&mut tx).await?;
    if !is_young(&mut tx, &entry, within).await? {
        append(&mut tx, entry).await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn is_young(tx: &mut Tx, entry: &Entry, within: TimeDelta) -> Result<bool, DbError> {
    let since = tx.now() - within;
    let entry = &entry.0;
    let found = tx
        .fetch_optional(
            "SELECT seq FROM dlo_audit WHERE operation_id = $1 AND actor = $2 AND action = $3 AND at > $4 LIMIT 1",
            values![
                entry.operation_id.clone(),
                entry.actor.as_str(),
                entry.action.as_str(),
                since
            ],
        )
        .await?;
    Ok(found.is_some())
}

fn from_row(row: &Row) -> Result<AuditEntry, DbError> {
    let seq = row.int("seq")?;
    let reader = Reader {
        row,
        table: "dlo_audit",
        id: seq.to_string(),
    };
    Ok(AuditEntry {
        seq,
        at: reader.get("at", Row::time)?,
        actor: reader.text("actor")?,
        role: reader.text("role")?,
        action: reader.text("action")?,
        effect: reader.get("effect", Row::opt_text)?,
        operation_id: reader.get("operation_id", Row::opt_text)?,
        dead_letter_id: reader.get("dead_letter_id", Row::opt_text)?,
        recovery_id: reader.get("recovery_id", Row::opt_text)?,
        revision_before: reader.get("revision_before", Row::opt_int)?,
        revision_after: reader.get("revision_after", Row::opt_int)?,
        reason: reader.get("reason", Row::opt_text)?,
        guards: reader.json("guards")?,
        hash: reader.text("hash")?,
    })
}

/// Newest first, at most `limit` entries with a number below `below`.
pub async fn list(
    tx: &mut Tx,
    filter: &AuditFilter,
    below: Option<i64>,
    limit: u32,
) -> Result<Vec<AuditEntry>, DbError> {
    let mut conditions = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    let mut condition = |sql: &str, value: Value| {
        values.push(value);
        conditions.push(format!("{sql} ${}", values.len()));
    };
    if let Some(operation) = &filter.operation {
        condition("operation_id =", operation.into());
    }
    if let Some(actor) = &filter.actor {
        condition("actor =", actor.into());
    }
    if let Some(from) = filter.from {
        condition("at >=", from.into());
    }
    if let Some(to) = filter.to {
        condition("at <=", to.into());
    }
    if let Some(below) = below {
        condition("seq <", below.into());
    }
    let clause = if conditions.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", conditions.join(" AND "))
    };
    values.push(i64::from(limit).into());
    let sql = format!(
        "SELECT * FROM dlo_audit{clause} ORDER BY seq DESC LIMIT ${}",
        values.len()
    );
    tx.fetch_all(&sql, values).await?.iter().map(from_row).collect()
}

/// Oldest first: at most a batch of entries with a number above `above`. Empty at the end.
pub async fn batch_after(tx: &mut Tx, above: i64) -> Result<Vec<AuditEntry>, DbError> {
    raw_batch(tx, above).await?.iter().map(from_row).collect()
}

async fn raw_batch(tx: &mut Tx, above: i64) -> Result<Vec<Row>, DbError> {
    tx.fetch_all(
        "SELECT * FROM dlo_audit WHERE seq > $1 ORDER BY seq LIMIT $2",
        values![above, BATCH],
    )
    .await
}

/// What a check of the whole chain found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// Every entry follows the one before.
    Whole { entries: i64 },
    /// This is the first entry that is missing, changed or unreadable.
    BrokenAt { seq: i64 },
}

/// Checks the chain from its beginning, batch by batch, in one snapshot.
pub async fn verify(database: &Database) -> Result<Verified, DbError> {
    let mut tx = database.read().await?;
    let mut previous = GENESIS.to_owned();
    let mut checked = 0;
    loop {
        let rows = raw_batch(&mut tx, checked).await?;
        if rows.is_empty() {
            return Ok(Verified::Whole { entries: checked });
        }
        for row in &rows {
            let expected = checked + 1;
            let entry = match from_row(row) {
                Ok(entry) => entry,
                Err(DbError::Inconsistent { .. }) => return Ok(Verified::BrokenAt { seq: expected }),
                Err(other) => return Err(other),
            };
            if entry.seq != expected || entry.chained_hash(&previous) != entry.hash {
                return Ok(Verified::BrokenAt { seq: expected });
            }
            previous = entry.hash;
            checked = expected;
        }
    }
}
