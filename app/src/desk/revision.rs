//! Revisions: the record as it stood, and what differs, field by field.

use super::Answer;
use super::view::Event;
use crate::domain::ids::{JobId, OperationId};
use crate::domain::indexes::{grouped, ranges};
use crate::domain::operation::Operation;
use crate::domain::remote::OutputCopy;
use async_trait::async_trait;
use chrono::{DateTime, SecondsFormat, Utc};
use rust_decimal::Decimal;

/// The most revisions that the history lists.
pub const MAX_REVISIONS: u32 = 100;

/// One operation as it stood at a revision, beside how it stands now.
#[derive(Debug, Clone, PartialEq)]
pub struct RevisionView {
    pub operation: OperationId,
    /// The revision that was asked for.
    pub revision: i64,
    /// The record then and when it was written; `None` when it is not kept.
    pub then: Option<(Operation, DateTime<Utc>)>,
    pub now: Operation,
    /// What is told up to that revision, oldest first.
    pub timeline: Vec<Event>,
    /// Every kept revision with its time, newest first, at most [`MAX_REVISIONS`].
    pub kept: Vec<(i64, DateTime<Utc>)>,
}

/// One field of the record at two revisions, in words; absent values are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldLine {
    pub field: &'static str,
    pub then: String,
    pub now: String,
}

impl FieldLine {
    pub fn differs(&self) -> bool {
        self.then != self.now
    }
}

/// What may be asked about revisions (viewer).
#[async_trait]
pub trait Revisions: Send + Sync {
    /// The record at a revision beside the record now.
    ///
    /// # Errors
    /// `not_found` without such an operation, or when the revision has never been.
    async fn revision(&self, operation: &OperationId, revision: i64) -> Answer<RevisionView>;
}

/// Every field of both records, in the order in which a reader asks for them.
pub fn compare(then: &Operation, now: &Operation) -> Vec<FieldLine> {
    let pairs = fields(then).into_iter().zip(fields(now));
    pairs
        .map(|((field, then), (_, now))| FieldLine { field, then, now })
        .collect()
}

fn time(at: Option<DateTime<Utc>>) -> String {
    at.map_or_else(String::new, |at| at.to_rfc3339_opts(SecondsFormat::Secs, true))
}

fn text(of: Option<impl ToString>) -> String {
    of.map_or_else(String::new, |value| value.to_string())
}

fn amount(of: Option<Decimal>) -> String {
    of.map_or_else(String::new, |value| value.normalize().to_string())
}

fn jobs(ids: &[JobId]) -> String {
    let ids: Vec<&str> = ids.iter().map(JobId::as_str).collect();
    ids.join(", ")
}

fn copy(one: &OutputCopy) -> (u32, String) {
    let state = match one.category {
        Some(category) => format!("{} ({category})", one.state),
        None => one.state.to_string(),
    };
    (one.index, state)
}

/// `0 to 18 delivered; 19 failed (not_found)`.
fn by_index(all: impl Iterator<Item = (u32, String)>) -> String {
    joined(
        grouped(all)
            .into_iter()
            .map(|(indexes, words)| format!("{} {words}", ranges(&indexes)).trim_end().to_owned()),
    )
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join("; ")
}

/// Every field with its value in words. Both records of a comparison answer with the same fields in the same order.
fn fields(record: &Operation) -> Vec<(&'static str, String)> {
    let remote = &record.remote;
    let listed = remote.outputs.as_ref().map(|list| match list.len() {
        0 => "none".to_owned(),
        _ => by_index(
            list.iter()
                .map(|output| (output.index, text(output.content_type.as_ref()))),
        ),
    });
    let specification = format!("{} r{}", record.specification.id, record.specification.revision);
    let error = record.error.as_ref();
    let proof = record.dispatch_proof.as_ref();
    vec![
        ("phase", record.phase.to_string()),
        ("dispatch evidence", record.dispatch.to_string()),
        ("not sent since", time(record.not_sent_since)),
        (
            "dispatch proof",
            proof.map_or_else(String::new, |proof| {
                format!("message {}, {} attempts", proof.message_id, proof.attempts)
            }),
        ),
        ("job", text(record.job_id.as_ref())),
        ("last fetch", text(remote.fetch)),
        ("execution", text(remote.execution)),
        ("reason", text(remote.reason)),
        ("raw status", text(remote.raw_status.as_ref())),
        ("contradiction", text(remote.contradiction)),
        ("outputs listed", text(listed)),
        ("outputs expected", text(remote.outputs_expected)),
        ("empty observations", remote.empty_observations.to_string()),
        ("source of the observation", text(remote.source)),
        ("observed", time(remote.observed_at)),
        ("charge", record.charge.state.to_string()),
        ("credits reserved", amount(record.charge.reserved)),
        ("credits charged", amount(record.charge.charged)),
        ("credits refunded", amount(record.charge.refunded)),
        ("our copies", by_index(record.outputs.iter().map(copy))),
        (
            "outputs declared lost",
            match record.lost_outputs.as_slice() {
                [] => String::new(),
                some => ranges(some),
            },
        ),
        (
            "other jobs",
            joined(record.other_jobs.iter().map(|other| {
                let execution = other.job.remote.execution;
                match execution {
                    Some(execution) => format!("{} {execution}", other.job_id),
                    None => format!("{} never read", other.job_id),
                }
            })),
        ),
        ("settled jobs", jobs(&record.settled_jobs)),
        ("adopted jobs", jobs(&record.adopted_jobs)),
        ("error", text(error.map(|error| error.category))),
        (
            "error detail",
            text(error.and_then(|error| error.detail.as_ref())),
        ),
        (
            "closed",
            record.closure.as_ref().map_or_else(String::new, |closure| {
                format!("{} by {}: {}", closure.decision, closure.by, closure.reason)
            }),
        ),
        (
            "money decisions",
            joined(record.accounting.iter().map(|one| match one.amount {
                Some(amount) => format!("{} {} by {}", one.decision, amount.normalize(), one.by),
                None => format!("{} by {}", one.decision, one.by),
            })),
        ),
        (
            "outside sends excluded through",
            time(record.outside_send_excluded_through),
        ),
        ("provider", record.provider.clone()),
        ("account", record.account.clone()),
        ("fingerprint", text(record.fingerprint.as_ref())),
        ("owner", record.owner.clone()),
        ("specification", specification),
        ("model", text(record.model.as_ref())),
        ("parent", text(record.parent.as_ref())),
        ("last changed", time(Some(record.updated_at))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::operation::{Dispatch, Phase, SpecificationRef};
    use crate::domain::remote::{Execution, Output};

    fn record() -> Operation {
        let now = DateTime::UNIX_EPOCH;
        let specification = SpecificationRef {
            id: "spec".to_owned(),
            revision: 3,
        };
        Operation::new(OperationId::from("op"), "genace", "studio", specification, now)
    }

    fn changed(then: &Operation, now: &Operation) -> Vec<&'static str> {
        let lines = compare(then, now).into_iter().filter(FieldLine::differs);
        lines.map(|line| line.field).collect()
    }

    #[test]
    fn the_same_record_differs_nowhere() {
        assert_eq!(changed(&record(), &record()), Vec::<&str>::new());
    }

    #[test]
    fn what_differs_is_named_field_by_field() {
        let mut later = record();
        later.phase = Phase::Succeeded;
        later.dispatch = Dispatch::Sent;
        later.job_id = Some(JobId::from("gj_1"));
        later.remote.execution = Some(Execution::Succeeded);
        later.remote.outputs = Some(vec![Output {
            index: 0,
            content_type: Some("video/mp4".to_owned()),
        }]);
        assert_eq!(
            changed(&record(), &later),
            ["phase", "dispatch evidence", "job", "execution", "outputs listed"]
        );
        let none = Operation {
            remote: crate::domain::remote::Remote {
                outputs: Some(Vec::new()),
                ..record().remote
            },
            ..record()
        };
        assert_eq!(
            changed(&record(), &none),
            ["outputs listed"],
            "not stated is not the same as none"
        );
    }

    /// A field that is added to the record must be added here: nothing of it goes unseen.
    #[test]
    fn every_field_of_the_record_is_compared() {
        let value = serde_json::to_value(record()).expect("json");
        let own = value.as_object().expect("an object").len();
        // id and revision head the page; created_at never changes; remote has 11 fields, of which read_at is the
        // bookkeeping of source and observed_at; charge has 4; specification 1 line; error 2.
        assert_eq!(own, 27);
        assert_eq!(fields(&record()).len(), 27 - 3 - 3 + 10 + 4 + 2);
    }
}
