//! A message is new evidence about its operation.

use crate::database::Value;
use crate::database::{DbError, Tx};
use crate::storage::dead_letters::{RawLetter, id_value};
use crate::storage::{evidence, operations};
use app::desk::Event;
use app::domain::dead_letter::{Disposition, Message, MessageFacts};
use app::domain::label::Label;
use app::domain::operation::Operation;
use app::domain::transition::apply_message;

/// Keeps what a dead letter knows. Its own columns are copied in SQL, as they stand. `false` when it is kept already.
pub(super) async fn insert(
    tx: &mut Tx,
    id: &str,
    facts: &MessageFacts,
    safe_error: &str,
) -> Result<bool, DbError> {
    let Some(key) = id_value(tx, id) else {
        return Ok(false);
    };
    let inserted = tx
        .execute(
            "INSERT INTO dlo_messages (message_id, operation_id, job_id, action, error_category, safe_error, job_name, \
             queue, reason, attempts, max_attempts, died_at, resurrections, own_replays, last_resurrection_at, label) \
             SELECT d.id, $2, $3, $4, $5, $6, d.job_name, d.queue, d.dead_letter_reason, d.attempts, d.max_attempts, \
             d.moved_to_dead_letter_at, COALESCE(d.resurrection_count, 0), \
             (SELECT COUNT(*) FROM dlo_replays r WHERE r.dead_letter_id = d.id), d.last_resurrection_at, $7 \
             FROM soniq_dead_letter_jobs d WHERE d.id = $1 ON CONFLICT (message_id) DO NOTHING",
            vec![
                key,
                Value::from(facts.operation_id.as_ref()),
                Value::from(facts.job_id.as_ref()),
                Value::from(facts.action.map(|action| action.as_str())),
                Value::from(facts.error_category.map(|category| category.as_str())),
                Value::from(safe_error),
                Value::from(Label::NoOperationRecord.as_str()),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

/// Counts the revision on for each new message, tells the timeline, voids a closure that a new job id contradicts, and
/// derives everything anew. The messages are kept already; the record is locked.
pub(super) async fn absorb(
    tx: &mut Tx,
    record: Operation,
    news: &[(&RawLetter, MessageFacts)],
) -> Result<(), DbError> {
    let now = tx.now();
    let mut known = evidence::gather(tx, &record).await?;
    known
        .messages
        .retain(|message| news.iter().all(|(letter, _)| letter.id != message.id));
    let mut record = record;
    let mut told: Vec<Event> = Vec::new();
    for (letter, facts) in news {
        let message = as_message(letter, facts.clone());
        let known_before = message
            .facts
            .job_id
            .as_ref()
            .is_some_and(|id| known.job_ids().contains(id));
        let change = apply_message(&record, &message, known_before, now);
        record = change.record;
        told.extend(change.events);
        known.messages.push(message);
    }
    operations::save(tx, &record, &told).await
}

fn as_message(letter: &RawLetter, facts: MessageFacts) -> Message {
    Message {
        id: letter.id,
        facts,
        attempts: letter.attempts,
        died_at: letter.died_at,
        resurrections: letter.resurrections,
        own_replays: 0,
        last_resurrection_at: letter.last_resurrection_at,
        purged: false,
        disposition: Disposition::Open,
    }
}
