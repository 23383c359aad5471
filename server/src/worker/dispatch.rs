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
                    tracing::error!(error = %error, "a receipt could not be stored yet");
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
            Ok(Some(body)) => body,
            // The guard warned of it: the provider is sent our reference alone, and will say what it thinks.
            Ok(None) => serde_json::json!({}),
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
    async fn specification_body(&self, permit: &Permit) -> Result<Option<serde_json::Value>, DbError> {
        let wanted = &permit.record.specification;
        let mut tx = self.office.database.read().await?;
        facts::specification_body(&mut tx, &wanted.id, wanted.revision).await
    }
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
