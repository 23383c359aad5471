//! Five operations, each with its story.

use super::{dead_letters, guard, pass, plan, recoveries};
use crate::desk::view::{Event, EventKind, Lane, OperationView, RemoteView};
use crate::domain::decision::DecisionKind;
use crate::domain::guard::{GuardName, Verdict};
use crate::domain::ids::{JobId, OperationId};
use crate::domain::label::Label;
use crate::domain::money::{Charge, ChargeState};
use crate::domain::operation::{Dispatch, ErrorCategory, Phase, SpecificationRef};
use crate::domain::plan::{Action, Effect, Plan};
use crate::domain::remote::{
    CopyState, Execution, Fetch, OtherJob, Output, OutputCopy, Remote, RemoteJob, Source,
};
use crate::domain::role::Role;
use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;

fn event(at: DateTime<Utc>, kind: EventKind, lane: Lane, title: &str, detail: &str) -> Event {
    Event {
        at,
        kind,
        lane,
        title: title.to_owned(),
        detail: detail.to_owned(),
        source: "we asked".to_owned(),
        money: None,
        phase: title.parse().ok().filter(|_| lane == Lane::OurSide),
        execution: title.parse().ok().filter(|_| lane == Lane::Remote),
        revision: 7,
    }
}

/// A finished render of which two of four outputs are ours.
pub fn half_delivered(now: DateTime<Utc>) -> OperationView {
    use EventKind::{Attempt, DeadLetter, Delivery, Observation, Receipt, Report};
    let at = |seconds: i64| now - TimeDelta::seconds(1_629) + TimeDelta::seconds(seconds);
    let timeline = vec![
        event(
            at(0),
            Report,
            Lane::OurSide,
            "prepared",
            "specification spec_210 r4, model lumen-video-2",
        ),
        event(at(2), Attempt, Lane::OurSide, "submitting", "attempt 1"),
        event(
            at(22),
            Receipt,
            Lane::OurSide,
            "accepted",
            "POST answered 502 with job id gj_48211",
        ),
        event(
            at(22),
            Receipt,
            Lane::Remote,
            "queued",
            "named by the same 502, at /error/job_id",
        ),
        event(
            at(68),
            Observation,
            Lane::Remote,
            "running",
            "GET answered 200, 12 credits reserved",
        ),
        event(
            at(228),
            Observation,
            Lane::OurSide,
            "succeeded",
            "4 outputs listed by the read; our copy begins",
        ),
        event(
            at(228),
            Observation,
            Lane::Remote,
            "succeeded",
            "GET answered 200, 4 outputs, 12 credits charged",
        ),
        event(
            at(269),
            Delivery,
            Lane::OurSide,
            "2 of 4 copied",
            "outputs 0 and 1 verified by hash",
        ),
        event(
            at(329),
            DeadLetter,
            Lane::OurSide,
            "delivery gave up",
            "output 2: storage_full, try 5 of 5; output 3 not tried",
        ),
        event(
            at(1_449),
            Observation,
            Lane::Remote,
            "unchanged",
            "succeeded, 4 outputs",
        ),
    ];
    let copy = |index, state, category| OutputCopy {
        index,
        state,
        storage_key: (state == CopyState::Delivered).then(|| format!("op_7f3a/gj_48211/{index}.mp4")),
        bytes: (state == CopyState::Delivered).then_some(48_213_904),
        sha256: (state == CopyState::Delivered).then(|| "9c1f0422aa7e2".repeat(5)),
        category,
        permanent_failures: 0,
    };
    let kinds = ["video/mp4", "video/mp4", "video/mp4", "image/webp"];
    let listed = kinds.iter().zip(0..).map(|(kind, index)| Output {
        index,
        content_type: Some((*kind).to_owned()),
    });
    let letters = dead_letters(now)
        .into_iter()
        .filter(|one| one.operation_id == Some(OperationId::from("op_7f3a")));
    OperationView {
        circuit: None,
        id: OperationId::from("op_7f3a"),
        revision: 7,
        phase: Phase::Succeeded,
        dispatch: Dispatch::Sent,
        provider: "genace".to_owned(),
        account: "main".to_owned(),
        owner: "studio-north".to_owned(),
        specification: SpecificationRef {
            id: "spec_210".to_owned(),
            revision: 4,
        },
        specification_current: Some(6),
        model: Some("lumen-video-2".to_owned()),
        estimated_credits: Some(Decimal::from(12)),
        remote: RemoteView {
            job_id: Some(JobId::from("gj_48211")),
            axes: Remote {
                fetch: Some(Fetch::Ok),
                execution: Some(Execution::Succeeded),
                outputs: Some(listed.collect()),
                outputs_expected: Some(4),
                observed_at: Some(now - TimeDelta::minutes(3)),
                source: Some(Source::Get),
                ..Remote::default()
            },
            other_jobs: Vec::new(),
        },
        charge: Charge {
            state: ChargeState::Charged,
            charged: Some(Decimal::from(12)),
            ..Charge::default()
        },
        outputs: vec![
            copy(0, CopyState::Delivered, None),
            copy(1, CopyState::Delivered, None),
            copy(2, CopyState::Failed, Some(ErrorCategory::StorageFull)),
        ],
        lost_outputs: Vec::new(),
        error: None,
        parent: None,
        children: Vec::new(),
        closure: None,
        label: Label::LocalDeliveryFailure,
        refund_unresolved: false,
        known: "The render is finished and paid, and two of its four outputs are already ours.".to_owned(),
        not_known: "Whether storage has room again: nobody has written to it since 13:43:31.".to_owned(),
        plan: plan(
            "op_7f3a",
            Action::Deliver,
            Effect::CopiesExistingOutput,
            Label::LocalDeliveryFailure,
            now,
        ),
        dead_letters: letters.collect(),
        recoveries: recoveries(now).into_iter().skip(1).collect(),
        attempts: Vec::new(),
        decisions: Vec::new(),
        timeline,
        notes: Vec::new(),
        claim: None,
        created_at: at(0),
        updated_at: now,
    }
}

/// The plan of the read that is always allowed.
pub fn observe_plan(view: &OperationView, job: &str) -> Plan {
    Plan {
        action: Action::Observe,
        effect: Effect::ReadsStatus,
        summary: format!("Reads the status of job {job}. Creates nothing."),
        job_id: Some(JobId::from(job)),
        outputs: Vec::new(),
        decisions: Vec::new(),
        ..view.plan.clone()
    }
}

/// Proven not to be sent: a new generation may be submitted.
pub fn not_submitted(now: DateTime<Utc>) -> OperationView {
    let base = half_delivered(now);
    let mut plan = plan(
        "op_91c2",
        Action::Dispatch,
        Effect::SubmitsNewGeneration,
        Label::NotSubmitted,
        now,
    );
    plan.job_id = None;
    plan.alternatives.clear();
    plan.row = 19;
    plan.role = Role::Approver;
    plan.summary = "Submits a new generation to genace for op_91c2. Nothing was sent before.".to_owned();
    plan.guards.extend(pass(&[
        GuardName::ConfirmedNotSent,
        GuardName::NoEarlierOpenAttempt,
        GuardName::NoCompetingJob,
        GuardName::SpecificationCurrent,
        GuardName::ModelAvailable,
        GuardName::OwnerAuthorized,
        GuardName::BudgetSufficient,
        GuardName::CreationNotPaused,
        GuardName::ParentSettled,
    ]));
    plan.guards.push(guard(
        GuardName::FactsFresh,
        Verdict::Warn,
        "Specification facts are 21 h old; they block at 24 h.",
    ));
    OperationView {
        id: OperationId::from("op_91c2"),
        phase: Phase::Prepared,
        dispatch: Dispatch::ConfirmedNotSent,
        remote: RemoteView {
            job_id: None,
            axes: Remote::default(),
            other_jobs: Vec::new(),
        },
        charge: Charge::default(),
        outputs: Vec::new(),
        label: Label::NotSubmitted,
        timeline: base.timeline.iter().take(1).cloned().collect(),
        dead_letters: dead_letters(now).into_iter().skip(1).take(1).collect(),
        recoveries: Vec::new(),
        plan,
        ..base
    }
}

/// The same, but the budget is too small.
pub fn blocked(now: DateTime<Utc>) -> OperationView {
    let mut view = not_submitted(now);
    view.plan.allowed = false;
    for guard in &mut view.plan.guards {
        if guard.guard == GuardName::BudgetSufficient {
            guard.verdict = Verdict::Block;
            guard.detail =
                "9 credits remain and 12 are needed. The owner’s system can report more.".to_owned();
        }
    }
    view
}

/// Two job ids are known, and every decision is on offer.
pub fn contested(now: DateTime<Utc>) -> OperationView {
    let base = half_delivered(now);
    let mut plan = plan(
        "op_0e5c",
        Action::Reconcile,
        Effect::RecordsDecision,
        Label::RemoteStateUnclear,
        now,
    );
    plan.summary = "Two job ids are known. A person must say which is this operation’s render.".to_owned();
    plan.row = 3;
    plan.job_id = None;
    plan.outputs.clear();
    plan.decisions = DecisionKind::ALL.to_vec();
    plan.refund_unresolved = true;
    OperationView {
        id: OperationId::from("op_0e5c"),
        phase: Phase::Accepted,
        label: Label::RemoteStateUnclear,
        refund_unresolved: true,
        remote: RemoteView {
            other_jobs: vec![
                OtherJob {
                    job_id: JobId::from("gj_48212"),
                    job: RemoteJob::default(),
                }
                .into(),
            ],
            ..base.remote.clone()
        },
        timeline: base.timeline.iter().take(5).cloned().collect(),
        plan,
        ..base
    }
}

/// The provider failed it, and nobody knows about the money.
pub fn lost(now: DateTime<Utc>) -> OperationView {
    let base = half_delivered(now);
    let mut plan = plan(
        "op_30bb",
        Action::InspectAccounting,
        Effect::ReadsStatus,
        Label::RemoteRenderFailed,
        now,
    );
    plan.summary =
        "Reads job gj_48211 for its charge. Creates nothing. Reading again rarely helps.".to_owned();
    plan.refund_unresolved = true;
    plan.outputs.clear();
    plan.row = 15;
    plan.decisions = vec![
        DecisionKind::RefundConfirmed,
        DecisionKind::ChargeAccepted,
        DecisionKind::RefundRequested,
    ];
    let mut timeline: Vec<Event> = base.timeline.iter().take(5).cloned().collect();
    let end = now - TimeDelta::minutes(12);
    timeline.push(event(
        end,
        EventKind::Observation,
        Lane::Remote,
        "failed",
        "moderation, 12 credits charged",
    ));
    timeline.push(event(
        end,
        EventKind::Observation,
        Lane::OurSide,
        "failed",
        "the provider failed it",
    ));
    let mut remote = base.remote.clone();
    remote.axes.execution = Some(Execution::Failed);
    remote.axes.reason = Some(crate::domain::remote::Reason::Moderation);
    remote.axes.outputs = None;
    remote.axes.outputs_expected = None;
    OperationView {
        id: OperationId::from("op_30bb"),
        phase: Phase::Failed,
        label: Label::RemoteRenderFailed,
        refund_unresolved: true,
        remote,
        outputs: Vec::new(),
        timeline,
        plan,
        ..base
    }
}
