//! Dispatch (DESIGN 4.5, 4.6): sent once, classified by its receipt, written whatever happened to the lease.

use super::{Executor, database_failure};
use crate::database::DbError;
use crate::fault;
use crate::queue::{Job, JobFailure};
use crate::storage::facts;
use crate::storage::recoveries::{self, Permit};
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::operation::ErrorCategory;
use std::time::{Duration, Instant};

/// A receipt is written again and again until the database takes it, for so long. It is the only proof of a paid render.
const KEEP_TRYING: Duration = Duration::from_secs(600);
/// Between two tries.
const TRY_AGAIN: Duration = Duration::from_millis(500);

impl Executor {
    pub(super) async fn dispatch(&self, permit: &Permit, job: &Job) -> Result<(), JobFailure> {
        let receipt = self.send(permit, job).await;
        fault::point("dispatch", "answered").await;
        let started = Instant::now();
        loop {
            match recoveries::store_receipt(&self.office.database, permit, &receipt).await {
                Ok(_) => break,
                // Waiting would not mend such a row, and must not cost the only trace of a paid render.
                Err(error @ DbError::Inconsistent { .. }) => {
                    let kept = recoveries::keep_receipt(&self.office.database, permit, &receipt).await;
                    if kept.is_ok() {
                        return Err(database_failure(&error));
                    }
                    tokio::time::sleep(TRY_AGAIN).await;
                }
                Err(error) if started.elapsed() < KEEP_TRYING => {
                    // The id may be the only trace of a paid render: the log keeps it until the database does.
                    tracing::error!(
                        error = %error,
                        operation = %permit.record.id,
                        receipt = %receipt.kind,
                        job = receipt.job_id.as_ref().map(|id| id.as_str()),
                        "a receipt could not be stored yet"
                    );
                    tokio::time::sleep(TRY_AGAIN).await;
                }
                Err(error) => return Err(database_failure(&error)),
            }
        }
        fault::point("dispatch", "recorded").await;
        Ok(())
    }

    /// One request at most. Whatever keeps it from being sent is a `not_sent` receipt.
    async fn send(&self, permit: &Permit, job: &Job) -> Receipt {
        let record = &permit.record;
        let Some(creator) = self.creators.get(&record.provider) else {
            return not_sent("the provider is not configured", ErrorCategory::Configuration);
        };
        let body = match self.specification_body(permit).await {
            Ok(Body::Stored(body)) => body,
            // The guard warned of it: the provider is sent our reference alone, and will say what it thinks.
            Ok(Body::NeverReported) => serde_json::json!({}),
            Ok(Body::Moved) => {
                return not_sent(
                    "the specification changed before it was sent",
                    ErrorCategory::Configuration,
                );
            }
            Err(error) => {
                tracing::error!(error = %error, "the specification could not be read");
                return not_sent("the specification could not be read", ErrorCategory::Database);
            }
        };
        fault::point("dispatch", "before_send").await;
        let lease_ends = job.lease_ends;
        creator
            .create_while(
                &record.id,
                &body,
                self.still_holds(permit),
                move || Instant::now() < lease_ends,
                &job.cut,
            )
            .await
    }
}

impl Executor {
    /// Asked when the connection stands: a worker that stalled, or a clock that leapt, may have cost it the permit.
    /// Without an answer nothing is sent.
    async fn still_holds(&self, permit: &Permit) -> bool {
        match recoveries::may_send(&self.office.database, permit).await {
            Ok(held) => held,
            Err(error) => {
                tracing::warn!(error = %error, "the permit could not be confirmed: nothing is sent");
                false
            }
        }
    }

    async fn specification_body(&self, permit: &Permit) -> Result<Body, DbError> {
        let wanted = &permit.record.specification;
        let mut tx = self.office.database.read().await?;
        if let Some(body) = facts::specification_body(&mut tx, &wanted.id, wanted.revision).await? {
            return Ok(Body::Stored(body));
        }
        let known = facts::specification(&mut tx, &wanted.id).await?;
        let current = known.is_some_and(|facts| facts.current_revision == wanted.revision);
        Ok(if current { Body::NeverReported } else { Body::Moved })
    }
}

/// What there is to send.
enum Body {
    Stored(serde_json::Value),
    NeverReported,
    /// Another revision became current between the permit and now.
    Moved,
}

fn not_sent(detail: &str, category: ErrorCategory) -> Receipt {
    Receipt {
        kind: ReceiptKind::NotSent,
        status: None,
        job_id: None,
        job_id_at: None,
        charge: None,
        detail: detail.to_owned(),
        category: Some(category),
    }
}
