//! Records and reads for the tests of all causes.

use super::Observation;
use crate::domain::attempt::{Attempt, Receipt, ReceiptKind};
use crate::domain::decision::{Closure, DecisionKind};
use crate::domain::ids::{AttemptId, JobId, RecoveryId};
use crate::domain::money::{Charge, ChargeState};
use crate::domain::operation::{Dispatch, Operation, Phase, SpecificationRef};
use crate::domain::remote::{CopyState, Execution, Fetch, Output, OutputCopy, Source};
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// Minutes after noon of a day.
pub(super) fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::hours(12) + TimeDelta::minutes(minutes)
}

pub(super) fn job(id: &str) -> JobId {
    JobId::from(id)
}

pub(super) fn nobody(_: &JobId) -> bool {
    false
}

/// A record without a job id.
pub(super) fn record(phase: Phase, dispatch: Dispatch) -> Operation {
    let specification = SpecificationRef {
        id: "spec_9".to_owned(),
        revision: 3,
    };
    Operation {
        revision: 3,
        account: "main".to_owned(),
        fingerprint: Some("f1".to_owned()),
        model: Some("aurora".to_owned()),
        phase,
        dispatch,
        not_sent_since: (dispatch == Dispatch::ConfirmedNotSent).then(|| at(-60)),
        ..Operation::new("op_1".into(), "genace", "user_42", specification, at(-60))
    }
}

/// A record with `gj_1` attached, whose execution was reported an hour ago.
pub(super) fn attached(phase: Phase, execution: Option<Execution>) -> Operation {
    let mut record = record(phase, Dispatch::Sent);
    record.job_id = Some(job("gj_1"));
    record.remote.execution = execution;
    record.remote.fetch = execution.map(|_| Fetch::Ok);
    record.remote.observed_at = execution.map(|_| at(-60));
    record.remote.source = execution.map(|_| Source::Reported);
    record
}

/// The same, read by us.
pub(super) fn read(phase: Phase, execution: Execution) -> Operation {
    let mut record = attached(phase, Some(execution));
    record.remote.source = Some(Source::Get);
    record.remote.read_at = record.remote.observed_at;
    record
}

/// A good read at noon.
pub(super) fn seen(execution: Execution) -> Observation {
    Observation {
        fetch: Fetch::Ok,
        execution: Some(execution),
        reason: None,
        raw_status: None,
        outputs: None,
        outputs_expected: None,
        charge: None,
        observed_at: at(0),
    }
}

/// A read that failed at noon.
pub(super) fn unseen(fetch: Fetch) -> Observation {
    Observation {
        fetch,
        execution: None,
        ..seen(Execution::Unknown)
    }
}

pub(super) fn outputs(indexes: &[u32]) -> Vec<Output> {
    indexes
        .iter()
        .map(|index| Output {
            index: *index,
            content_type: None,
        })
        .collect()
}

pub(super) fn copy(index: u32, state: CopyState) -> OutputCopy {
    OutputCopy {
        index,
        state,
        storage_key: (state == CopyState::Delivered).then(|| format!("op_1/{index}.mp4")),
        bytes: None,
        sha256: None,
        category: None,
        permanent_failures: 0,
    }
}

pub(super) fn charge(state: ChargeState, charged: Option<i64>, refunded: Option<i64>) -> Charge {
    Charge {
        state,
        reserved: None,
        charged: charged.map(Into::into),
        refunded: refunded.map(Into::into),
    }
}

pub(super) fn closed(mut record: Operation, decision: DecisionKind) -> Operation {
    record.closure = Some(Closure {
        decision,
        by: "ada".to_owned(),
        at: at(-30),
        reason: "given up".to_owned(),
    });
    record
}

pub(super) fn attempt(number: i64) -> Attempt {
    Attempt {
        id: AttemptId(Uuid::from_u128(7)),
        number,
        recovery_id: RecoveryId(Uuid::from_u128(8)),
        started_at: at(-1),
        receipt: None,
        received_at: None,
    }
}

pub(super) fn receipt(kind: ReceiptKind, job_id: Option<&str>) -> Receipt {
    Receipt {
        kind,
        status: None,
        job_id: job_id.map(JobId::from),
        job_id_at: None,
        charge: None,
        detail: "as the test says".to_owned(),
        category: None,
    }
}
