//! How people want to read.

use super::Office;
use super::desk::OfficeDesk;
use super::kept::Moment;
use crate::storage::preferences;
use app::desk::{Answer, PreferenceDesk, Preferences};
use app::domain::role::Caller;
use async_trait::async_trait;

/// People whose choices are kept at once.
pub(super) const PEOPLE: usize = 256;

impl Office {
    /// What this person chose. Unreadable preferences are the defaults: a page in an incident opens all the same.
    pub async fn preferences(&self, moment: &Moment, person: &str) -> Preferences {
        let read = preferences::find(&self.database, person);
        let kept = self
            .chosen
            .answer(moment, &self.database, person.to_owned(), read);
        match kept.await {
            Ok(chosen) => *chosen,
            Err(error) => {
                tracing::warn!(error = %error, "preferences could not be read");
                Preferences::default()
            }
        }
    }

    /// Keeps what the caller chose for themselves.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn prefer(&self, caller: &Caller, chosen: &Preferences) -> Answer<()> {
        Ok(preferences::save(&self.database, &caller.name, chosen).await?)
    }
}

#[async_trait]
impl PreferenceDesk for OfficeDesk {
    async fn prefer(&self, chosen: Preferences) -> Answer<()> {
        self.office.prefer(self.signed_in()?, &chosen).await
    }
}
