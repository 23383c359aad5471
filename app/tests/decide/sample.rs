//! Records and evidence to change one thing of.

use app::domain::attempt::{Attempt, Receipt, ReceiptKind};
use app::domain::dead_letter::{Disposition, Message, MessageFacts};
use app::domain::decision::{Accounting, Closure, DecisionKind};
use app::domain::ids::{AttemptId, DeadLetterId, JobId, RecoveryId};
use app::domain::money::{Charge, ChargeState};
use app::domain::operation::{Dispatch, Operation, Phase, SpecificationRef};
use app::domain::plan::Action;
use app::domain::remote::{CopyState, Execution, OtherJob, Output, OutputCopy, RemoteJob};
use chrono::{DateTime, Duration, TimeZone, Utc};
use rust_decimal::Decimal;
use uuid::Uuid;

pub fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 5, 4, 12, 0, 0)
        .single()
        .expect("a moment")
}

pub fn minutes_ago(minutes: i64) -> DateTime<Utc> {
    now() - Duration::minutes(minutes)
}

pub fn record(phase: Phase, dispatch: Dispatch) -> Operation {
    let specification = SpecificationRef {
        id: "spec_9".to_owned(),
        revision: 3,
    };
    Operation {
        revision: 7,
        account: "main".to_owned(),
        fingerprint: Some("9f2c41aa".to_owned()),
        model: Some("aurora-video-2".to_owned()),
        phase,
        dispatch,
        not_sent_since: (dispatch == Dispatch::ConfirmedNotSent).then(|| minutes_ago(9)),
        updated_at: minutes_ago(5),
        ..Operation::new("op_1".into(), "genace", "user_42", specification, minutes_ago(60))
    }
}

/// Ready to be sent: prepared, and known not to have been sent.
pub fn unsent() -> Operation {
    record(Phase::Prepared, Dispatch::ConfirmedNotSent)
}

/// With job gj_1 attached, and what the provider said of it.
pub fn attached(phase: Phase, execution: Option<Execution>) -> Operation {
    let mut record = record(phase, Dispatch::Sent);
    record.job_id = Some("gj_1".into());
    record.remote.execution = execution;
    record
}

pub fn listed(indexes: impl IntoIterator<Item = u32>) -> Option<Vec<Output>> {
    Some(
        indexes
            .into_iter()
            .map(|index| Output {
                index,
                content_type: None,
            })
            .collect(),
    )
}

pub fn copy(index: u32, state: CopyState, permanent_failures: u32) -> OutputCopy {
    OutputCopy {
        index,
        state,
        storage_key: None,
        bytes: None,
        sha256: None,
        category: None,
        permanent_failures,
    }
}

pub fn charge(state: ChargeState) -> Charge {
    Charge {
        state,
        charged: Some(Decimal::from(12)),
        ..Charge::default()
    }
}

pub fn accounting(decision: DecisionKind, job: Option<&str>, amount: Option<i64>) -> Accounting {
    Accounting {
        decision,
        job_id: job.map(JobId::from),
        reference: None,
        amount: amount.map(Decimal::from),
        by: "m.okafor".to_owned(),
        at: minutes_ago(1),
    }
}

pub fn closure() -> Closure {
    Closure {
        decision: DecisionKind::CloseUnresolved,
        by: "m.okafor".to_owned(),
        at: minutes_ago(1),
        reason: "the customer left".to_owned(),
    }
}

pub fn message(number: u128) -> Message {
    Message {
        id: DeadLetterId(Uuid::from_u128(number)),
        facts: MessageFacts::default(),
        attempts: 3,
        died_at: minutes_ago(20),
        resurrections: 0,
        own_replays: 0,
        last_resurrection_at: None,
        purged: false,
        disposition: Disposition::Open,
    }
}

/// A message of a consumer that creates.
pub fn dispatch_message(number: u128, died_at: DateTime<Utc>) -> Message {
    Message {
        facts: MessageFacts {
            action: Some(Action::Dispatch),
            ..MessageFacts::default()
        },
        died_at,
        ..message(number)
    }
}

pub fn message_naming(number: u128, job: &str) -> Message {
    Message {
        facts: MessageFacts {
            job_id: Some(job.into()),
            ..MessageFacts::default()
        },
        ..message(number)
    }
}

pub fn other_job(job: &str) -> OtherJob {
    OtherJob {
        job_id: job.into(),
        job: RemoteJob::default(),
    }
}

pub fn attempt(number: i64, kind: Option<ReceiptKind>) -> Attempt {
    Attempt {
        id: AttemptId(Uuid::from_u128(1000 + number.unsigned_abs() as u128)),
        number,
        recovery_id: RecoveryId(Uuid::from_u128(77)),
        started_at: minutes_ago(30),
        receipt: kind.map(|kind| Receipt {
            kind,
            status: None,
            job_id: None,
            job_id_at: None,
            charge: None,
            detail: "connection refused".to_owned(),
            category: None,
        }),
        received_at: kind.map(|_| minutes_ago(29)),
    }
}
