//! Records for tests.

use app::domain::ids::{JobId, OperationId};
use app::domain::money::Charge;
use app::domain::operation::{Dispatch, Operation, Phase, SpecificationRef};
use app::domain::remote::Remote;
use chrono::{DateTime, Utc};

/// A moment that both databases keep exactly.
pub fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp_micros(1_700_000_000_123_456).expect("a moment")
}

/// A prepared operation of which nothing else is known.
pub fn operation(id: &str) -> Operation {
    Operation {
        id: OperationId::from(id),
        revision: 1,
        provider: "genace".to_owned(),
        account: "main".to_owned(),
        fingerprint: None,
        owner: "owner-1".to_owned(),
        specification: SpecificationRef {
            id: "spec-1".to_owned(),
            revision: 3,
        },
        model: None,
        phase: Phase::Prepared,
        dispatch: Dispatch::NotRecorded,
        not_sent_since: None,
        dispatch_proof: None,
        job_id: None,
        remote: Remote::default(),
        charge: Charge::default(),
        outputs: Vec::new(),
        other_jobs: Vec::new(),
        settled_jobs: Vec::new(),
        adopted_jobs: Vec::new(),
        lost_outputs: Vec::new(),
        error: None,
        parent: None,
        closure: None,
        accounting: Vec::new(),
        outside_send_excluded_through: None,
        created_at: moment(),
        updated_at: moment(),
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
