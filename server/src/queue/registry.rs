//! Handlers by job name.

use app::domain::ids::QueueJobId;
use app::domain::operation::ErrorCategory;
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A claimed job, as its handler sees it.
#[derive(Debug, Clone)]
pub struct Job {
    pub id: QueueJobId,
    pub job_name: String,
    pub args: Map<String, Value>,
    pub queue: String,
    pub priority: i64,
    /// This claim's number, from 1; the fence of everything that ends the claim.
    pub attempt: i64,
    pub max_attempts: i64,
    /// When the claim's lease ends unless it is renewed, on this process's monotonic clock, started before the claim's
    /// commit.
    pub lease_ends: Instant,
    /// Cancelled when the lease was lost: somebody else may have the job now. The handler is dropped then anyway.
    pub lost: CancellationToken,
    /// Cancelled when the worker is told to end: what can end soon should, and the rest be given back.
    pub ending: CancellationToken,
    /// Cancelled when the worker waits no longer: what is under way has a moment to write down how it stands.
    pub cut: CancellationToken,
}

/// What a handler made of its job: a result to keep, or a failure.
pub type HandlerResult = Result<Value, JobFailure>;

/// A failure of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFailure {
    pub category: ErrorCategory,
    /// Kept with the job and shown redacted.
    pub text: String,
    /// Trying again would not help.
    pub permanent: bool,
    /// When to try again; `None`: as the retry policy says.
    pub after: Option<Duration>,
    /// No failure of the job at all: it is put back untried and spends no attempt.
    pub put_back: bool,
    /// With `put_back`: what failed before is forgotten, for it went well this time.
    pub afresh: bool,
}

impl JobFailure {
    /// A failure that another attempt may cure.
    pub fn new(category: ErrorCategory, text: impl Into<String>) -> Self {
        Self {
            category,
            text: text.into(),
            permanent: false,
            after: None,
            put_back: false,
            afresh: false,
        }
    }

    /// The same failure, tried again not before `after`.
    #[must_use]
    pub const fn after(mut self, after: Option<Duration>) -> Self {
        self.after = after;
        self
    }

    /// Nothing failed: the job is put back, for anybody to take after `after`. It spends no attempt.
    pub fn put_back(after: Duration, text: impl Into<String>) -> Self {
        Self {
            after: Some(after),
            put_back: true,
            ..Self::new(ErrorCategory::Other, text)
        }
    }

    /// It went well so far, and goes on after `after`: a new allowance of attempts.
    pub fn goes_on(after: Duration, text: impl Into<String>) -> Self {
        Self {
            afresh: true,
            ..Self::put_back(after, text)
        }
    }

    /// A failure that no other attempt cures.
    pub fn permanent(category: ErrorCategory, text: impl Into<String>) -> Self {
        Self {
            category,
            text: text.into(),
            permanent: true,
            after: None,
            put_back: false,
            afresh: false,
        }
    }
}

pub(super) type Handler = Arc<dyn Fn(Job) -> BoxFuture<'static, HandlerResult> + Send + Sync>;

/// A handler, and whether its lease is renewed while it runs.
#[derive(Clone)]
pub(super) struct Registered {
    pub handler: Handler,
    pub renews: bool,
}

/// Handlers by job name. A job whose name is not here becomes a dead letter (`job_not_found`).
#[derive(Clone, Default)]
pub struct Registry {
    handlers: HashMap<String, Registered>,
}

impl Registry {
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a handler. Its lease is renewed while it runs.
    #[must_use]
    pub fn on<F, Fut>(self, job_name: &str, handler: F) -> Self
    where
        F: Fn(Job) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = HandlerResult> + Send + 'static,
    {
        self.with(job_name, handler, true)
    }

    /// Registers a handler whose lease is never renewed: creations.
    #[must_use]
    pub fn on_unrenewed<F, Fut>(self, job_name: &str, handler: F) -> Self
    where
        F: Fn(Job) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = HandlerResult> + Send + 'static,
    {
        self.with(job_name, handler, false)
    }

    fn with<F, Fut>(mut self, job_name: &str, handler: F, renews: bool) -> Self
    where
        F: Fn(Job) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = HandlerResult> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |job| Box::pin(handler(job)));
        self.handlers
            .insert(job_name.to_owned(), Registered { handler, renews });
        self
    }

    pub(super) fn get(&self, job_name: &str) -> Option<&Registered> {
        self.handlers.get(job_name)
    }
}
