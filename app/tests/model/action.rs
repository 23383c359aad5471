//! Everything that can happen.

use crate::state::{Copied, Person};
use app::domain::remote::Execution;

/// What the provider does with a creation request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    Accepted,
    /// Accepted and billed; the answer is lost.
    AcceptedUnheard,
    Rejected,
    /// Not accepted; the answer is lost.
    Unheard,
    /// No byte of it left.
    Unsent,
}

impl Answer {
    pub const ALL: [Self; 5] = [
        Self::Accepted,
        Self::AcceptedUnheard,
        Self::Rejected,
        Self::Unheard,
        Self::Unsent,
    ];
}

/// What a person records, with arguments that are true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Word {
    ConfirmNotSent,
    CloseUnresolved,
    Reopen,
    ChargeAccepted,
    RefundRequested,
    OutsideSendExcluded,
    /// The first known id that is not attached.
    ChooseOther,
    AdoptOther,
    /// The provider's search named it.
    AttachFound,
    PrepareNew,
    OutputsLost,
    AcknowledgeObsolete,
}

impl Word {
    pub const ALL: [Self; 12] = [
        Self::ConfirmNotSent,
        Self::CloseUnresolved,
        Self::Reopen,
        Self::ChargeAccepted,
        Self::RefundRequested,
        Self::OutsideSendExcluded,
        Self::ChooseOther,
        Self::AdoptOther,
        Self::AttachFound,
        Self::PrepareNew,
        Self::OutputsLost,
        Self::AcknowledgeObsolete,
    ];
}

/// What the application reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Told {
    /// The id of a render that exists.
    Job,
    /// `failed`, and nothing of what was sent.
    Failed,
    /// `accepted`, and nothing of what was sent.
    Accepted,
    /// `failed` and evidence `sent`.
    FailedSent,
}

impl Told {
    pub const ALL: [Self; 4] = [Self::Job, Self::Failed, Self::Accepted, Self::FailedSent];
}

/// What a dead letter says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Letter {
    /// A consumer that polls knew an id: its own consumer had sent it.
    NamesJob,
    /// A consumer that creates gave up.
    Dispatch,
    /// Soniq's own command line replayed the first letter.
    ReplayedOutside,
    /// It was purged.
    Purged,
}

impl Letter {
    pub const ALL: [Self; 4] = [
        Self::NamesJob,
        Self::Dispatch,
        Self::ReplayedOutside,
        Self::Purged,
    ];
}

/// One step of the world.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Action {
    /// A person confirms the plan as it stands.
    Confirm(usize, Person),
    /// A person reads a known id beside the plan.
    Read(usize, Person),
    Approve(usize, Person),
    Cancel(usize),
    Decide(usize, Word),
    /// A worker claims the queue job of the operation's recovery.
    Claim(usize, usize),
    Permit(usize),
    Connect(usize),
    Send(usize, Answer),
    /// What was under way arrives, or never does.
    Arrive(usize, Answer),
    /// `None`: the answer is lost.
    Observe(usize, Option<Execution>),
    Copy(usize, Vec<Copied>),
    /// What is in hand is written down.
    Write(usize),
    Crash(usize),
    /// The queue puts a lost claim back.
    Requeue(usize),
    Reconcile(usize),
    /// Somebody deletes the queue job.
    DeleteJob(usize),
    /// Somebody else's job names the operation, or is gone again.
    Compete(usize),
    /// One lease's time goes by, for everybody.
    Pass,
    /// The database's clock leaps.
    Leap(i64),
    Report(usize, Told),
    Letter(usize, Letter),
    /// Owner facts younger than everything arrive.
    Facts,
    Dismiss(Person),
}
