//! Dispatch (DESIGN 4.5, 4.6): sent once, classified by its receipt, written whatever happened to the lease.

use super::{Executor, database_failure};
use crate::database::DbError;
use crate::fault;
use crate::queue::JobFailure;
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
    pub(super) async fn dispatch(&self, permit: &Permit, lease_ends: Instant) -> Result<(), JobFailure> {
        let receipt = self.send(permit, lease_ends).await;
        fault::point("answered").await;
        let started = Instant::now();
        loop {
            match recoveries::store_receipt(&self.office.database, permit, &receipt).await {
                Ok(_) => break,
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
        fault::point("recorded").await;
        Ok(())
    }

    /// One request at most. Whatever keeps it from being sent is a `not_sent` receipt.
    async fn send(&self, permit: &Permit, lease_ends: Instant) -> Receipt {
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
        fault::point("before_send").await;
        creator
            .create(&record.id, &body, move || Instant::now() < lease_ends)
            .await
    }
}

impl Executor {
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
