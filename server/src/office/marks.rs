//! What open pages compare to know whether something changed.

use super::kept::Moment;
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
        self.mark_at(&Moment::default(), caller, topic).await
    }

    /// As [`Self::mark`], for a reader who has asked for the state already.
    pub(super) async fn mark_at(
        &self,
        moment: &Moment,
        caller: &Caller,
        topic: &Topic,
    ) -> Result<String, DeskError> {
        require(caller, Permission::Read)?;
        let read = async {
            let mut tx = self.database.read().await?;
            let mut marks = marks::read(&mut tx, std::slice::from_ref(topic)).await?;
            Ok::<_, DeskError>(marks.remove(topic).unwrap_or_default())
        };
        let kept = self.marks.answer(moment, &self.database, topic.clone(), read);
        Ok(String::clone(&*kept.await?))
    }
}
