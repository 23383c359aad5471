//! The worker's loop on the queue of our own.

use super::{Executor, JOB_NAMES};
use crate::queue::{self, Registry, Settings, Worker};
use crate::storage::jobs::OWN_QUEUE;
use app::domain::plan::Action;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Works until told to stop; running jobs may end within a bound.
pub async fn run(executor: Executor, stop: CancellationToken) {
    let office = Arc::clone(&executor.office);
    let queues = Some(vec![OWN_QUEUE.to_owned()]);
    let worker = Worker {
        database: office.database.clone(),
        registry: Arc::new(registry(&executor)),
        settings: Arc::new(Settings::new(
            queues.clone(),
            &office.config.worker,
            &office.config.retries,
        )),
        bell: Arc::clone(&office.work),
    };
    let listener = tokio::spawn(queue::listen(
        office.database.clone(),
        queues,
        Arc::clone(&office.work),
        stop.clone(),
    ));
    worker.run(stop).await;
    listener.abort();
}

/// One handler per action. The lease of a creation is never renewed.
fn registry(executor: &Executor) -> Registry {
    JOB_NAMES
        .into_iter()
        .fold(Registry::new(), |registry, (name, action)| {
            let executor = executor.clone();
            let handler = move |job| {
                let executor = executor.clone();
                async move { executor.run_job(&job).await.map(|()| Value::Null) }
            };
            match action {
                Action::Dispatch => registry.on_unrenewed(name, handler),
                Action::Observe
                | Action::Deliver
                | Action::InspectAccounting
                | Action::Reconcile
                | Action::Acknowledge => registry.on(name, handler),
            }
        })
}
