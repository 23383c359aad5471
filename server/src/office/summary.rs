//! The desk's rail: counts that many readers ask for, taken once a second.

use super::dead_letters::check_range;
use super::{Office, require};
use crate::storage::dead_letters;
use app::desk::{DeadLetterFilter, DeskError, Summary};
use app::domain::role::{Caller, Role};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Counts older than this are taken again; with the time that this takes they are at most a second old.
const FRESH: Duration = Duration::from_millis(800);
/// Filters whose counts are kept.
const MAX_KEPT: usize = 64;

/// Counts by filter. Our own writes forget them; others' are seen within a second.
#[derive(Debug, Default)]
pub struct Summaries {
    kept: Mutex<HashMap<DeadLetterFilter, Kept>>,
}

#[derive(Debug, Clone)]
struct Kept {
    taken: Instant,
    summary: Arc<Summary>,
    /// Somebody takes them again already.
    renewing: bool,
}

impl Summaries {
    /// Something was written: all counts are taken again.
    pub fn forget(&self) {
        self.lock().clear();
    }

    /// Counts that may still be shown. When they are due, one caller is sent to take them again, and the others read on.
    fn get(&self, filter: &DeadLetterFilter) -> Option<Arc<Summary>> {
        let mut kept = self.lock();
        let found = kept.get_mut(filter)?;
        let age = found.taken.elapsed();
        if age < FRESH {
            return Some(Arc::clone(&found.summary));
        }
        if found.renewing && age < FRESH + Duration::from_millis(200) {
            return Some(Arc::clone(&found.summary));
        }
        found.renewing = true;
        None
    }

    fn keep(&self, filter: DeadLetterFilter, taken: Instant, summary: Arc<Summary>) {
        let mut kept = self.lock();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(
            filter,
            Kept {
                taken,
                summary,
                renewing: false,
            },
        );
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<DeadLetterFilter, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Office {
    /// Counts per label and per queue, under the filter without its own label and queue.
    pub async fn summary(&self, caller: &Caller, filter: &DeadLetterFilter) -> Result<Summary, DeskError> {
        check_range(filter)?;
        require(caller, Role::Viewer)?;
        let base = DeadLetterFilter {
            label: None,
            queue: None,
            ..filter.clone()
        };
        if let Some(found) = self.summaries.get(&base) {
            return Ok(Summary::clone(&found));
        }
        let taken = Instant::now();
        let mut tx = self.database.read().await?;
        let summary = Arc::new(dead_letters::summary(&mut tx, &base).await?);
        self.summaries.keep(base, taken, Arc::clone(&summary));
        Ok(Summary::clone(&summary))
    }
}
