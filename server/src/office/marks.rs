//! What open pages compare to know whether something changed.

use super::{Office, require};
use crate::storage::marks;
use app::desk::{DeskError, Topic};
use app::domain::permission::Permission;
use app::domain::role::Caller;

impl Office {
    /// The mark of a topic at this moment. Of what does not exist too: that it appears is a change.
    ///
    /// # Errors
    /// `role_required`, `unavailable`.
    pub async fn mark(&self, caller: &Caller, topic: &Topic) -> Result<String, DeskError> {
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        let mut marks = marks::read(&mut tx, std::slice::from_ref(topic)).await?;
        Ok(marks.remove(topic).unwrap_or_default())
    }
}
