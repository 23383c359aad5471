//! `no_competing_job`: may somebody outside send, or have sent, what we are about to send?

use super::{Bench, CompetingJob, GuardName, GuardResult};
use crate::domain::dead_letter::Message;
use crate::domain::operation::Operation;
use crate::domain::plan::Action;
use chrono::{DateTime, Utc};

/// Blocks in three ways; `outside_send_excluded` clears the last two up to its moment, because a living job may
/// still send after it.
pub(super) fn no_competing_job(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::NoCompetingJob;
    let record = bench.record;
    let found: Vec<String> = living(&bench.facts.competing_jobs)
        .into_iter()
        .chain(
            bench
                .evidence
                .messages
                .iter()
                .find_map(|message| replayed_outside(record, message)),
        )
        .chain(
            bench
                .evidence
                .messages
                .iter()
                .find_map(|message| died_after_evidence(record, message)),
        )
        .collect();
    if !found.is_empty() {
        return GuardResult::block(name, found.join(" "));
    }
    GuardResult::pass(
        name,
        match record.outside_send_excluded_through {
            Some(through) => {
                format!(
                    "No living job names {}; outside sends are excluded up to {}.",
                    record.id,
                    moment(through)
                )
            }
            None => format!(
                "No queued or processing job names {}; nobody else replayed it.",
                record.id
            ),
        },
    )
}

fn living(jobs: &[CompetingJob]) -> Option<String> {
    let first = jobs.first()?;
    let more = match jobs.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "Job {} ({}, {}){more} names this operation: let it end, or remove it from its queue.",
        first.id, first.job_name, first.status
    ))
}

/// Somebody else replayed the message, and nobody has excluded that it was sent then.
/// A replay at an unknown moment counts as old as the message's death.
fn replayed_outside(record: &Operation, message: &Message) -> Option<String> {
    let last = message.last_resurrection_at.unwrap_or(message.died_at);
    if message.resurrections <= message.own_replays || is_excluded(record, last) {
        return None;
    }
    Some(format!(
        "Message {} was replayed {} times, {} of them by us: somebody may have sent it outside.",
        message.id, message.resurrections, message.own_replays
    ))
}

/// A consumer that creates gave up after it was recorded that nothing had been sent, and the evidence does not speak
/// of that very attempt.
fn died_after_evidence(record: &Operation, message: &Message) -> Option<String> {
    let younger = record.not_sent_since.is_none_or(|since| message.died_at > since);
    let proven = record
        .dispatch_proof
        .as_ref()
        .is_some_and(|proof| proof.message_id == message.id && proof.attempts == message.attempts);
    let competes = message.facts.action == Some(Action::Dispatch) && younger && !proven;
    if !competes || is_excluded(record, message.died_at) {
        return None;
    }
    Some(format!(
        "Message {} died after it was recorded that nothing was sent: its last try may have sent it.",
        message.id
    ))
}

fn is_excluded(record: &Operation, at: DateTime<Utc>) -> bool {
    record
        .outside_send_excluded_through
        .is_some_and(|through| at <= through)
}

fn moment(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}
