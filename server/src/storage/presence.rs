//! Which tables hold anything about an operation. Mostly they hold nothing: one look says so, and spares the others.

use crate::database::{DbError, Tx};
use crate::values;
use app::domain::operation::Operation;

/// Where there is something to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presence {
    pub children: bool,
    pub recoveries: bool,
    pub decisions: bool,
    pub notes: bool,
    /// A claim that may be over.
    pub claim: bool,
    /// Of its provider's account.
    pub circuit: bool,
}

/// Looks for the operation in each of them.
pub async fn of(tx: &mut Tx, record: &Operation) -> Result<Presence, DbError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM dlo_operations WHERE parent = $1) AS children, \
               EXISTS (SELECT 1 FROM dlo_recoveries WHERE operation_id = $1) AS recoveries, \
               EXISTS (SELECT 1 FROM dlo_decisions WHERE operation_id = $1) AS decisions, \
               EXISTS (SELECT 1 FROM dlo_notes WHERE operation_id = $1) AS notes, \
               EXISTS (SELECT 1 FROM dlo_claims WHERE operation_id = $1) AS claim, \
               EXISTS (SELECT 1 FROM dlo_circuits WHERE provider = $2 AND account = $3) AS circuit";
    let asked = values![&record.id, record.provider.as_str(), record.account.as_str()];
    let row = tx.fetch_one(sql, asked).await?;
    Ok(Presence {
        children: row.flag("children")?,
        recoveries: row.flag("recoveries")?,
        decisions: row.flag("decisions")?,
        notes: row.flag("notes")?,
        claim: row.flag("claim")?,
        circuit: row.flag("circuit")?,
    })
}

/// What is read where there is something; nothing elsewhere.
pub async fn read_if<T: Default>(
    there: bool,
    read: impl Future<Output = Result<T, DbError>>,
) -> Result<T, DbError> {
    if there { read.await } else { Ok(T::default()) }
}
