//! The head of every page. Its counts are taken again after each change: of our own at once, of others within a second.

use super::{Office, require};
use crate::database::State;
use crate::storage::overview;
use app::desk::{DeskError, Overview};
use app::domain::permission::Permission;
use app::domain::role::Caller;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Counts older than this are taken again: other processes change them too.
const FRESH: Duration = Duration::from_millis(800);

/// The counts as they were last taken.
#[derive(Debug, Default)]
pub struct LastOverview(Mutex<Option<Taken>>);

#[derive(Debug, Clone)]
struct Taken {
    at: Instant,
    /// How many changes of our own they show.
    changes: u64,
    /// Of the database, before they were taken.
    state: Option<State>,
    counts: Overview,
}

impl LastOverview {
    fn lock(&self) -> MutexGuard<'_, Option<Taken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Office {
    /// How many recoveries run, how much money is unresolved, how many requests may have been billed.
    pub async fn overview(&self, caller: &Caller) -> Result<Overview, DeskError> {
        require(caller, Permission::Read)?;
        // Before the counts are read: a change that comes meanwhile makes them old.
        let (at, changes) = (Instant::now(), self.database.changes_made());
        let kept = self.last_overview.lock().clone();
        let counts = match kept {
            Some(kept) if kept.changes == changes && kept.at.elapsed() < FRESH => kept.counts,
            kept @ (Some(_) | None) => {
                let state = self.database.state().await.ok();
                let counts = match kept {
                    Some(kept) if state.is_some() && kept.state == state => kept.counts,
                    Some(_) | None => overview::read(&self.database).await?,
                };
                *self.last_overview.lock() = Some(Taken {
                    at,
                    changes,
                    state,
                    counts: counts.clone(),
                });
                counts
            }
        };
        Ok(Overview {
            filling: self.filling.sentence(),
            ..counts
        })
    }
}
