//! Records for the pages' samples: small stories, the same ones on every page.

mod desk;
mod lines;
mod queue;
mod stories;

pub use desk::{claimed, mine, notes, providers, revision, twenty, views};
pub use queue::{lineage, queues, unreadable_letter, warnings};
pub use stories::{blocked, contested, half_delivered, lost, not_submitted, observe_plan};

use lines::{Line, lines};

use crate::desk::finding::first_hour;
use crate::desk::view::{
    Candidates, DeadLetterRow, DeadLetterView, Inconsistency, LabelCount, OperationRow, OperationSummary,
    Overview, Summary,
};
use crate::desk::{CameBy, ChainCheck, Standing};
use crate::desk::{CategoryCount, DeadLetterFilter, HourCount, Hours};
use crate::domain::audit::AuditEntry;
use crate::domain::dead_letter::Disposition;
use crate::domain::decision::DecisionKind;
use crate::domain::guard::{GuardName, GuardResult, Verdict};
use crate::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use crate::domain::label::Label;
use crate::domain::operation::ErrorCategory;
use crate::domain::plan::{Action, Alternative, Effect, Plan, Refused};
use crate::domain::recovery::{Recovery, RecoveryState};
use crate::domain::remote::{Execution, Fetch};
use crate::domain::role::{Caller, Role};
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use rust_decimal::Decimal;
use uuid::Uuid;

/// The moment of all samples: 30 November 2026, 14:05:11 UTC.
pub fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 30, 14, 5, 11).unwrap()
}

pub fn caller() -> Caller {
    Caller {
        name: "m.okafor".to_owned(),
        role: Role::Approver,
    }
}

pub fn standing(now: DateTime<Utc>) -> Standing {
    Standing {
        has_password: true,
        came_by: CameBy::Session {
            since: now - TimeDelta::minutes(90),
            until: now + TimeDelta::minutes(1350),
        },
        idle_minutes: 480,
        replay_without_record: false,
        reveal: false,
        people_for_a_creation: 2,
    }
}

pub fn chain(now: DateTime<Utc>, broken_at: Option<i64>) -> ChainCheck {
    ChainCheck {
        at: now - TimeDelta::minutes(3),
        entries: 4_217,
        broken_at,
    }
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
    let labels = Label::ALL
        .iter()
        .zip(counts)
        .map(|(label, count)| LabelCount { label: *label, count })
        .collect();
    let queues = vec![
        ("render".to_owned(), 60),
        ("delivery".to_owned(), 49),
        ("billing".to_owned(), 14),
    ];
    let both = vec![(Label::LocalDeliveryFailure, "delivery".to_owned(), 38)];
    Summary {
        total: 123,
        capped: false,
        labels,
        queues,
        both,
        ever_died: true,
    }
}

/// Two days with a storm in their last hours, as a full disk makes it.
pub fn hours(now: DateTime<Utc>) -> Hours {
    let first = first_hour(&DeadLetterFilter::default(), now);
    let mut counts = Vec::new();
    for (label, place) in Label::ALL.iter().zip(0_i64..) {
        for number in (place..48).step_by(7) {
            counts.push(HourCount {
                hour: first + TimeDelta::hours(number),
                label: *label,
                count: 1 + (number + place) % 3,
            });
        }
    }
    for number in 44..48 {
        counts.push(HourCount {
            hour: first + TimeDelta::hours(number),
            label: Label::LocalDeliveryFailure,
            count: 9,
        });
    }
    Hours { first, counts }
}

pub fn categories(now: DateTime<Utc>) -> Vec<CategoryCount> {
    let group = |category, count, first: i64| CategoryCount {
        category,
        count,
        first_at: Some(now - TimeDelta::minutes(first)),
        last_at: Some(now - TimeDelta::minutes(first / 9)),
    };
    vec![
        group(Some(ErrorCategory::StorageFull), 41, 190),
        group(Some(ErrorCategory::Moderation), 12, 2600),
        group(None, 2, 90_000),
    ]
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

fn letter(number: u128, line: &Line, now: DateTime<Utc>) -> DeadLetterView {
    let Line(id, job_name, phase, dispatch, execution, label, refund, action, effect, category, minutes) =
        line;
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
        error_text: Some(
            "write /artifacts/op_7f3a/2: No space left on device (os error 28)\u{202e}<script>".to_owned(),
        ),
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
        lineage: (number == 0).then(|| lineage(died)),
        warnings: (number == 0).then(warnings),
    }
}

pub fn dead_letters(now: DateTime<Utc>) -> Vec<DeadLetterView> {
    let mut all: Vec<DeadLetterView> = lines()
        .iter()
        .zip(0..)
        .map(|(line, number)| letter(number, line, now))
        .collect();
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
            lineage: None,
            warnings: None,
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
    GuardResult {
        guard,
        verdict,
        detail: detail.to_owned(),
    }
}

fn pass(names: &[GuardName]) -> Vec<GuardResult> {
    names
        .iter()
        .map(|name| guard(*name, Verdict::Pass, "As it should be."))
        .collect()
}

fn plan(id: &str, action: Action, effect: Effect, label: Label, now: DateTime<Utc>) -> Plan {
    let mut guards = pass(&[
        GuardName::RecordCurrent,
        GuardName::NoActiveRecovery,
        GuardName::OperatorPermitted,
    ]);
    guards.push(guard(
        GuardName::MessageNotSuperseded,
        Verdict::Warn,
        "The queue delivery holds a newer message for this operation.",
    ));
    let refused = Action::ALL
        .iter()
        .filter(|other| **other != action)
        .map(|other| Refused {
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
        warnings: warnings(),
        planned_at: now,
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
    vec![
        entry(40_118, "observe_ended", Some(7)),
        entry(40_117, "observe_intended", None),
    ]
}
