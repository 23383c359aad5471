//! The queues, counted.

use super::{Office, require};
use crate::storage::{circuits, dead_letters, stats, stuck};
use app::desk::{DeskError, QueuesView};
use app::domain::permission::Permission;
use app::domain::role::Caller;

impl Office {
    /// Soniq's six keys, in total and per queue; what is stuck, and how large the dead table is: in one snapshot.
    pub async fn queues(&self, caller: &Caller) -> Result<QueuesView, DeskError> {
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        let counted = stats::read(&mut tx).await?;
        let rows = counted.totals.dead_letter;
        Ok(QueuesView {
            stuck: stuck::read(&mut tx).await?,
            dead_letters: dead_letters::measure(&mut tx, rows).await?,
            circuits: circuits::list(&mut tx).await?,
            ..counted
        })
    }
}
