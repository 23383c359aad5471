//! What open pages compare to know whether something changed.

use super::{Office, require};
use crate::storage::marks;
use app::desk::{DeskError, Topic};
use app::domain::permission::Permission;
use app::domain::role::Caller;

/// Marks that are kept: open pages look at few things.
pub(super) const MARKS: usize = 256;

impl Office {
    /// The mark of a topic at this moment. Of what does not exist too: that it appears is a change.
    ///
    /// # Errors
    /// `role_required`, `unavailable`.
    pub async fn mark(&self, caller: &Caller, topic: &Topic) -> Result<String, DeskError> {
        require(caller, Permission::Read)?;
        let state = self.database.state().await?;
        if let Some(mark) = self.marks.get(&state, topic) {
            return Ok(String::clone(&mark));
        }
        let mut tx = self.database.read().await?;
        let mut marks = marks::read(&mut tx, std::slice::from_ref(topic)).await?;
        let mark = marks.remove(topic).unwrap_or_default();
        Ok(String::clone(&self.marks.keep(state, topic.clone(), mark)))
    }
}
