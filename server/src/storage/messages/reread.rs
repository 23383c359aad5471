//! Evidence from the dead letters themselves and not from the projection (DESIGN 4.4), and messages that waited for
//! their operation.

use super::evidence::absorb;
use super::facts::find;
use super::project::{PROJECTOR_LOCK, newest_pending, pending, project_these, unread};
use crate::config::Messages;
use crate::database::{DbError, Dialect, Tx};
use crate::storage::dead_letters::{self, RawLetter, columns, for_share};
use crate::storage::text::Reader;
use crate::storage::{derived, events, evidence, operations};
use crate::values;
use app::desk::Event;
use app::domain::dead_letter::MessageFacts;
use app::domain::ids::{DeadLetterId, OperationId};
use app::domain::plan::Action;
use app::domain::transition::apply_message;

/// Unread letters that one look goes through: all of them.
const ALL: u32 = u32::MAX >> 1;

/// How letters that nobody has read are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thoroughness {
    /// Row by row: a tenth of a second in a table of 100,000. For what creates, and for what a person decides.
    EachRow,
    /// Row by row only where two counts or the newest rows show that one is unread. What that cannot show is a letter
    /// with an old date that came while somebody else purged another; the projector's full looks find it. For what
    /// creates nothing.
    WhereUnread,
}

impl Thoroughness {
    /// What an action deserves.
    pub const fn of(action: Action) -> Self {
        match action {
            Action::Dispatch | Action::Reconcile | Action::Acknowledge => Self::EachRow,
            Action::Observe | Action::Deliver | Action::InspectAccounting => Self::WhereUnread,
        }
    }
}

/// Reads the operation's dead letters again, where they stand: those that nobody has read yet, and those whose args,
/// attempts or counts differ from what was kept. Those that are gone count as purged.
///
/// Answers whether there was new evidence; the revision is counted on then. The caller holds the operation's lock.
pub async fn reread(
    tx: &mut Tx,
    config: &Messages,
    operation: &OperationId,
    thoroughness: Thoroughness,
) -> Result<bool, DbError> {
    let look = match thoroughness {
        Thoroughness::EachRow => true,
        Thoroughness::WhereUnread => pending(tx).await? || newest_pending(tx).await?,
    };
    let unread = if look {
        unread(tx, Some(operation), ALL).await?
    } else {
        Vec::new()
    };
    let mut news = project_these(tx, config, &unread, Some(operation)).await? > 0;
    let mut changed = Vec::new();
    for (letter, kept) in letters(tx, operation).await? {
        let found = find(config, &letter);
        let facts = MessageFacts {
            operation_id: kept.facts.operation_id.clone(),
            ..found.facts
        };
        if facts.job_id != kept.facts.job_id
            || facts.action != kept.facts.action
            || letter.attempts != kept.attempts
        {
            tx.execute(
                "UPDATE dlo_messages SET job_id = $2, action = $3, attempts = $4, error_category = $5, safe_error = $6 \
                 WHERE message_id = $1",
                values![
                    letter.id,
                    facts.job_id.as_ref(),
                    facts.action.map(|action| action.as_str()),
                    letter.attempts,
                    facts.error_category.map(|category| category.as_str()),
                    found.safe_error,
                ],
            )
            .await?;
            changed.push((letter, facts));
        }
    }
    recount(tx, operation).await?;
    if !changed.is_empty()
        && let Some(record) = operations::lock(tx, operation).await?
    {
        let told: Vec<_> = changed
            .iter()
            .map(|(letter, facts)| (letter, facts.clone()))
            .collect();
        absorb(tx, record, &told).await?;
        news = true;
    }
    Ok(news)
}

/// Messages that waited for this operation, which has just been made: they are evidence from its first revision on.
///
/// PostgreSQL: while a projector is at work this waits, because neither would see the other's rows.
pub async fn adopt(tx: &mut Tx, operation: &OperationId) -> Result<(), DbError> {
    match tx.dialect() {
        Dialect::Sqlite => {}
        Dialect::Postgres => {
            tx.execute("SELECT pg_advisory_xact_lock_shared($1)", values![PROJECTOR_LOCK])
                .await?;
        }
    }
    let waiting = tx
        .fetch_optional(
            "SELECT 1 AS found FROM dlo_messages WHERE operation_id = $1 LIMIT 1",
            values![operation],
        )
        .await?;
    if waiting.is_none() {
        return Ok(());
    }
    let Some(record) = operations::load(tx, operation).await? else {
        return Ok(());
    };
    let now = tx.now();
    let told: Vec<Event> = evidence::gather(tx, &record)
        .await?
        .messages
        .iter()
        .flat_map(|message| apply_message(&record, message, true, now).events)
        .map(|event| Event {
            revision: record.revision,
            ..event
        })
        .collect();
    events::append(tx, operation, &told).await?;
    derived::refresh(tx, operation).await
}

/// What is kept of a message.
struct Kept {
    facts: MessageFacts,
    attempts: i64,
}

/// The operation's living dead letters, and what is kept of them.
async fn letters(tx: &mut Tx, operation: &OperationId) -> Result<Vec<(RawLetter, Kept)>, DbError> {
    let sql = format!(
        "SELECT {}, m.job_id AS m_job, m.action AS m_action, m.attempts AS m_attempts, m.operation_id AS m_operation \
         FROM soniq_dead_letter_jobs d JOIN dlo_messages m ON m.message_id = d.id \
         WHERE m.operation_id = $1 ORDER BY d.moved_to_dead_letter_at, d.id{}",
        columns(tx),
        for_share(tx)
    );
    let mut found = Vec::new();
    for row in tx.fetch_all(&sql, values![operation]).await? {
        // What cannot be read is shown in the list; it names nothing that could be evidence.
        let Ok(letter) = dead_letters::read(&row) else {
            continue;
        };
        let reader = Reader {
            row: &row,
            table: "dlo_messages",
            id: letter.id.to_string(),
        };
        let kept = Kept {
            facts: MessageFacts {
                operation_id: row.opt_text("m_operation")?.map(OperationId),
                job_id: row.opt_text("m_job")?.map(Into::into),
                action: reader.opt_slug("m_action")?,
                error_category: None,
            },
            attempts: row.int("m_attempts")?,
        };
        found.push((letter, kept));
    }
    Ok(found)
}

/// Counts as they stand in the dead table; what is gone there is purged here.
async fn recount(tx: &mut Tx, operation: &OperationId) -> Result<(), DbError> {
    let now = tx.now();
    tx.execute(
        "UPDATE dlo_messages SET \
         resurrections = (SELECT COALESCE(d.resurrection_count, 0) FROM soniq_dead_letter_jobs d \
         WHERE d.id = dlo_messages.message_id), \
         last_resurrection_at = (SELECT d.last_resurrection_at FROM soniq_dead_letter_jobs d \
         WHERE d.id = dlo_messages.message_id) \
         WHERE operation_id = $1 AND EXISTS (SELECT 1 FROM soniq_dead_letter_jobs d WHERE d.id = dlo_messages.message_id \
         AND COALESCE(d.resurrection_count, 0) <> dlo_messages.resurrections)",
        values![operation],
    )
    .await?;
    tx.execute(
        "UPDATE dlo_messages SET purged_at = $2 WHERE operation_id = $1 AND purged_at IS NULL \
         AND NOT EXISTS (SELECT 1 FROM soniq_dead_letter_jobs d WHERE d.id = dlo_messages.message_id)",
        values![operation, now],
    )
    .await?;
    Ok(())
}

/// The operation that a message belongs to, named or linked.
pub async fn operation_of(tx: &mut Tx, id: DeadLetterId) -> Result<Option<OperationId>, DbError> {
    let sql = "SELECT operation_id FROM dlo_messages WHERE message_id = $1";
    match tx.fetch_optional(sql, values![id]).await? {
        Some(row) => Ok(row.opt_text("operation_id")?.map(OperationId)),
        None => Ok(None),
    }
}
