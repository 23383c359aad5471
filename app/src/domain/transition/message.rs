//! Message → record: a dead letter is compared with the record and never overwrites it, but it is new evidence.

use super::event::event;
use super::{Change, bump, jobs, lift_closure};
use crate::desk::view::{EventKind, Lane};
use crate::domain::dead_letter::Message;
use crate::domain::operation::Operation;
use chrono::{DateTime, Utc};

/// A dead letter that names the operation has arrived, or was linked to it: the revision is counted on.
///
/// It voids a closure only by an id that was not known: other messages of a closed operation are obsolete (DESIGN 3).
/// `known_before` says whether other evidence (messages, receipts) already named the message's id.
pub fn apply_message(
    record: &Operation,
    message: &Message,
    known_before: bool,
    now: DateTime<Utc>,
) -> Change {
    let mut after = record.clone();
    let job_id = message.facts.job_id.as_ref();
    let news = job_id.filter(|job_id| !known_before && !jobs::is_known(record, job_id));
    if news.is_some() {
        lift_closure(&mut after);
    }
    let title = message
        .facts
        .action
        .map_or("message died", |action| action.as_str());
    let mut detail = format!("message {} died after {} attempts", message.id, message.attempts);
    if let Some(job_id) = news {
        detail.push_str(&format!("; it names {job_id}, which the record does not know"));
    } else if let Some(job_id) = job_id {
        detail.push_str(&format!("; it names {job_id}"));
    }
    let told = event(
        EventKind::DeadLetter,
        Lane::Neither,
        title,
        detail,
        "queue",
        message.died_at.min(now),
        &after,
    );
    bump(after, vec![told], now)
}

#[cfg(test)]
mod tests;
