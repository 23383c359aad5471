//! What a person records when no machine can know (DESIGN 4, "Decisions a person can record").

mod allowed;

pub(super) use allowed::Ground;
pub use allowed::{allowed, allows_child};

use super::ids::{DeadLetterId, JobId, OperationId};
use super::permission::Permission;
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// The decisions by name.
    pub enum DecisionKind ("decision") {
        AttachJob => "attach_job",
        ChooseJob => "choose_job",
        AdoptAsOperation => "adopt_as_operation",
        ConfirmNotSent => "confirm_not_sent",
        OutsideSendExcluded => "outside_send_excluded",
        CloseUnresolved => "close_unresolved",
        OutputsLost => "outputs_lost",
        RefundConfirmed => "refund_confirmed",
        ChargeAccepted => "charge_accepted",
        RefundRequested => "refund_requested",
        AcknowledgeObsolete => "acknowledge_obsolete",
        PrepareNewOperation => "prepare_new_operation",
        Reopen => "reopen",
    }
}

impl DecisionKind {
    /// The least role that may record it.
    pub const fn role(self) -> super::role::Role {
        self.permission().least()
    }

    /// What one needs to record it.
    pub const fn permission(self) -> Permission {
        match self {
            Self::ConfirmNotSent | Self::OutsideSendExcluded | Self::PrepareNewOperation => {
                Permission::DecideCreation
            }
            Self::AttachJob
            | Self::ChooseJob
            | Self::AdoptAsOperation
            | Self::CloseUnresolved
            | Self::OutputsLost
            | Self::RefundConfirmed
            | Self::ChargeAccepted
            | Self::RefundRequested
            | Self::AcknowledgeObsolete
            | Self::Reopen => Permission::Decide,
        }
    }
}

/// A decision with what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    AttachJob {
        job_id: JobId,
    },
    ChooseJob {
        job_id: JobId,
    },
    AdoptAsOperation {
        job_id: JobId,
        id: OperationId,
    },
    ConfirmNotSent {
        evidence: String,
    },
    OutsideSendExcluded {
        evidence: String,
        through: DateTime<Utc>,
    },
    CloseUnresolved,
    OutputsLost {
        indexes: Vec<u32>,
    },
    RefundConfirmed {
        reference: String,
        #[schema(value_type = String)]
        amount: Decimal,
    },
    ChargeAccepted,
    RefundRequested,
    AcknowledgeObsolete {
        dead_letter_id: Option<DeadLetterId>,
    },
    PrepareNewOperation {
        id: OperationId,
    },
    Reopen,
}

impl Decision {
    /// The decision's name.
    pub const fn kind(&self) -> DecisionKind {
        match self {
            Self::AttachJob { .. } => DecisionKind::AttachJob,
            Self::ChooseJob { .. } => DecisionKind::ChooseJob,
            Self::AdoptAsOperation { .. } => DecisionKind::AdoptAsOperation,
            Self::ConfirmNotSent { .. } => DecisionKind::ConfirmNotSent,
            Self::OutsideSendExcluded { .. } => DecisionKind::OutsideSendExcluded,
            Self::CloseUnresolved => DecisionKind::CloseUnresolved,
            Self::OutputsLost { .. } => DecisionKind::OutputsLost,
            Self::RefundConfirmed { .. } => DecisionKind::RefundConfirmed,
            Self::ChargeAccepted => DecisionKind::ChargeAccepted,
            Self::RefundRequested => DecisionKind::RefundRequested,
            Self::AcknowledgeObsolete { .. } => DecisionKind::AcknowledgeObsolete,
            Self::PrepareNewOperation { .. } => DecisionKind::PrepareNewOperation,
            Self::Reopen => DecisionKind::Reopen,
        }
    }
}

/// A closing decision that still stands. New evidence or a differing observation removes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Closure {
    /// `close_unresolved` or `outputs_lost`.
    pub decision: DecisionKind,
    pub by: String,
    pub at: DateTime<Utc>,
    pub reason: String,
}

/// One money decision. It speaks of the job that was attached when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Accounting {
    /// `refund_confirmed`, `charge_accepted` or `refund_requested`.
    pub decision: DecisionKind,
    pub job_id: Option<JobId>,
    pub reference: Option<String>,
    #[schema(value_type = Option<String>)]
    #[serde(default, with = "super::money::amount")]
    pub amount: Option<Decimal>,
    pub by: String,
    pub at: DateTime<Utc>,
}
