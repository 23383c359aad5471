//! What a scenario is: what the provider does, what the application does with it, what people do then, and where
//! the decision table stands in the end.

use crate::fixture::{CreateScript, JobScript};
use app::domain::label::Label;

/// How a render is submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submit {
    /// Says `submitting`, sends once, and never again while the outcome is unknown.
    Careful,
    /// As careful, and marks the operation failed when it gives up.
    MarksFailed,
    /// Sends again on every attempt.
    Blind,
    /// Its region's address refuses connections; each attempt proves that nothing was sent.
    Unreachable,
    /// As unreachable, and marks the operation failed when it gives up.
    UnreachableMarksFailed,
    /// A setting is missing before anything is sent or said.
    MissingSetting,
    /// A job that no worker of the application knows.
    Unregistered,
    /// A cache takes another operation's job for this one.
    Borrows,
    /// The provider accepts, the next message is made, and nothing is reported.
    LosesReport,
    /// The outcome is unknown; then a webhook says that it succeeded, without naming the job.
    Webhook,
}

/// How the render is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Poll {
    /// Reports each answer and waits within its attempts.
    Careful,
    /// Waits one attempt only.
    Hurried,
    /// Marks the operation failed when it gives up waiting.
    MarksFailed,
    /// Also looks for other jobs of this operation, and reports each.
    Searches,
    /// Reports nothing.
    Silent,
}

/// How outputs are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deliver {
    /// Copies what is missing, reports each copy, then completes.
    Careful,
    /// Two attempts only.
    Hurried,
    /// The application's share of the artifact store is used up.
    StoreFull,
    /// Every copy is there; the application's database fails before it reports completion.
    LosesCompletion,
    /// Delivered and reported; the application's database fails after that.
    CatalogueFails,
}

/// How a refund is settled in the application's books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refund {
    /// Waits for the refund within its attempts.
    Careful,
    /// The refund is there; the application's database fails.
    LedgerFails,
}

/// The application's conduct, by the kind of its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conduct {
    pub submit: Submit,
    pub poll: Poll,
    pub deliver: Deliver,
    pub refund: Refund,
}

/// What the operators of the demo do with the operation, once its messages have died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeskStep {
    /// Nothing: it is left for the reader.
    Leave,
    /// `close_unresolved`.
    Close,
    /// `acknowledge_obsolete`.
    Acknowledge,
    /// `refund_requested`.
    RequestRefund,
    /// Confirms the plan, whatever it is, and waits for its end.
    Recover,
    /// Observes with `follow`, and leaves it running.
    Follow,
    /// The approver confirms a new generation.
    Dispatch,
    /// The approver prepares a new operation in its stead and sends that.
    Replace,
}

/// Whose facts guard a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facts {
    /// Current specification, authorized owner, enough budget.
    Good,
    /// Made from a specification revision that has moved on.
    OldSpecification,
    /// An owner with too few credits left.
    PoorOwner,
    /// An owner that may not create.
    BarredOwner,
}

/// One kind of thing that happens, and how often.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub name: &'static str,
    /// How many operations live through it.
    pub count: usize,
    /// What answers the creation requests, in order; the last answers what follows.
    pub creations: Vec<CreateScript>,
    pub job: JobScript,
    pub conduct: Conduct,
    pub facts: Facts,
    pub desk: DeskStep,
    /// The row of the decision table in the end.
    pub row: u8,
    pub label: Label,
    /// Creation requests per operation, by the application or by our own worker.
    pub posts: usize,
    /// Dead letters per operation.
    pub deaths: usize,
}

impl Scenario {
    /// A scenario by the book: accepted, two short steps, one film, delivered; no message dies.
    pub fn new(name: &'static str, count: usize, row: u8, label: Label) -> Self {
        Self {
            name,
            count,
            creations: vec![CreateScript::Accepted],
            job: super::renders::film(),
            conduct: Conduct {
                submit: Submit::Careful,
                poll: Poll::Careful,
                deliver: Deliver::Careful,
                refund: Refund::Careful,
            },
            facts: Facts::Good,
            desk: DeskStep::Leave,
            row,
            label,
            posts: 1,
            deaths: 1,
        }
    }

    /// The creation request is answered so.
    pub fn answered(mut self, script: CreateScript) -> Self {
        self.creations = vec![script];
        self
    }

    /// The job lives so.
    pub fn job(mut self, job: JobScript) -> Self {
        self.job = job;
        self
    }

    pub fn submit(mut self, submit: Submit) -> Self {
        self.conduct.submit = submit;
        self
    }

    pub fn poll(mut self, poll: Poll) -> Self {
        self.conduct.poll = poll;
        self
    }

    pub fn deliver(mut self, deliver: Deliver) -> Self {
        self.conduct.deliver = deliver;
        self
    }

    pub fn refund(mut self, refund: Refund) -> Self {
        self.conduct.refund = refund;
        self
    }

    pub fn facts(mut self, facts: Facts) -> Self {
        self.facts = facts;
        self
    }

    pub fn desk(mut self, desk: DeskStep) -> Self {
        self.desk = desk;
        self
    }

    /// So many creation requests instead of one.
    pub fn posts(mut self, posts: usize) -> Self {
        self.posts = posts;
        self
    }

    /// So many dead letters instead of one.
    pub fn deaths(mut self, deaths: usize) -> Self {
        self.deaths = deaths;
        self
    }
}
