//! The application's workers: its handlers on our queue code, on queues of its own.

use super::application::{Application, Failure, JOB_NAMES, Message, QUEUES};
use crate::config;
use crate::database::Database;
use crate::queue::{Job, JobFailure, Registry, Settings, Worker};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Messages that the application works on at once: most of them wait for the provider.
const CONCURRENCY: u32 = 12;
/// Longer than any handler takes.
const LEASE_SECONDS: u64 = 60;
/// Waits between attempts. Short: the demo has a minute.
const BACKOFF_SECONDS: [u64; 2] = [1, 2];
/// How soon a message is seen whose wait is over.
const POLL: Duration = Duration::from_millis(250);
/// How long handlers may go on when the demo ends.
const GRACE: Duration = Duration::from_secs(1);

impl From<Job> for Message {
    fn from(job: Job) -> Self {
        Self {
            id: job.id.0,
            job_name: job.job_name,
            args: job.args,
            attempt: job.attempt,
            max_attempts: job.max_attempts,
        }
    }
}

impl From<Failure> for JobFailure {
    fn from(failure: Failure) -> Self {
        if failure.permanent {
            Self::permanent(failure.category, failure.text)
        } else {
            Self::new(failure.category, failure.text)
        }
    }
}

/// The worker that carries the application's messages out.
pub fn worker(application: &Arc<Application>, database: Database) -> Worker {
    let registry = JOB_NAMES.into_iter().fold(Registry::new(), |registry, name| {
        let application = Arc::clone(application);
        registry.on(name, move |job: Job| {
            let application = Arc::clone(&application);
            async move {
                let done = application.handle(&Message::from(job)).await;
                done.map(|()| Value::Null).map_err(JobFailure::from)
            }
        })
    });
    let worker = config::Worker {
        concurrency: CONCURRENCY,
        lease_seconds: LEASE_SECONDS,
        ..config::Worker::default()
    };
    let retries = config::Retries {
        backoff_seconds: BACKOFF_SECONDS.to_vec(),
        ..config::Retries::default()
    };
    let queues = QUEUES.iter().map(|queue| (*queue).to_owned()).collect();
    let settings = Settings {
        poll: POLL,
        grace: GRACE,
        ..Settings::new(Some(queues), &worker, &retries)
    };
    Worker {
        database,
        registry: Arc::new(registry),
        settings: Arc::new(settings),
        bell: application.outbox.bell(),
    }
}
