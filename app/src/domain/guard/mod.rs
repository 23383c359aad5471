//! Guards: named preconditions with a verdict and a sentence of evidence (DESIGN 3). Only `block` refuses.

mod always;
mod creation;
mod outside;
mod read;
mod rival;

pub use rival::{Kinship, Rival, rival};

use super::decision::DecisionKind;
use super::evidence::Evidence;
use super::ids::{OperationId, RecoveryId};
use super::operation::Operation;
use super::plan::{Effect, Plan};
use super::role::Caller;
use chrono::{DateTime, Duration, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// The guards by name.
    pub enum GuardName ("guard") {
        RecordCurrent => "record_current",
        NoActiveRecovery => "no_active_recovery",
        OperatorPermitted => "operator_permitted",
        MessageNotSuperseded => "message_not_superseded",
        JobKnown => "job_known",
        ProviderPinned => "provider_pinned",
        CredentialsAccepted => "credentials_accepted",
        ConfirmedNotSent => "confirmed_not_sent",
        NoEarlierOpenAttempt => "no_earlier_open_attempt",
        NoCompetingJob => "no_competing_job",
        SpecificationCurrent => "specification_current",
        ModelAvailable => "model_available",
        OwnerAuthorized => "owner_authorized",
        BudgetSufficient => "budget_sufficient",
        FactsFresh => "facts_fresh",
        CreationNotPaused => "creation_not_paused",
        ParentSettled => "parent_settled",
        /// Listed only when it blocks: a worker without a queue list would take and bury our jobs (DESIGN 5).
        QueueExclusive => "queue_exclusive",
        /// Listed only when it blocks: an operation prepared in its stead may be sent, or was (one spends once).
        NoRivalOperation => "no_rival_operation",
    }
}

crate::slugs! {
    /// What a guard says.
    pub enum Verdict ("verdict") {
        Pass => "pass",
        Warn => "warn",
        Block => "block",
    }
}

/// One guard's answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GuardResult {
    pub guard: GuardName,
    pub verdict: Verdict,
    /// A sentence of evidence.
    pub detail: String,
}

/// What the configuration says of the operation's provider now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderFacts {
    /// No provider of that name is configured.
    Missing,
    Configured {
        fingerprint: String,
        creation_paused: Option<String>,
    },
}

/// Owner facts, as the application reported them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OwnerFacts {
    pub id: String,
    pub authorized: bool,
    #[schema(value_type = String)]
    pub remaining_credits: Decimal,
    pub as_of: DateTime<Utc>,
}

/// Specification facts, as the application reported them. The body is write-only and not here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SpecificationFacts {
    pub id: String,
    pub current_revision: i64,
    pub model: Option<String>,
    pub model_available: bool,
    pub active: bool,
    #[schema(value_type = String)]
    pub estimated_credits: Decimal,
    pub has_body: bool,
    pub as_of: DateTime<Utc>,
}

/// A queued or processing job of anybody else's that names the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompetingJob {
    pub id: String,
    pub job_name: String,
    pub status: String,
}

/// The parent's standing, of a child operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentFacts {
    pub id: OperationId,
    /// The parent is still in a state that allowed the child (see `prepare_new_operation`).
    pub still_allows: bool,
}

/// What guards need beside record and evidence. Gathered in the same transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardFacts {
    pub caller: Caller,
    /// The revision that the caller saw; `None` when planning.
    pub seen_revision: Option<i64>,
    pub provider: ProviderFacts,
    /// Another active recovery of this operation (an executor's own is left out).
    pub active_recovery: Option<RecoveryId>,
    /// The dead letter that led here.
    pub dead_letter: Option<super::ids::DeadLetterId>,
    pub owner: Option<OwnerFacts>,
    pub specification: Option<SpecificationFacts>,
    /// Credits reserved for the owner by other recoveries.
    pub reserved_elsewhere: Decimal,
    pub competing_jobs: Vec<CompetingJob>,
    pub parent: Option<ParentFacts>,
    /// An operation prepared in the stead of this one, or of its parent, that holds its creation back.
    pub rival: Option<Rival>,
    pub facts_max_age: Duration,
    /// A live Soniq worker without a queue list would take and bury our jobs: its name.
    /// `None` where the action is handed to the application's own workers.
    pub greedy_worker: Option<String>,
}

impl GuardResult {
    fn pass(guard: GuardName, detail: impl Into<String>) -> Self {
        Self {
            guard,
            verdict: Verdict::Pass,
            detail: detail.into(),
        }
    }

    fn warn(guard: GuardName, detail: impl Into<String>) -> Self {
        Self {
            guard,
            verdict: Verdict::Warn,
            detail: detail.into(),
        }
    }

    fn block(guard: GuardName, detail: impl Into<String>) -> Self {
        Self {
            guard,
            verdict: Verdict::Block,
            detail: detail.into(),
        }
    }
}

/// What every guard looks at.
struct Bench<'a> {
    plan: &'a Plan,
    record: &'a Operation,
    evidence: &'a Evidence,
    facts: &'a GuardFacts,
    now: DateTime<Utc>,
}

impl Plan {
    /// Runs the guards that apply to this plan, each once, in the design's order, and says whether this caller may go on.
    ///
    /// The same when planned, when confirmed and when sent; who runs it when sending leaves the recovery's own job,
    /// activity, reservation and revision out of `facts`.
    pub fn guarded(
        mut self,
        record: &Operation,
        evidence: &Evidence,
        facts: &GuardFacts,
        now: DateTime<Utc>,
    ) -> Plan {
        let bench = Bench {
            plan: &self,
            record,
            evidence,
            facts,
            now,
        };
        let mut guards = always::guards(&bench);
        match self.effect {
            Effect::SubmitsNewGeneration => {
                guards.extend(creation::guards(&bench));
                guards.extend(rival::no_rival_operation(&bench));
            }
            Effect::ReadsStatus | Effect::CopiesExistingOutput => guards.extend(read::guards(&bench)),
            Effect::RecordsDecision | Effect::None => {}
        }
        if self.effect.makes_recovery() {
            guards.extend(queue_exclusive(facts));
        }
        let blocks = |name: GuardName| {
            guards
                .iter()
                .any(|result| result.guard == name && result.verdict == Verdict::Block)
        };
        let excludable =
            blocks(GuardName::NoCompetingJob) && !self.decisions.contains(&DecisionKind::OutsideSendExcluded);
        self.allowed = guards.iter().all(|result| result.verdict != Verdict::Block);
        self.guards = guards;
        if excludable {
            self.decisions.push(DecisionKind::OutsideSendExcluded);
            self.decisions.sort_unstable();
        }
        self
    }
}

fn queue_exclusive(facts: &GuardFacts) -> Option<GuardResult> {
    let worker = facts.greedy_worker.as_ref()?;
    Some(GuardResult::block(
        GuardName::QueueExclusive,
        format!(
            "Worker {worker} takes every queue, or ours by name, and would bury our job: start it with a list of its own \
             queues."
        ),
    ))
}
