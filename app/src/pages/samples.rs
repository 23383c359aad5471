//! Records for the pages' samples: small stories, the same ones on every page.

use crate::desk::view::{
    Candidates, DeadLetterRow, DeadLetterView, Event, EventKind, Inconsistency, LabelCount, Lane, OperationRow,
    OperationSummary, OperationView, Overview, RemoteView, Summary,
};
use crate::domain::audit::AuditEntry;
use crate::domain::dead_letter::Disposition;
use crate::domain::decision::DecisionKind;
use crate::domain::guard::{GuardName, GuardResult, Verdict};
use crate::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use crate::domain::label::Label;
use crate::domain::money::{Charge, ChargeState};
use crate::domain::operation::{Dispatch, ErrorCategory, Phase, SpecificationRef};
use crate::domain::plan::{Action, Alternative, Effect, Plan, Refused};
use crate::domain::recovery::{Recovery, RecoveryState};
use crate::domain::remote::{CopyState, Execution, Fetch, OtherJob, Output, OutputCopy, Remote, RemoteJob, Source};
use crate::domain::role::{Caller, Role};
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use rust_decimal::Decimal;
use uuid::Uuid;

/// The moment of all samples: 30 November 2026, 14:05:11 UTC.
pub fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 30, 14, 5, 11).unwrap()
}

pub fn caller() -> Caller {
    Caller { name: "m.okafor".to_owned(), role: Role::Approver }
}

pub fn overview() -> Overview {
    Overview {
        recoveries_running: 2,
        money_unresolved: 9,
        credits_unresolved: Decimal::from(104),
        attempts_possibly_billed: 1,
        filling: Some("The demo’s history is still filling: 31 of 80 operations.".to_owned()),
    }
}

pub fn summary() -> Summary {
    let counts = [9, 4, 7, 12, 3, 28, 41, 11, 6, 2];
    let labels = Label::ALL.iter().zip(counts).map(|(label, count)| LabelCount { label: *label, count }).collect();
    let queues = vec![("render".to_owned(), 60), ("delivery".to_owned(), 49), ("billing".to_owned(), 14)];
    Summary { total: 123, labels, queues, ever_died: true }
}

pub fn unreadable() -> DeadLetterRow {
    DeadLetterRow::Unreadable(Inconsistency {
        table: "soniq_dead_letter_jobs".to_owned(),
        column: "moved_to_dead_letter_at".to_owned(),
        id: "not-a-uuid\u{202e}".to_owned(),
    })
}

pub fn candidates() -> Candidates {
    Candidates {
        searched: true,
        job_ids: vec![JobId::from("gj_900"), JobId::from("gj_901")],
        detail: "They carry our client reference.".to_owned(),
    }
}

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128((number << 96) | 0x7000_8000_0000_0000_0000)
}

/// One line of the desk.
struct Line(&'static str, &'static str, Phase, Dispatch, Option<Execution>, Label, bool, Action, Effect, ErrorCategory, i64);

fn lines() -> Vec<Line> {
    use Effect::{CopiesExistingOutput, ReadsStatus, RecordsDecision, SubmitsNewGeneration};
    vec![
        Line("op_c9d0", "render.poll", Phase::Accepted, Dispatch::Sent, Some(Execution::Running), Label::RenderInProgress, false, Action::Observe, ReadsStatus, ErrorCategory::Timeout, 4),
        Line("op_91c2", "render.submit", Phase::Prepared, Dispatch::ConfirmedNotSent, None, Label::NotSubmitted, false, Action::Dispatch, SubmitsNewGeneration, ErrorCategory::Connection, 9),
        Line("op_7f3a", "render.deliver", Phase::Succeeded, Dispatch::Sent, Some(Execution::Succeeded), Label::LocalDeliveryFailure, false, Action::Deliver, CopiesExistingOutput, ErrorCategory::StorageFull, 22),
        Line("op_30bb", "render.poll", Phase::Failed, Dispatch::Sent, Some(Execution::Failed), Label::RemoteRenderFailed, true, Action::InspectAccounting, ReadsStatus, ErrorCategory::Moderation, 31),
        Line("op_66f4", "render.submit", Phase::Submitting, Dispatch::OutcomeUnknown, None, Label::SubmissionOutcomeUnknown, false, Action::Reconcile, RecordsDecision, ErrorCategory::Timeout, 52),
        Line("op_2d97", "billing.refund", Phase::Failed, Dispatch::Sent, Some(Execution::Expired), Label::RemoteRenderFailed, false, Action::Acknowledge, Effect::None, ErrorCategory::Http5xx, 86),
        Line("op_88e3", "render.poll", Phase::Accepted, Dispatch::Sent, Some(Execution::Unknown), Label::RemoteStateUnclear, false, Action::Reconcile, RecordsDecision, ErrorCategory::BadPayload, 104),
        Line("op_4fd8", "render.deliver", Phase::Delivered, Dispatch::Sent, Some(Execution::Succeeded), Label::AlreadyDelivered, false, Action::Acknowledge, Effect::None, ErrorCategory::Database, 127),
        Line("op_b1a6", "render.submit", Phase::Failed, Dispatch::Sent, None, Label::SubmissionRejected, false, Action::Acknowledge, Effect::None, ErrorCategory::Rejected, 1_560),
        Line("op_d7a9", "render.poll", Phase::Accepted, Dispatch::Sent, Some(Execution::Cancelled), Label::RemoteRenderFailed, true, Action::Observe, ReadsStatus, ErrorCategory::Cancelled, 9_000),
        Line("a/b c", "render.poll", Phase::Failed, Dispatch::Sent, Some(Execution::Failed), Label::Closed, true, Action::Acknowledge, Effect::None, ErrorCategory::NotFound, 60_000),
    ]
}

fn letter(number: u128, line: &Line, now: DateTime<Utc>) -> DeadLetterView {
    let Line(id, job_name, phase, dispatch, execution, label, refund, action, effect, category, minutes) = line;
    let died = now - TimeDelta::minutes(*minutes);
    DeadLetterView {
        id: DeadLetterId(uuid(0x01a7_c3f2 + (number << 20))),
        job_name: (*job_name).to_owned(),
        queue: "render".to_owned(),
        priority: 100,
        reason: "max_retries_exceeded".to_owned(),
        attempts: 5,
        max_attempts: 5,
        action: Some(*action),
        operation_id: Some(OperationId::from(*id)),
        job_id: execution.map(|_| JobId::from("gj_48211")),
        error_category: Some(*category),
        error_text: Some("write /artifacts/op_7f3a/2: No space left on device (os error 28)\u{202e}<script>".to_owned()),
        args: serde_json::json!({"operation_id": id, "job_id": "gj_48211", "prompt": "[redacted, 214 characters]"}),
        hidden_values: 1,
        tags: serde_json::json!({"tenant": "studio-north"}),
        resurrection_count: i64::from(number.is_multiple_of(3)),
        replays: 0,
        last_resurrection_at: None,
        original_created_at: died - TimeDelta::hours(1),
        moved_to_dead_letter_at: died,
        disposition: Disposition::Open,
        phase: Some(*phase),
        dispatch: Some(*dispatch),
        remote_execution: *execution,
        remote_fetch: execution.map(|_| Fetch::Ok),
        remote_raw_status: (*execution == Some(Execution::Unknown)).then(|| "HELD_LEGAL".to_owned()),
        remote_observed_at: execution.map(|_| now - TimeDelta::minutes(minutes / 3)),
        label: *label,
        refund_unresolved: *refund,
        next_action: Some(*action),
        effect: Some(*effect),
    }
}

pub fn dead_letters(now: DateTime<Utc>) -> Vec<DeadLetterView> {
    let mut all: Vec<DeadLetterView> =
        lines().iter().zip(0..).map(|(line, number)| letter(number, line, now)).collect();
    if let Some(first) = all.first().cloned() {
        all.push(DeadLetterView {
            id: DeadLetterId(uuid(0x5c20_f8d3)),
            job_name: "thumbs.make".to_owned(),
            operation_id: None,
            phase: None,
            dispatch: None,
            remote_execution: None,
            remote_fetch: None,
            remote_observed_at: None,
            label: Label::NoOperationRecord,
            next_action: None,
            effect: None,
            error_category: Some(ErrorCategory::HandlerMissing),
            tags: serde_json::Value::Null,
            ..first
        });
    }
    all
}

pub fn operation_rows(now: DateTime<Utc>) -> Vec<OperationRow> {
    let readable = dead_letters(now).into_iter().filter_map(|one| {
        Some(OperationRow::Readable(Box::new(OperationSummary {
            id: one.operation_id?,
            revision: 7,
            phase: one.phase?,
            dispatch: one.dispatch?,
            provider: "genace".to_owned(),
            account: "main".to_owned(),
            owner: "studio-north".to_owned(),
            model: Some("lumen-video-2".to_owned()),
            job_id: one.job_id,
            remote_execution: one.remote_execution,
            remote_fetch: one.remote_fetch,
            remote_observed_at: one.remote_observed_at,
            label: one.label,
            refund_unresolved: one.refund_unresolved,
            next_action: one.next_action?,
            effect: one.effect?,
            error_category: one.error_category,
            dead_letters: 1,
            created_at: one.original_created_at,
            updated_at: one.moved_to_dead_letter_at,
        })))
    });
    let broken = OperationRow::Unreadable(Inconsistency {
        table: "dlo_operations".to_owned(),
        column: "phase".to_owned(),
        id: "op_x".to_owned(),
    });
    readable.chain([broken]).collect()
}

fn guard(guard: GuardName, verdict: Verdict, detail: &str) -> GuardResult {
    GuardResult { guard, verdict, detail: detail.to_owned() }
}

fn pass(names: &[GuardName]) -> Vec<GuardResult> {
    names.iter().map(|name| guard(*name, Verdict::Pass, "As it should be.")).collect()
}

fn plan(id: &str, action: Action, effect: Effect, label: Label, now: DateTime<Utc>) -> Plan {
    let mut guards = pass(&[GuardName::RecordCurrent, GuardName::NoActiveRecovery, GuardName::OperatorPermitted]);
    guards.push(guard(GuardName::MessageNotSuperseded, Verdict::Warn, "The queue delivery holds a newer message for this operation."));
    let refused = Action::ALL.iter().filter(|other| **other != action).map(|other| Refused {
        action: *other,
        why: "The record says that this is not what is missing.".to_owned(),
    });
    Plan {
        operation_id: OperationId::from(id),
        revision: 7,
        action,
        effect,
        label,
        refund_unresolved: false,
        summary: "Copies outputs 2 and 3 of the finished render gj_48211 into our storage. Creates nothing at genace and costs nothing.".to_owned(),
        role: Role::Operator,
        allowed: true,
        guards,
        alternatives: vec![Alternative { action: Action::Observe, job_id: JobId::from("gj_48211") }],
        refused: refused.collect(),
        row: 8,
        job_id: Some(JobId::from("gj_48211")),
        outputs: vec![2, 3],
        decisions: vec![DecisionKind::CloseUnresolved],
        planned_at: now,
    }
}

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
        event(at(0), Report, Lane::OurSide, "prepared", "specification spec_210 r4, model lumen-video-2"),
        event(at(2), Attempt, Lane::OurSide, "submitting", "attempt 1"),
        event(at(22), Receipt, Lane::OurSide, "accepted", "POST answered 502 with job id gj_48211"),
        event(at(22), Receipt, Lane::Remote, "queued", "named by the same 502, at /error/job_id"),
        event(at(68), Observation, Lane::Remote, "running", "GET answered 200, 12 credits reserved"),
        event(at(228), Observation, Lane::OurSide, "succeeded", "4 outputs listed by the read; our copy begins"),
        event(at(228), Observation, Lane::Remote, "succeeded", "GET answered 200, 4 outputs, 12 credits charged"),
        event(at(269), Delivery, Lane::OurSide, "2 of 4 copied", "outputs 0 and 1 verified by hash"),
        event(at(329), DeadLetter, Lane::OurSide, "delivery gave up", "output 2: storage_full, try 5 of 5; output 3 not tried"),
        event(at(1_449), Observation, Lane::Remote, "unchanged", "succeeded, 4 outputs"),
    ];
    let copy = |index, state, category| OutputCopy {
        index,
        state,
        storage_key: None,
        bytes: (state == CopyState::Delivered).then_some(48_213_904),
        sha256: (state == CopyState::Delivered).then(|| "9c1f0422aa7e2".repeat(5)),
        category,
        permanent_failures: 0,
    };
    let kinds = ["video/mp4", "video/mp4", "video/mp4", "image/webp"];
    let listed = kinds.iter().zip(0..).map(|(kind, index)| Output { index, content_type: Some((*kind).to_owned()) });
    let letters = dead_letters(now).into_iter().filter(|one| one.operation_id == Some(OperationId::from("op_7f3a")));
    OperationView {
        id: OperationId::from("op_7f3a"),
        revision: 7,
        phase: Phase::Succeeded,
        dispatch: Dispatch::Sent,
        provider: "genace".to_owned(),
        account: "main".to_owned(),
        owner: "studio-north".to_owned(),
        specification: SpecificationRef { id: "spec_210".to_owned(), revision: 4 },
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
        charge: Charge { state: ChargeState::Charged, charged: Some(Decimal::from(12)), ..Charge::default() },
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
        plan: plan("op_7f3a", Action::Deliver, Effect::CopiesExistingOutput, Label::LocalDeliveryFailure, now),
        dead_letters: letters.collect(),
        recoveries: recoveries(now).into_iter().skip(1).collect(),
        attempts: Vec::new(),
        decisions: Vec::new(),
        timeline,
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
    let mut plan = plan("op_91c2", Action::Dispatch, Effect::SubmitsNewGeneration, Label::NotSubmitted, now);
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
    plan.guards.push(guard(GuardName::FactsFresh, Verdict::Warn, "Specification facts are 21 h old; they block at 24 h."));
    OperationView {
        id: OperationId::from("op_91c2"),
        phase: Phase::Prepared,
        dispatch: Dispatch::ConfirmedNotSent,
        remote: RemoteView { job_id: None, axes: Remote::default(), other_jobs: Vec::new() },
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
            guard.detail = "9 credits remain and 12 are needed. The owner’s system can report more.".to_owned();
        }
    }
    view
}

/// Two job ids are known, and every decision is on offer.
pub fn contested(now: DateTime<Utc>) -> OperationView {
    let base = half_delivered(now);
    let mut plan = plan("op_0e5c", Action::Reconcile, Effect::RecordsDecision, Label::RemoteStateUnclear, now);
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
            other_jobs: vec![OtherJob { job_id: JobId::from("gj_48212"), job: RemoteJob::default() }],
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
    let mut plan = plan("op_30bb", Action::InspectAccounting, Effect::ReadsStatus, Label::RemoteRenderFailed, now);
    plan.summary = "Reads job gj_48211 for its charge. Creates nothing. Reading again rarely helps.".to_owned();
    plan.refund_unresolved = true;
    plan.outputs.clear();
    plan.row = 15;
    plan.decisions = vec![DecisionKind::RefundConfirmed, DecisionKind::ChargeAccepted, DecisionKind::RefundRequested];
    let mut timeline: Vec<Event> = base.timeline.iter().take(5).cloned().collect();
    let end = now - TimeDelta::minutes(12);
    timeline.push(event(end, EventKind::Observation, Lane::Remote, "failed", "moderation, 12 credits charged"));
    timeline.push(event(end, EventKind::Observation, Lane::OurSide, "failed", "the provider failed it"));
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

pub fn recoveries(now: DateTime<Utc>) -> Vec<Recovery> {
    RecoveryState::ALL
        .iter()
        .zip(0_u32..)
        .filter(|(state, _)| **state != RecoveryState::AwaitingApproval)
        .map(|(state, number)| {
            let created = now - TimeDelta::minutes(i64::from(number) * 7);
            Recovery {
                id: RecoveryId(uuid(0x0193_0000 + u128::from(number))),
                operation_id: OperationId::from("op_7f3a"),
                dead_letter_id: Some(DeadLetterId(uuid(0xb41e_90c7))),
                action: Action::Observe,
                effect: Effect::ReadsStatus,
                state: *state,
                outcome: (!state.is_active()).then(|| "succeeded, 4 outputs; nothing changed".to_owned()),
                requested_by: "m.okafor".to_owned(),
                approved_by: None,
                reason: "is the render still there?".to_owned(),
                revision_before: 7,
                revision_after: (!state.is_active()).then_some(7),
                job_id: Some(QueueJobId(uuid(77))),
                remote_job_id: Some(JobId::from("gj_48211")),
                follow: true,
                created_at: created,
                finished_at: (!state.is_active()).then(|| created + TimeDelta::seconds(2)),
            }
        })
        .collect()
}

pub fn audit(now: DateTime<Utc>) -> Vec<AuditEntry> {
    let entry = |seq, action: &str, after| AuditEntry {
        seq,
        at: now - TimeDelta::minutes(40_119 - seq),
        actor: "m.okafor".to_owned(),
        role: "approver".to_owned(),
        action: action.to_owned(),
        effect: Some("reads_status".to_owned()),
        operation_id: Some("op_7f3a".to_owned()),
        dead_letter_id: Some(uuid(0xb41e_90c7).to_string()),
        recovery_id: None,
        revision_before: Some(7),
        revision_after: after,
        reason: Some("is the render still there?".to_owned()),
        guards: pass(&[GuardName::RecordCurrent, GuardName::JobKnown]),
        hash: "e1b0".repeat(16),
    };
    vec![entry(40_118, "observe_ended", Some(7)), entry(40_117, "observe_intended", None)]
}
