//! The plan: the decided next action for one operation at one revision.

use super::guard::GuardResult;
use super::ids::{JobId, OperationId};
use super::label::Label;
use super::role::Role;
use chrono::{DateTime, Utc};
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
    /// Which row of the decision table (1 to 20).
    pub row: u8,
    /// The id that the action reads, where it reads one.
    pub job_id: Option<JobId>,
    /// The indexes that `deliver` copies; empty otherwise.
    pub outputs: Vec<u32>,
    /// Decisions that a person may record here, by name.
    pub decisions: Vec<super::decision::DecisionKind>,
    pub planned_at: DateTime<Utc>,
}
