//! The head of every page. Its counts are taken again after each change: of our own at once, of others within a second.

use super::kept::Aging;
use super::{Office, require};
use crate::storage::overview;
use app::desk::{DeskError, Overview};
use app::domain::permission::Permission;
use app::domain::role::Caller;

/// The counts by how many changes of our own they show: a change makes it another question.
pub type Overviews = Aging<u64, Overview>;
/// Nobody asks for those before the last change.
pub const OVERVIEWS: usize = 1;

impl Office {
    /// How many recoveries run, how much money is unresolved, how many requests may have been billed.
    pub async fn overview(&self, caller: &Caller) -> Result<Overview, DeskError> {
        require(caller, Permission::Read)?;
        // Before the counts are read: a change that comes meanwhile makes them old.
        let changes = self.database.changes_made();
        let read = overview::read(&self.database);
        let counts = self.overviews.answer(&self.database, changes, read).await?;
        Ok(Overview {
            filling: self.filling.sentence(),
            ..Overview::clone(&counts)
        })
    }
}
