//! Records for tests.

use app::domain::ids::{JobId, OperationId};
use app::domain::operation::{Dispatch, Operation, Phase, SpecificationRef};
use chrono::{DateTime, Utc};

/// A moment that both databases keep exactly.
pub fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp_micros(1_700_000_000_123_456).expect("a moment")
}

/// A prepared operation of which nothing else is known.
pub fn operation(id: &str) -> Operation {
    let specification = SpecificationRef {
        id: "spec-1".to_owned(),
        revision: 3,
    };
    Operation {
        account: "main".to_owned(),
        ..Operation::new(
            OperationId::from(id),
            "genace",
            "owner-1",
            specification,
            moment(),
        )
    }
}

/// An accepted operation with an attached job.
pub fn accepted(id: &str, job: &str) -> Operation {
    Operation {
        phase: Phase::Accepted,
        dispatch: Dispatch::Sent,
        job_id: Some(JobId::from(job)),
        ..operation(id)
    }
}
