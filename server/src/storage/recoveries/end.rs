//! How a recovery ends (DESIGN 4.10): its state, its words, its audit entry, its lease and its reservation, at once.

use super::row::Stored;
use crate::database::{DbError, Tx};
use crate::storage::audit::{self, Entry};
use crate::storage::reservations;
use crate::values;
use app::domain::guard::GuardResult;
use app::domain::recovery::RecoveryState;
use app::domain::role::Caller;

/// An end, and what was observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub state: RecoveryState,
    /// One or two sentences: what was observed, not what was hoped.
    pub outcome: String,
    /// The guards that refused at the last moment, if they did.
    pub guards: Vec<GuardResult>,
}

impl Ending {
    pub fn new(state: RecoveryState, outcome: impl Into<String>) -> Self {
        Self {
            state,
            outcome: outcome.into(),
            guards: Vec::new(),
        }
    }
}

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

/// The reservation ends with the recovery when none of the operation's attempts is open, and none was accepted:
/// what was accepted stays reserved until younger owner facts count it (DESIGN 3).
pub(super) async fn release_if_closed(tx: &mut Tx, stored: &Stored) -> Result<(), DbError> {
    if !stored.reservation_open {
        return Ok(());
    }
    let sql = "SELECT COUNT(*) AS n FROM dlo_attempts a WHERE a.recovery_id = $1 AND NOT EXISTS (\
               SELECT 1 FROM dlo_receipts r WHERE r.attempt_id = a.id AND r.kind IN ('not_sent', 'rejected', 'confirmed_by_person'))";
    if tx.fetch_one(sql, values![stored.recovery.id]).await?.int("n")? == 0 {
        reservations::end(tx, stored.recovery.id).await?;
    }
    Ok(())
}
