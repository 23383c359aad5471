//! A circuit per provider and account (`dlo_circuits`): when reads go unanswered one after the other, what would only be
//! repeated waits. A person's own ask always goes through, and is the next try.

use super::{Executor, database_failure};
use crate::provider::Answer;
use crate::queue::JobFailure;
use crate::storage::circuits::{self, Admission};
use crate::storage::recoveries::Permit;
use app::domain::remote::Fetch;
use std::time::Duration;

/// A provider that asks for a longer pause is asked again all the same.
pub(super) const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The pause that a provider asked for, within reason.
pub(super) fn capped(retry_after: Option<Duration>) -> Option<Duration> {
    retry_after.map(|pause| pause.min(LONGEST_RETRY_AFTER))
}

impl Executor {
    /// Whether this read may be sent now. The first one of a recovery always may: a person has just asked for it.
    pub(super) async fn admitted(&self, permit: &Permit) -> Result<(), JobFailure> {
        if permit.fence <= 1 {
            return Ok(());
        }
        let record = &permit.record;
        let timeout = self
            .office
            .config
            .providers
            .get(&record.provider)
            .map_or(LONGEST_RETRY_AFTER, |provider| {
                Duration::from_secs(provider.timeout_seconds)
            });
        match circuits::admit(&self.office.database, &record.provider, &record.account, timeout).await {
            Ok(Admission::Go) => Ok(()),
            Ok(Admission::Wait(pause)) => Err(JobFailure::put_back(
                pause,
                "the provider does not answer at present; it is asked again later",
            )),
            Err(error) => Err(database_failure(&error)),
        }
    }

    /// Counts an answer, or that there was none. What cannot be counted is not: the read itself is what matters.
    pub(super) async fn note_answer(&self, permit: &Permit, answer: &Answer) {
        let fetch = answer.observation.fetch;
        let (database, record) = (&self.office.database, &permit.record);
        let noted = match fetch {
            Fetch::Network | Fetch::ServerError | Fetch::RateLimited => {
                let pause = capped(answer.retry_after);
                circuits::unanswered(database, &record.provider, &record.account, fetch, pause).await
            }
            Fetch::Ok | Fetch::NotFound | Fetch::Forbidden | Fetch::Unauthorized | Fetch::BadPayload => {
                circuits::answered(database, &record.provider, &record.account).await
            }
            // Our own configuration refused: that says nothing about the provider.
            Fetch::Blocked => Ok(()),
        };
        if let Err(error) = noted {
            tracing::warn!(error = %error, "a circuit could not be kept");
        }
    }
}
