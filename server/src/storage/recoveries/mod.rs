//! Recoveries: confirmed plans being carried out by machine (`dlo_recoveries`), and the replay protocol's
//! transactions (DESIGN 4). One file per step of the protocol.

mod approve;
mod cancel;
mod deliver;
mod end;
mod intend;
mod list;
mod observe;
mod permit;
mod receipt;
mod reconcile;
mod report;
mod row;

pub use approve::approve;
pub use cancel::cancel;
pub use deliver::{Recorded, record_delivery};
pub use end::{Ending, end};
pub use intend::{Intent, intend_recovery};
pub use list::{active_of, get, list, of_operation};
pub use observe::{Seen, record_observation};
pub use permit::{Permission, Permit, hold, is_held, may_send, permit, release};
pub use receipt::{keep_receipt, store_receipt};
pub use reconcile::reconcile;
pub use report::{Report, report};
pub use row::{Stored, lock};

use crate::database::{DbError, Tx};
use crate::storage::operations;
use app::desk::{Answer, Code, DeskError};
use app::domain::ids::JobId;
use app::domain::operation::Operation;
use std::collections::BTreeSet;

/// Who answers for what no person did.
pub(crate) fn worker() -> app::domain::role::Caller {
    app::domain::role::Caller {
        name: "worker".to_owned(),
        role: app::domain::role::Role::Admin,
    }
}

/// Which of these ids another operation of the same provider and account has attached.
async fn held_by_others(
    tx: &mut Tx,
    record: &Operation,
    job_id: Option<&JobId>,
) -> Result<BTreeSet<JobId>, DbError> {
    let asked: BTreeSet<JobId> = job_id.into_iter().cloned().collect();
    operations::held_elsewhere(tx, &record.provider, &record.account, &record.id, &asked).await
}

/// The first answer under an idempotency key, as it was given.
fn stored_answer<T: serde::de::DeserializeOwned>(answer: serde_json::Value) -> Answer<T> {
    serde_json::from_value(answer).map_err(|error| {
        tracing::error!(error = %error, "a stored answer cannot be read back");
        DeskError::new(
            Code::Internal,
            "The first answer to this key cannot be read back.",
        )
    })
}

/// 422: the key was used for something else.
fn key_conflict() -> DeskError {
    DeskError::new(
        Code::IdempotencyConflict,
        "This idempotency key was used with another body.",
    )
}
