//! The worker's loops: the queue of our own, and the reconciler beside it.

use super::{Executor, JOB_NAMES};
use crate::queue::{self, Registry, Settings, Worker};
use crate::storage::jobs::OWN_QUEUE;
use crate::storage::recoveries;
use app::domain::plan::Action;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often open recoveries are looked over.
const RECONCILE_EVERY: Duration = Duration::from_millis(500);

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
    let reconciler = tokio::spawn(reconcile(executor, stop.clone()));
    worker.run(stop).await;
    listener.abort();
    reconciler.abort();
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

/// Ends what nobody will end any more.
async fn reconcile(executor: Executor, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let office = &executor.office;
        if let Err(error) = recoveries::reconcile(&office.database, &office.config).await {
            tracing::warn!(error = %error, "open recoveries could not be looked over");
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(RECONCILE_EVERY) => {}
        }
    }
}
