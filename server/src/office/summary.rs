//! The desk's counts, which many readers ask for: taken once a second while something changes, and once where nothing does.

use super::dead_letters::check_range;
use super::{Office, require};
use crate::database::{DbError, State, Tx};
use crate::storage::dead_letters;
use app::desk::finding::{first_hour, within};
use app::desk::{CategoryCount, DeadLetterFilter, DeskError, HourCount, Hours, Summary};
use app::domain::permission::Permission;
use app::domain::role::Caller;
use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Counts older than this are taken again; with the time that this takes they are at most a second old.
const FRESH: Duration = Duration::from_millis(800);
/// Filters whose counts are kept, of each kind.
const MAX_KEPT: usize = 64;

/// Counts by filter. What a person does with a message forgets them; every other change is seen within a second.
#[derive(Debug, Default)]
pub struct Summaries {
    rail: Counts<Summary>,
    hours: Counts<Vec<HourCount>>,
    categories: Counts<Vec<CategoryCount>>,
}

impl Summaries {
    /// Something was written: all counts are taken again.
    pub fn forget(&self) {
        self.rail.lock().clear();
        self.hours.lock().clear();
        self.categories.lock().clear();
    }
}

/// One kind of counts by filter.
#[derive(Debug)]
struct Counts<T> {
    kept: Mutex<HashMap<DeadLetterFilter, Taken<T>>>,
}

impl<T> Default for Counts<T> {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
        }
    }
}

#[derive(Debug)]
struct Taken<T> {
    taken: Instant,
    /// Of the database, before they were taken; as long as it stands, so do they.
    state: Option<State>,
    counts: Arc<T>,
    /// Somebody takes them again already.
    renewing: bool,
}

impl<T> Counts<T> {
    /// Counts that may still be shown. When they are due, one caller is sent to take them again, and the others read on.
    fn get(&self, filter: &DeadLetterFilter) -> Option<Arc<T>> {
        let mut kept = self.lock();
        let found = kept.get_mut(filter)?;
        let age = found.taken.elapsed();
        if age < FRESH {
            return Some(Arc::clone(&found.counts));
        }
        if found.renewing && age < FRESH + Duration::from_millis(200) {
            return Some(Arc::clone(&found.counts));
        }
        found.renewing = true;
        None
    }

    /// Counts that are due and still right, because nothing was changed since.
    fn still(&self, filter: &DeadLetterFilter, state: Option<&State>) -> Option<Arc<T>> {
        let mut kept = self.lock();
        let found = kept.get_mut(filter)?;
        if state.is_none() || found.state.as_ref() != state {
            return None;
        }
        found.taken = Instant::now();
        found.renewing = false;
        Some(Arc::clone(&found.counts))
    }

    fn keep(&self, filter: DeadLetterFilter, taken: Instant, state: Option<State>, counts: T) -> Arc<T> {
        let mut kept = self.lock();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        let counts = Arc::new(counts);
        let now = Taken {
            taken,
            state,
            counts: Arc::clone(&counts),
            renewing: false,
        };
        kept.insert(filter, now);
        counts
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<DeadLetterFilter, Taken<T>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A statement that counts.
type Count<T> = for<'a> fn(&'a mut Tx, &'a DeadLetterFilter) -> BoxFuture<'a, Result<T, DbError>>;

impl Office {
    /// Counts as they were kept, or taken now.
    async fn counted<T>(
        &self,
        counts: &Counts<T>,
        filter: DeadLetterFilter,
        count: Count<T>,
    ) -> Result<Arc<T>, DeskError> {
        if let Some(found) = counts.get(&filter) {
            return Ok(found);
        }
        let state = self.database.state().await.ok();
        if let Some(found) = counts.still(&filter, state.as_ref()) {
            return Ok(found);
        }
        self.catch_up().await;
        let taken = Instant::now();
        let mut tx = self.database.read().await?;
        let found = count(&mut tx, &filter).await?;
        Ok(counts.keep(filter, taken, state, found))
    }

    /// Counts per label and per queue, under the filter without its own label and queue.
    pub async fn summary(&self, caller: &Caller, filter: &DeadLetterFilter) -> Result<Summary, DeskError> {
        check_range(filter)?;
        require(caller, Permission::Read)?;
        let count: Count<Summary> = |tx, filter| Box::pin(dead_letters::summary(tx, filter));
        let found = self.counted(&self.summaries.rail, filter.base(), count).await?;
        Ok(Summary::clone(&found))
    }

    /// How many died in each hour of the chart's window, under the rest of the filter.
    pub async fn hours(
        &self,
        caller: &Caller,
        filter: &DeadLetterFilter,
        now: DateTime<Utc>,
    ) -> Result<Hours, DeskError> {
        check_range(filter)?;
        require(caller, Permission::Read)?;
        let first = first_hour(filter, now);
        let window = within(filter, first);
        let count: Count<Vec<HourCount>> = |tx, filter| Box::pin(dead_letters::hours(tx, filter));
        let counts = self.counted(&self.summaries.hours, window, count).await?;
        Ok(Hours {
            first,
            counts: Vec::clone(&counts),
        })
    }

    /// How many died of which error category, most first.
    pub async fn categories(
        &self,
        caller: &Caller,
        filter: &DeadLetterFilter,
    ) -> Result<Vec<CategoryCount>, DeskError> {
        check_range(filter)?;
        require(caller, Permission::Read)?;
        let unordered = DeadLetterFilter {
            oldest_first: false,
            ..filter.clone()
        };
        let count: Count<Vec<CategoryCount>> = |tx, filter| Box::pin(dead_letters::categories(tx, filter));
        let counts = self.counted(&self.summaries.categories, unordered, count).await?;
        Ok(Vec::clone(&counts))
    }
}
