//! The plan: the decided next action for one operation at one revision.

mod missing;
mod phrase;
mod refused;
mod row;
mod sentence;
mod summary;

pub use missing::{MAX_MISSING, PERMANENT_FAILURES_BEFORE_RECONCILE, missing_outputs};
pub use row::EMPTY_READS_BEFORE_RECONCILE;
pub(super) use row::Row;
pub use sentence::sentence;

use super::accounting::flag_beside;
use super::decision::{DecisionKind, Ground};
use super::evidence::{Evidence, Jobs};
use super::guard::GuardResult;
use super::ids::{JobId, OperationId};
use super::label::{Label, label_with};
use super::operation::Operation;
use super::permission::Permission;
use super::role::Role;
use super::warning::ReplayWarning;
use chrono::{DateTime, Duration, Utc};
use row::{Step, choose};
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// What can be done next.
    pub enum Action ("action") {
        Dispatch => "dispatch",
        Observe => "observe",
        Deliver => "deliver",
        InspectAccounting => "inspect_accounting",
        Reconcile => "reconcile",
        Acknowledge => "acknowledge",
    }
}

crate::slugs! {
    /// What an action does to the outside world, shown before it is taken.
    pub enum Effect ("effect") {
        SubmitsNewGeneration => "submits_new_generation",
        ReadsStatus => "reads_status",
        CopiesExistingOutput => "copies_existing_output",
        RecordsDecision => "records_decision",
        None => "none",
    }
}

impl Action {
    /// What one needs to take it.
    pub const fn permission(self) -> Permission {
        match self {
            Self::Dispatch => Permission::Dispatch,
            Self::Observe | Self::Deliver | Self::InspectAccounting => Permission::Recover,
            Self::Reconcile | Self::Acknowledge => Permission::Decide,
        }
    }

    /// The least role that may take it.
    pub const fn role(self) -> Role {
        self.permission().least()
    }
}

impl Effect {
    /// A plan whose effect is `records_decision` or `none` never makes a recovery.
    pub const fn makes_recovery(self) -> bool {
        match self {
            Self::SubmitsNewGeneration | Self::ReadsStatus | Self::CopiesExistingOutput => true,
            Self::RecordsDecision | Self::None => false,
        }
    }
}

/// Permitted beside the plan: always `observe` of a known id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Alternative {
    pub action: Action,
    pub job_id: JobId,
}

/// Why an action is not the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Refused {
    pub action: Action,
    pub why: String,
}

/// The decided next action. The page, the API and the executor read this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Plan {
    pub operation_id: OperationId,
    pub revision: i64,
    pub action: Action,
    pub effect: Effect,
    pub label: Label,
    pub refund_unresolved: bool,
    /// One or two plain sentences: what it does, what is known.
    pub summary: String,
    /// The least role.
    pub role: Role,
    /// No guard blocks this caller. `false` until guards ran.
    pub allowed: bool,
    pub guards: Vec<GuardResult>,
    pub alternatives: Vec<Alternative>,
    pub refused: Vec<Refused>,
    /// Which row of the decision table (1 to 20); 0 for a read that is permitted beside it ([`observe_plan`]).
    pub row: u8,
    /// The id that the action reads, where it reads one.
    pub job_id: Option<JobId>,
    /// The indexes that `deliver` copies; empty otherwise.
    pub outputs: Vec<u32>,
    /// Decisions that a person may record here, by name.
    pub decisions: Vec<DecisionKind>,
    /// What to know before a recovery; refuses nothing. Empty until somebody has looked at the queue.
    #[serde(default)]
    pub warnings: Vec<ReplayWarning>,
    pub planned_at: DateTime<Utc>,
}

impl Plan {
    /// A read beside the table: permitted while its id is known, whatever the plan is.
    pub const fn is_alternative(&self) -> bool {
        self.row == Row::Alternative.number()
    }
}

/// Decides the next action of an operation: the one function that the page, the API and the executor call (DESIGN 3).
///
/// Total, and without guards: [`Plan::guarded`] adds them. `now` only dates the plan and measures how old an attempt is.
pub fn decide(record: &Operation, evidence: &Evidence, now: DateTime<Utc>) -> Plan {
    let jobs = evidence.jobs(record);
    let table = choose(record, &jobs);
    assemble(record, evidence, jobs, table.clone(), &table, now)
}

/// The plan of a read that is permitted beside the table: of any job id ever known, also when delivered or closed.
/// `None` when the id is not known to the operation.
pub fn observe_plan(
    record: &Operation,
    evidence: &Evidence,
    job_id: &JobId,
    now: DateTime<Utc>,
) -> Option<Plan> {
    let jobs = evidence.jobs(record);
    jobs.known.contains(job_id).then(|| {
        let table = choose(record, &jobs);
        assemble(
            record,
            evidence,
            jobs,
            Step::read(Row::Alternative, job_id.clone()),
            &table,
            now,
        )
    })
}

/// What a list shows of a plan, without its sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glance {
    pub action: Action,
    pub effect: Effect,
    pub label: Label,
    pub refund_unresolved: bool,
    /// As in [`Plan::row`].
    pub row: u8,
}

/// The same decision as [`decide`], for lists: it builds no sentence.
pub fn glance(record: &Operation, evidence: &Evidence) -> Glance {
    let jobs = evidence.jobs(record);
    let step = choose(record, &jobs);
    let label = label_with(record, &jobs);
    Glance {
        action: step.action,
        effect: step.effect,
        label,
        refund_unresolved: flag_beside(record, label),
        row: step.row.number(),
    }
}

/// Whether two plans ask for the same thing. A revision or an explanation may differ.
pub fn same_plan(a: &Plan, b: &Plan) -> bool {
    a.action == b.action && a.effect == b.effect && a.job_id == b.job_id && a.outputs == b.outputs
}

fn assemble(
    record: &Operation,
    evidence: &Evidence,
    jobs: Jobs,
    step: Step,
    table: &Step,
    now: DateTime<Utc>,
) -> Plan {
    let label = label_with(record, &jobs);
    // The age of the last attempt and competing messages need the configuration and the queue: guards and storage
    // check them again, so here a decision is offered as soon as the record allows it.
    let ground = Ground {
        record,
        evidence,
        jobs: &jobs,
        row: table.row.number(),
        now,
        lease_and_timeout: Duration::zero(),
        competing_blocks: false,
    };
    let decisions = DecisionKind::ALL
        .iter()
        .copied()
        .filter(|kind| ground.allows(*kind).is_ok() && ground.offers(*kind))
        .collect();
    Plan {
        operation_id: record.id.clone(),
        revision: record.revision,
        action: step.action,
        effect: step.effect,
        label,
        refund_unresolved: flag_beside(record, label),
        summary: summary::summary(record, evidence, &jobs, &step),
        role: step.action.role(),
        allowed: false,
        guards: Vec::new(),
        refused: refused::refused(record, &step, table, &jobs.known),
        alternatives: jobs
            .known
            .into_iter()
            .map(|job_id| Alternative {
                action: Action::Observe,
                job_id,
            })
            .collect(),
        row: step.row.number(),
        job_id: step.job_id,
        outputs: step.outputs,
        decisions,
        warnings: Vec::new(),
        planned_at: now,
    }
}
