//! The desk's counts, which many readers ask for: taken once a second while something changes, and once where nothing does.

use super::dead_letters::check_range;
use super::kept::Aging;
use super::{Office, require};
use crate::database::{DbError, Tx};
use crate::storage::dead_letters;
use app::desk::finding::{first_hour, within};
use app::desk::{CategoryCount, DeadLetterFilter, DeskError, HourCount, Hours, Summary};
use app::domain::permission::Permission;
use app::domain::role::Caller;
use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use std::sync::Arc;

/// Filters whose counts are kept, of each kind.
const MAX_KEPT: usize = 64;

/// Counts by filter. What a person does with a message forgets them; every other change is seen within a second.
#[derive(Debug)]
pub struct Summaries {
    rail: Aging<DeadLetterFilter, Summary>,
    hours: Aging<DeadLetterFilter, Vec<HourCount>>,
    categories: Aging<DeadLetterFilter, Vec<CategoryCount>>,
}

impl Default for Summaries {
    fn default() -> Self {
        Self {
            rail: Aging::new(MAX_KEPT),
            hours: Aging::new(MAX_KEPT),
            categories: Aging::new(MAX_KEPT),
        }
    }
}

impl Summaries {
    /// Something was written: all counts are taken again.
    pub fn forget(&self) {
        self.rail.forget();
        self.hours.forget();
        self.categories.forget();
    }
}

/// A statement that counts.
type Count<T> = for<'a> fn(&'a mut Tx, &'a DeadLetterFilter) -> BoxFuture<'a, Result<T, DbError>>;

impl Office {
    /// Counts as they were kept, or taken now.
    async fn counted<T>(
        &self,
        counts: &Aging<DeadLetterFilter, T>,
        filter: DeadLetterFilter,
        count: Count<T>,
    ) -> Result<Arc<T>, DeskError> {
        let read = async {
            self.catch_up().await;
            count(&mut self.database.read().await?, &filter).await
        };
        Ok(counts.answer(&self.database, filter.clone(), read).await?)
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
