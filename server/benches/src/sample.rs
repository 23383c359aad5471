//! A realistic mix of operations and of what their dead letters say. Everything follows from a number, so that two runs
//! measure the same.

use app::domain::ids::{JobId, OperationId};
use app::domain::money::{Charge, ChargeState};
use app::domain::operation::{Dispatch, ErrorCategory, Operation, OperationError, Phase, SpecificationRef};
use app::domain::remote::{CopyState, Execution, Fetch, Output, OutputCopy, Reason, Remote, Source};
use chrono::{DateTime, Duration, Utc};
use rust_decimal::Decimal;

/// The provider of all of them; built in, so that its configuration is known.
pub const PROVIDER: &str = "genace";

/// The id of the `n`th operation.
pub fn operation_id(n: u32) -> OperationId {
    OperationId(format!("op_{:08x}", n.wrapping_mul(2_654_435_761)))
}

fn job_id(n: u32) -> JobId {
    JobId(format!("gj_{:08x}", n.wrapping_mul(2_246_822_519)))
}

/// An accepted operation of which nothing more is known.
fn accepted(n: u32, now: DateTime<Utc>) -> Operation {
    let made = now - Duration::seconds(i64::from(n) * 120 + 3600);
    let specification = SpecificationRef {
        id: format!("spec_{}", n % 90),
        revision: i64::from(n % 4) + 1,
    };
    Operation {
        account: "main".to_owned(),
        model: Some("aurora-video-2".to_owned()),
        phase: Phase::Accepted,
        dispatch: Dispatch::Sent,
        job_id: Some(job_id(n)),
        remote: Remote {
            observed_at: Some(made),
            source: Some(Source::Reported),
            ..Remote::default()
        },
        created_at: made - Duration::minutes(10),
        ..Operation::new(
            operation_id(n),
            PROVIDER,
            format!("user_{}", n % 700),
            specification,
            made,
        )
    }
}

/// An operation that was not accepted.
fn unsent(n: u32, now: DateTime<Utc>, phase: Phase, dispatch: Dispatch) -> Operation {
    let base = accepted(n, now);
    let not_sent_since = (dispatch == Dispatch::ConfirmedNotSent).then_some(base.updated_at);
    Operation {
        phase,
        dispatch,
        not_sent_since,
        job_id: None,
        remote: Remote::default(),
        ..base
    }
}

fn charge(state: ChargeState) -> Charge {
    Charge {
        state,
        reserved: None,
        charged: Some(Decimal::from(12)),
        refunded: None,
    }
}

/// Succeeded with two outputs; the second is not copied.
fn undelivered(n: u32, now: DateTime<Utc>) -> Operation {
    let base = accepted(n, now);
    let listed = |index| Output {
        index,
        content_type: Some("video/mp4".to_owned()),
    };
    let copy = |index, state, category| OutputCopy {
        index,
        state,
        storage_key: (state == CopyState::Delivered).then(|| format!("{}/{index}", base.id)),
        bytes: (state == CopyState::Delivered).then_some(1_400_000),
        sha256: None,
        category,
        permanent_failures: 0,
    };
    Operation {
        phase: Phase::Succeeded,
        remote: Remote {
            fetch: Some(Fetch::Ok),
            execution: Some(Execution::Succeeded),
            reason: Some(Reason::None),
            outputs: Some(vec![listed(0), listed(1)]),
            source: Some(Source::Get),
            ..base.remote.clone()
        },
        charge: charge(ChargeState::Charged),
        outputs: vec![
            copy(0, CopyState::Delivered, None),
            copy(1, CopyState::Failed, Some(ErrorCategory::StorageFull)),
        ],
        ..base
    }
}

fn failed_remotely(n: u32, now: DateTime<Utc>) -> Operation {
    let base = accepted(n, now);
    let money = match n % 3 {
        0 => ChargeState::Charged,
        1 => ChargeState::Refunded,
        _ => ChargeState::RefundPending,
    };
    Operation {
        phase: Phase::Failed,
        remote: Remote {
            fetch: Some(Fetch::Ok),
            execution: Some(Execution::Failed),
            reason: Some(if n.is_multiple_of(2) {
                Reason::Moderation
            } else {
                Reason::ProviderError
            }),
            source: Some(Source::Get),
            ..base.remote.clone()
        },
        charge: charge(money),
        error: Some(OperationError {
            category: ErrorCategory::Moderation,
            detail: Some("refused by a filter".to_owned()),
        }),
        ..base
    }
}

fn with_remote(base: Operation, fetch: Option<Fetch>, execution: Option<Execution>) -> Operation {
    Operation {
        remote: Remote {
            fetch,
            execution,
            ..base.remote.clone()
        },
        ..base
    }
}

/// The `n`th operation.
pub fn operation(n: u32, now: DateTime<Utc>) -> Operation {
    // Neighbours differ: 37 and 100 share no divisor.
    match n.wrapping_mul(37) % 100 {
        0..30 => undelivered(n, now),
        30..50 => failed_remotely(n, now),
        50..65 => with_remote(accepted(n, now), Some(Fetch::Ok), Some(Execution::Running)),
        65..73 => unsent(n, now, Phase::Submitting, Dispatch::OutcomeUnknown),
        73..79 => unsent(n, now, Phase::Prepared, Dispatch::ConfirmedNotSent),
        79..83 => unsent(n, now, Phase::Failed, Dispatch::Sent),
        83..88 => with_remote(accepted(n, now), Some(Fetch::NotFound), None),
        _ => {
            let base = undelivered(n, now);
            let outputs = base.outputs.iter().map(|copy| OutputCopy {
                state: CopyState::Delivered,
                category: None,
                ..copy.clone()
            });
            Operation {
                phase: Phase::Delivered,
                outputs: outputs.collect(),
                ..base.clone()
            }
        }
    }
}

/// What a dead letter of an application says.
pub struct Letter {
    pub job_name: &'static str,
    pub queue: &'static str,
    pub args: String,
    pub error: &'static str,
}

/// The dead letter of an operation, as its worker left it.
pub fn letter(operation: &Operation) -> Letter {
    let (job_name, queue, error) = match operation.phase {
        Phase::Prepared | Phase::Submitting => (
            "render.submit",
            "render",
            "Max retries exceeded: ConnectError: [Errno 111] Connection refused",
        ),
        Phase::Accepted => (
            "render.poll",
            "render",
            "Max retries exceeded: ReadTimeout: timed out after 30 s (GET /v1/jobs)",
        ),
        Phase::Succeeded | Phase::Delivered => (
            "render.deliver",
            "delivery",
            "Max retries exceeded: OSError: [Errno 28] No space left on device",
        ),
        Phase::Failed => (
            "billing.refund",
            "billing",
            "Max retries exceeded: HTTPStatusError: 502 Bad Gateway for /v1/jobs",
        ),
    };
    let args = serde_json::json!({
        "operation_id": operation.id.as_str(),
        "job_id": operation.job_id.as_ref().map(JobId::as_str),
        "owner": operation.owner,
        "prompt": "a lighthouse at dusk, long exposure, slow dolly towards the lamp room, 24 frames a second",
        "callback": format!("https://app.example.test/hooks/render?operation={}&signature=4b1c0e", operation.id),
        "api_key": "sk-figures-0123456789abcdef",
        "attempt": 3,
    });
    Letter {
        job_name,
        queue,
        args: args.to_string(),
        error,
    }
}

/// A dead letter of an operation that nobody has reported.
pub fn stray(n: u32) -> Letter {
    let args = serde_json::json!({ "operation_id": format!("lost_{n}"), "attempt": 3 }).to_string();
    Letter {
        job_name: "render.poll",
        queue: "render",
        args,
        error: "Max retries exceeded: TimeoutError: timed out",
    }
}
