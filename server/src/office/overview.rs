//! The head of every page.

use super::{Office, require};
use crate::storage::overview;
use app::desk::{DeskError, Overview};
use app::domain::role::{Caller, Role};

impl Office {
    /// How many recoveries run, how much money is unresolved, how many requests may have been billed.
    pub async fn overview(&self, caller: &Caller) -> Result<Overview, DeskError> {
        require(caller, Role::Viewer)?;
        let mut tx = self.database.read().await?;
        Ok(Overview {
            filling: self.filling.sentence(),
            ..overview::read(&mut tx).await?
        })
    }
}
