//! The queues, counted.

use super::{Office, require};
use crate::storage::stats;
use app::desk::{DeskError, QueuesView};
use app::domain::role::{Caller, Role};

impl Office {
    /// Soniq's six keys, in total and per queue, in one snapshot.
    pub async fn queues(&self, caller: &Caller) -> Result<QueuesView, DeskError> {
        require(caller, Role::Viewer)?;
        let mut tx = self.database.read().await?;
        Ok(stats::read(&mut tx).await?)
    }
}
