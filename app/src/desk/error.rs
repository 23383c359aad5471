//! Errors have two faces: what the operator reads (here) and what the log keeps (the server's own).

use crate::domain::guard::GuardResult;
use crate::domain::plan::Plan;

crate::slugs! {
    /// Stable codes of refusals (DESIGN 7).
    pub enum Code ("code") {
        Unauthenticated => "unauthenticated",
        SignInExpired => "sign_in_expired",
        SignInRefused => "sign_in_refused",
        NameLooksAlike => "name_looks_alike",
        IssuerUnavailable => "issuer_unavailable",
        InvalidRequest => "invalid_request",
        InvalidRecord => "invalid_record",
        MissingIdempotencyKey => "missing_idempotency_key",
        BadId => "bad_id",
        BodyTooLarge => "body_too_large",
        UnsupportedMediaType => "unsupported_media_type",
        RoleRequired => "role_required",
        CrossSite => "cross_site",
        NotFound => "not_found",
        MethodNotAllowed => "method_not_allowed",
        AlreadyExists => "already_exists",
        RevisionMismatch => "revision_mismatch",
        PreconditionRequired => "precondition_required",
        PhaseRegression => "phase_regression",
        EvidenceRegression => "evidence_regression",
        TerminalPhase => "terminal_phase",
        IdempotencyConflict => "idempotency_conflict",
        PlanStale => "plan_stale",
        RecoveryActive => "recovery_active",
        UseDecision => "use_decision",
        ConfirmMismatch => "confirm_mismatch",
        GuardBlocked => "guard_blocked",
        NotAllowedHere => "not_allowed_here",
        JobNotConfirmed => "job_not_confirmed",
        JobHeldElsewhere => "job_held_elsewhere",
        RecordExists => "record_exists",
        RecordRequired => "record_required",
        SlowDown => "slow_down",
        Unavailable => "unavailable",
        Internal => "internal",
    }
}

impl Code {
    /// The HTTP status.
    pub const fn status(self) -> u16 {
        match self {
            Self::InvalidRequest | Self::MissingIdempotencyKey | Self::BadId => 400,
            Self::Unauthenticated => 401,
            Self::RoleRequired
            | Self::CrossSite
            | Self::SignInExpired
            | Self::SignInRefused
            | Self::NameLooksAlike => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::PlanStale | Self::RecoveryActive | Self::RecordExists | Self::RecordRequired => 409,
            Self::AlreadyExists | Self::RevisionMismatch => 412,
            Self::BodyTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::InvalidRecord
            | Self::PhaseRegression
            | Self::EvidenceRegression
            | Self::TerminalPhase
            | Self::IdempotencyConflict
            | Self::UseDecision
            | Self::ConfirmMismatch
            | Self::GuardBlocked
            | Self::NotAllowedHere
            | Self::JobNotConfirmed
            | Self::JobHeldElsewhere => 422,
            Self::PreconditionRequired => 428,
            Self::SlowDown => 429,
            Self::Internal => 500,
            Self::Unavailable | Self::IssuerUnavailable => 503,
        }
    }
}

/// A refusal as the operator reads it. It has no inner error and no `Display`, so nothing inner can leak.
#[derive(Debug, Clone, PartialEq)]
pub struct DeskError {
    pub code: Code,
    /// One or two plain sentences.
    pub detail: String,
    /// With `plan_stale`: the plan that holds now.
    pub plan: Option<Box<Plan>>,
    /// With `guard_blocked`: all guards.
    pub guards: Vec<GuardResult>,
}

impl DeskError {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            plan: None,
            guards: Vec::new(),
        }
    }

    pub fn with_plan(mut self, plan: Plan) -> Self {
        self.plan = Some(Box::new(plan));
        self
    }

    pub fn with_guards(mut self, guards: Vec<GuardResult>) -> Self {
        self.guards = guards;
        self
    }
}
