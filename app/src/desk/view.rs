//! What readers see: the API's shapes, which the pages read too. Texts and args are redacted already.

use super::claim::ClaimView;
use super::lineage::Lineage;
use super::note::NoteView;
use crate::domain::attempt::Attempt;
use crate::domain::dead_letter::Disposition;
use crate::domain::decision::{Closure, DecisionKind};
use crate::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId};
use crate::domain::label::Label;
use crate::domain::money::Charge;
use crate::domain::operation::{Dispatch, ErrorCategory, OperationError, Phase, SpecificationRef};
use crate::domain::plan::{Action, Effect, Plan};
use crate::domain::recovery::Recovery;
use crate::domain::remote::{Execution, Fetch, OtherJob, OutputCopy, Remote};
use crate::domain::warning::ReplayWarning;
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A page of a list, and how to get the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PageOf<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
}

/// The head of every page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    pub recoveries_running: i64,
    /// Operations whose money is not settled, and the credits charged for them as far as known.
    pub money_unresolved: i64,
    pub credits_unresolved: Decimal,
    /// Creation requests without a known outcome.
    pub attempts_possibly_billed: i64,
    /// A sentence while the demo's history still fills.
    pub filling: Option<String>,
}

/// Counting stops here where no index can count alone: under a filter other than label and queue.
pub const COUNT_CAP: i64 = 10_000;

/// One label's live count.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LabelCount {
    pub label: Label,
    pub count: i64,
}

/// The desk's rail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Summary {
    /// All dead letters under the filter.
    pub total: i64,
    /// Counting stopped at [`COUNT_CAP`]: the newest were counted, and every count here is a least one.
    pub capped: bool,
    /// Every label once, in the rail's order.
    pub labels: Vec<LabelCount>,
    pub queues: Vec<(String, i64)>,
    /// Where a label and a queue meet, counts above zero.
    pub both: Vec<(Label, String, i64)>,
    /// Whether anything has ever died here: the difference between two empty states.
    pub ever_died: bool,
}

/// A dead letter (DESIGN 7, "a dead letter").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DeadLetterView {
    pub id: DeadLetterId,
    pub job_name: String,
    pub queue: String,
    pub priority: i64,
    pub reason: String,
    pub attempts: i64,
    pub max_attempts: i64,
    pub action: Option<Action>,
    pub operation_id: Option<OperationId>,
    /// The provider's.
    pub job_id: Option<JobId>,
    pub error_category: Option<ErrorCategory>,
    pub error_text: Option<String>,
    pub args: serde_json::Value,
    /// Values of `args` that redaction hid.
    pub hidden_values: u32,
    pub tags: serde_json::Value,
    pub resurrection_count: i64,
    /// Replays recorded by us.
    pub replays: i64,
    pub last_resurrection_at: Option<DateTime<Utc>>,
    pub original_created_at: DateTime<Utc>,
    pub moved_to_dead_letter_at: DateTime<Utc>,
    pub disposition: Disposition,
    pub phase: Option<Phase>,
    pub dispatch: Option<Dispatch>,
    pub remote_execution: Option<Execution>,
    pub remote_fetch: Option<Fetch>,
    pub remote_raw_status: Option<String>,
    pub remote_observed_at: Option<DateTime<Utc>>,
    pub label: Label,
    pub refund_unresolved: bool,
    pub next_action: Option<Action>,
    pub effect: Option<Effect>,
    /// Where its replays led; `null` in lists.
    pub lineage: Option<Lineage>,
    /// What to know before a replay; `null` in lists.
    pub warnings: Option<Vec<ReplayWarning>>,
}

/// A row of the desk. An impossible row is shown in its place and never breaks the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum DeadLetterRow {
    Readable(Box<DeadLetterView>),
    Unreadable(Inconsistency),
}

/// A row that cannot be what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Inconsistency {
    pub table: String,
    pub column: String,
    pub id: String,
}

/// One dead letter that was asked for by its id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum LetterFound {
    Readable(Box<DeadLetterView>),
    Unreadable(UnreadableLetter),
}

/// A dead letter that cannot be what it says, with everything of it that can be read all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UnreadableLetter {
    /// Always `inconsistent`.
    pub code: String,
    /// One sentence; made for people.
    pub detail: String,
    #[serde(flatten)]
    pub what: Inconsistency,
    /// Columns by name, as they stand; texts and args redacted.
    pub readable: BTreeMap<String, String>,
}

impl UnreadableLetter {
    /// The only value of `code`.
    pub const CODE: &'static str = "inconsistent";

    pub fn new(what: Inconsistency, readable: BTreeMap<String, String>) -> Self {
        Self {
            code: Self::CODE.to_owned(),
            detail: format!(
                "This dead letter cannot be read: its {} in {} is impossible.",
                what.column, what.table
            ),
            what,
            readable,
        }
    }
}

/// The remote axes as the API shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RemoteView {
    pub job_id: Option<JobId>,
    #[serde(flatten)]
    pub axes: Remote,
    pub other_jobs: Vec<OtherJobView>,
}

/// A job id of the operation that is not the attached one, with its own axes, charge and copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OtherJobView {
    pub job_id: JobId,
    #[serde(flatten)]
    pub axes: Remote,
    pub charge: Charge,
    pub copies: Vec<OutputCopy>,
}

impl From<OtherJob> for OtherJobView {
    fn from(other: OtherJob) -> Self {
        Self {
            job_id: other.job_id,
            axes: other.job.remote,
            charge: other.job.charge,
            copies: other.job.outputs,
        }
    }
}

/// A recorded decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DecisionView {
    pub at: DateTime<Utc>,
    pub by: String,
    pub role: String,
    pub decision: DecisionKind,
    pub reason: String,
    /// What it named: `job_id`, `id`, `indexes`, `amount` ….
    pub detail: serde_json::Value,
    pub revision: i64,
}

crate::slugs! {
    /// What an event on the operation's timeline is.
    pub enum EventKind ("event") {
        Report => "report",
        Attempt => "attempt",
        Receipt => "receipt",
        Observation => "observation",
        Delivery => "delivery",
        Decision => "decision",
        DeadLetter => "dead_letter",
        Recovery => "recovery",
        Money => "money",
    }
}

crate::slugs! {
    /// Which lane an event belongs to; `neither` stands on the timeline only.
    pub enum Lane ("lane") {
        OurSide => "our_side",
        Remote => "remote",
        Neither => "neither",
    }
}

/// One event of an operation's life: what changed, in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Event {
    pub at: DateTime<Utc>,
    pub kind: EventKind,
    pub lane: Lane,
    /// Two or three words: `accepted`, `succeeded`, `2 of 4 copied`.
    pub title: String,
    /// One line of evidence.
    pub detail: String,
    /// `we asked`, `reported`, `worker`, a person's name.
    pub source: String,
    /// Money, where it says any: `12 charged`.
    pub money: Option<String>,
    /// The phase that resulted, where the event moved it.
    pub phase: Option<Phase>,
    /// The execution that was seen, where one was.
    pub execution: Option<Execution>,
    pub revision: i64,
}

/// An operation (DESIGN 7, `GET /operations/{id}`), with the timeline that the page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OperationView {
    pub id: OperationId,
    pub revision: i64,
    pub phase: Phase,
    pub dispatch: Dispatch,
    pub provider: String,
    pub account: String,
    pub owner: String,
    pub specification: SpecificationRef,
    /// The specification's current revision, where known.
    pub specification_current: Option<i64>,
    pub model: Option<String>,
    /// What a new generation at the current specification is estimated to cost, where facts say so.
    #[schema(value_type = Option<String>)]
    #[serde(default, with = "crate::domain::money::amount")]
    pub estimated_credits: Option<Decimal>,
    pub remote: RemoteView,
    pub charge: Charge,
    pub outputs: Vec<OutputCopy>,
    pub lost_outputs: Vec<u32>,
    pub error: Option<OperationError>,
    pub parent: Option<OperationId>,
    pub children: Vec<OperationId>,
    pub closure: Option<Closure>,
    pub label: Label,
    pub refund_unresolved: bool,
    /// What is known, and what is not: plain sentences ([`crate::domain::plan::sentence`]).
    pub known: String,
    pub not_known: String,
    pub plan: Plan,
    pub dead_letters: Vec<DeadLetterView>,
    pub recoveries: Vec<Recovery>,
    #[schema(value_type = Vec<Object>)]
    pub attempts: Vec<Attempt>,
    pub decisions: Vec<DecisionView>,
    /// Oldest first.
    pub timeline: Vec<Event>,
    /// What people wrote about it, oldest first.
    #[serde(default)]
    pub notes: Vec<NoteView>,
    /// Who is looking at it.
    #[serde(default)]
    pub claim: Option<ClaimView>,
    /// When its provider does not answer at present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circuit: Option<Circuit>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A row of the operations list. An impossible row is shown in its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum OperationRow {
    Readable(Box<OperationSummary>),
    Unreadable(Inconsistency),
}

/// An operation in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OperationSummary {
    pub id: OperationId,
    pub revision: i64,
    pub phase: Phase,
    pub dispatch: Dispatch,
    pub provider: String,
    pub account: String,
    pub owner: String,
    pub model: Option<String>,
    pub job_id: Option<JobId>,
    pub remote_execution: Option<Execution>,
    pub remote_fetch: Option<Fetch>,
    pub remote_observed_at: Option<DateTime<Utc>>,
    pub label: Label,
    pub refund_unresolved: bool,
    pub next_action: Action,
    pub effect: Effect,
    pub error_category: Option<ErrorCategory>,
    /// Dead letters that name it and are not purged.
    pub dead_letters: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// What the provider's search found. Never attached by us.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Candidates {
    /// The provider has a search, and it answered.
    pub searched: bool,
    pub job_ids: Vec<JobId>,
    pub detail: String,
}

/// A provider whose reads go unanswered: what is only repeated waits, what a person orders does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Circuit {
    pub provider: String,
    pub account: String,
    /// Unanswered reads in a row.
    pub unanswered: i64,
    /// How the last one went.
    pub fetch: Fetch,
    /// On the database's clock; in the past: the next read decides.
    pub waits_until: DateTime<Utc>,
    pub since: DateTime<Utc>,
}

/// A queue job that a replay made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Replayed {
    pub job_id: QueueJobId,
}
