//! How a recovery ends (DESIGN 4.10): its state, its words, its audit entry, its lease and its reservation, at once.

use super::row::Stored;
use crate::database::{DbError, Tx};
use crate::storage::audit::{self, Entry};
use crate::storage::{attempts, reservations};
use crate::values;
pub use app::domain::protocol::Ending;
use app::domain::protocol::ends_with_recovery;
use app::domain::role::Caller;

/// Ends a recovery in the caller's transaction and revokes its lease. `false` when it had ended already.
pub async fn end(
    tx: &mut Tx,
    stored: &Stored,
    revision_after: i64,
    by: &Caller,
    ending: &Ending,
) -> Result<bool, DbError> {
    let id = stored.recovery.id;
    let changed = tx
        .execute(
            "UPDATE dlo_recoveries SET state = $1, outcome = $2, revision_after = $3, finished_at = $4, heard_at = $4, \
             fence = fence + 1, lease_until = NULL WHERE id = $5 AND finished_at IS NULL",
            values![ending.state.as_str(), &ending.outcome, revision_after, tx.now(), id],
        )
        .await?;
    if changed == 0 {
        return Ok(false);
    }
    release_if_closed(tx, stored).await?;
    let entry = Entry::new(by, format!("{}_ended_{}", stored.recovery.action, ending.state))
        .effect(stored.recovery.effect)
        .operation(&stored.recovery.operation_id)
        .dead_letter(stored.recovery.dead_letter_id)
        .recovery(id)
        .revisions(stored.recovery.revision_before, Some(revision_after))
        .reason(ending.outcome.clone())
        .guards(&ending.guards);
    audit::append(tx, entry).await?;
    Ok(true)
}

/// Lets go of what the recovery held back, when its receipts say so.
pub(super) async fn release_if_closed(tx: &mut Tx, stored: &Stored) -> Result<(), DbError> {
    if !stored.reservation_open {
        return Ok(());
    }
    let kinds = attempts::receipt_kinds(tx, stored.recovery.id).await?;
    if ends_with_recovery(kinds.as_deref()) {
        reservations::end(tx, stored.recovery.id).await?;
    }
    Ok(())
}
