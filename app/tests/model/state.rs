//! What the model remembers: the product's own records, and who holds what in hand.

use app::domain::attempt::{Attempt, Receipt, most_telling};
use app::domain::dead_letter::Message;
use app::domain::evidence::Evidence;
use app::domain::ids::{AttemptId, JobId, QueueJobId, RecoveryId};
use app::domain::operation::Operation;
use app::domain::protocol::{JobState, Stored};
use app::domain::remote::Execution;
use app::domain::transition::Observation;
use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

/// One tick is one lease.
pub const LEASE: i64 = 1;
/// How long a request may be under way, where the bounds let it.
pub const TIMEOUT: i64 = 2;
/// How long a confirmation of a creation is good.
pub const CREATION_VALID: i64 = 3;
/// How long a second person is awaited.
pub const APPROVAL: i64 = 2;
/// How long a recovery may be silent.
pub const SILENCE: i64 = 3;
/// Claims of one queue job before it dies.
pub const CLAIMS: u8 = 2;

/// A moment on the database's clock, in ticks.
pub fn moment(ticks: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_000) + ticks_long(ticks)
}

pub fn ticks_long(ticks: i64) -> Duration {
    Duration::minutes(ticks)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Person {
    Ann,
    Ben,
}

impl Person {
    pub const BOTH: [Self; 2] = [Self::Ann, Self::Ben];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Ann => "ann",
            Self::Ben => "ben",
        }
    }
}

/// The database's clock, which may leap, and everybody's monotonic one, which may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Clock {
    pub database: i64,
    pub monotonic: i64,
}

impl Clock {
    pub fn now(self) -> DateTime<Utc> {
        moment(self.database)
    }
}

/// A render at the provider. It was paid for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Render {
    pub job_id: JobId,
    pub execution: Execution,
    /// Made by a request of ours; else the application's own consumer sent it.
    pub ours: bool,
}

/// One attempt with everything that came back for it, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Begun {
    pub attempt: Attempt,
    pub receipts: Vec<(Receipt, DateTime<Utc>)>,
}

impl Begun {
    /// The attempt as evidence shows it.
    pub fn told(&self) -> Attempt {
        let kept: Vec<&Receipt> = self.receipts.iter().map(|(receipt, _)| receipt).collect();
        let telling = most_telling(&kept).map(|at| &self.receipts[at]);
        Attempt {
            receipt: telling.map(|(receipt, _)| receipt.clone()),
            received_at: telling.map(|(_, at)| *at),
            ..self.attempt.clone()
        }
    }
}

/// A recovery with its queue job.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Work {
    pub stored: Stored,
    pub job: JobState,
    pub claims: u8,
    /// Of the queue job, on the database's clock.
    pub job_lease: Option<i64>,
    /// Creation requests that left for it.
    pub posts: u8,
}

/// One operation with its evidence, its recoveries and its renders.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Case {
    pub record: Operation,
    pub attempts: Vec<Begun>,
    pub messages: Vec<Message>,
    pub works: Vec<Work>,
    pub renders: Vec<Render>,
    /// Job ids that reached us, by whatever way.
    pub told: Vec<JobId>,
    /// Somebody else's queued or hung job names the operation.
    pub competing: bool,
}

impl Case {
    pub fn of(record: Operation) -> Self {
        Self {
            record,
            attempts: Vec::new(),
            messages: Vec::new(),
            works: Vec::new(),
            renders: Vec::new(),
            told: Vec::new(),
            competing: false,
        }
    }

    pub fn evidence(&self) -> Evidence {
        let told: Vec<Attempt> = self.attempts.iter().map(Begun::told).collect();
        let shown: Vec<_> = told
            .iter()
            .filter_map(|attempt| attempt.receipt.as_ref()?.job_id.clone())
            .collect();
        let named = self.attempts.iter().flat_map(|begun| &begun.receipts);
        let extra_job_ids = named
            .filter_map(|(receipt, _)| receipt.job_id.clone())
            .filter(|job_id| !shown.contains(job_id))
            .collect();
        Evidence {
            messages: self.messages.clone(),
            attempts: told,
            extra_job_ids,
            ..Evidence::default()
        }
    }

    pub fn active(&self) -> impl Iterator<Item = usize> {
        (0..self.works.len()).filter(|at| self.works[*at].stored.recovery.state.is_active())
    }

    pub fn is_reserved(&self) -> bool {
        self.works.iter().any(|work| work.stored.reservation_open)
    }

    pub fn next_job(&self, operation: usize) -> JobId {
        JobId(format!("gj_{operation}{}", self.renders.len()))
    }
}

pub fn recovery_id(operation: usize, at: usize) -> RecoveryId {
    RecoveryId(Uuid::from_u128((operation * 100 + at + 1) as u128))
}

pub fn job_id(operation: usize, at: usize) -> QueueJobId {
    QueueJobId(Uuid::from_u128((operation * 100 + at + 1) as u128))
}

pub fn attempt_id(operation: usize, at: usize) -> AttemptId {
    AttemptId(Uuid::from_u128((operation * 100 + at + 1) as u128))
}

/// What a worker holds after its permit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hold {
    pub operation: usize,
    pub work: usize,
    /// Which claim of the queue job it is.
    pub claim: u8,
    pub fence: i64,
    /// On its own monotonic clock, started before the claim's commit.
    pub deadline: i64,
    pub attempt: Option<usize>,
    /// Renders that existed when the permit was given.
    pub renders: usize,
}

/// What came back, not written down yet.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Result {
    Receipt(Receipt),
    Seen(JobId, Observation),
    /// One output each: copied or lost for good or only not now.
    Copied(Vec<Copied>),
    /// Nothing was learnt: the queue tries again.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Copied {
    Ours,
    Lost,
    Unwritable,
}

/// Where a worker stands. Everything in it is gone when it crashes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Worker {
    Idle,
    Claimed(Hold),
    Permitted(Hold),
    /// Connected, the permit confirmed: its first byte may leave.
    Ready(Hold),
    Holding(Hold, Result),
    /// Its request is under way, for this much longer at most.
    Flying(Hold, i64),
}

/// What may still happen, so that the state space ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Left {
    pub dispatches: u8,
    pub reads: u8,
    pub crashes: u8,
    pub passes: u8,
    pub leaps: u8,
    pub decisions: u8,
    pub reports: u8,
    pub letters: u8,
    pub cancels: u8,
    pub deletions: u8,
    pub facts: u8,
    pub dismissals: u8,
}

/// The whole world.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub cases: Vec<Case>,
    pub workers: Vec<Worker>,
    pub clock: Clock,
    pub dismissed: Vec<Person>,
    pub left: Left,
    /// Rules that were broken on the way here.
    pub broken: Vec<crate::check::Rule>,
    /// Things that should be possible, and happened.
    pub reached: Vec<crate::check::Goal>,
}
