//! Keeps `dlo_messages` within half a second of the dead table; a little later where a look takes long. Follows the jobs
//! of replays to their ends.

use super::Office;
use crate::database::{DbError, State};
use crate::storage::{messages, replays};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often new dead letters are looked for. A move announces nothing, so this is the bound.
const EVERY: Duration = Duration::from_millis(400);
/// Looking counts rows: over a large table it takes no more than this share of the time.
const REST: u32 = 10;
/// Dead letters that one transaction reads.
const BATCH: u32 = 500;
/// Looks between two that compare row by row: equal counts can hide one letter gone and one arrived.
const LOOKS_PER_FULL: u32 = 75;
/// Lists count all rows at most this often; in between they look at the newest letters.
const COUNTED: Duration = Duration::from_millis(100);

/// When all rows were last counted before a list.
#[derive(Debug, Default)]
pub struct Counted(Mutex<Option<Instant>>);

impl Counted {
    /// Whether it is time to count again; then it is noted that it was done.
    fn is_due(&self) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|at| at.elapsed() >= COUNTED);
        if due {
            *last = Some(Instant::now());
        }
        due
    }
}

/// The state in which a full look found nothing to do: as long as it stands, another would find nothing either.
#[derive(Debug, Default)]
pub struct Looked(Mutex<Option<State>>);

impl Looked {
    fn stands(&self, state: &State) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() == Some(state)
    }

    fn keep(&self, state: State) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }
}

impl Office {
    /// Reads new dead letters, and notices purged and replayed ones, until `stop` is cancelled.
    pub async fn keep_projecting(&self, stop: CancellationToken) {
        let mut look: u32 = 0;
        // Whoever has just started the program waits for a page, and that reads what it needs by itself.
        let mut rest = EVERY;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(rest) => {}
            }
            let began = Instant::now();
            if let Err(error) = self.project(look.is_multiple_of(LOOKS_PER_FULL)).await {
                tracing::warn!(error = %error, "dead letters could not be read");
            }
            look = look.wrapping_add(1);
            rest = EVERY.max(began.elapsed() * REST);
        }
    }

    /// One look. `full`: row by row even where the counts agree.
    pub async fn project(&self, full: bool) -> Result<(), DbError> {
        let state = self.database.state().await?;
        if self.looked.stands(&state) {
            return Ok(());
        }
        let mut changed = messages::sync_replays(&self.database).await? > 0;
        let settled = replays::settle(&self.database).await?;
        let mut tx = self.database.read().await?;
        let pending = messages::pending(&mut tx).await?;
        drop(tx);
        if pending || full {
            let mut projected = 0;
            loop {
                let batch = messages::project(&self.database, &self.config.messages, BATCH).await?;
                projected += batch;
                if u32::try_from(batch).is_ok_and(|batch| batch < BATCH) {
                    break;
                }
            }
            // Counts that still differ are letters that have gone.
            let mut tx = self.database.read().await?;
            let differ = messages::pending(&mut tx).await?;
            drop(tx);
            changed |= projected > 0 || (differ && self.sweep().await?);
        }
        if changed {
            self.summaries.forget();
        } else if full && settled == 0 && !pending {
            self.looked.keep(state);
        }
        Ok(())
    }

    /// Reads what nobody has read yet, at most a batch of the newest, before a list that only the projection can filter.
    /// Where that fails, the list is a second behind, as the log says.
    pub(super) async fn catch_up(&self) {
        let read = async {
            if self.looked.stands(&self.database.state().await?) {
                return Ok(0);
            }
            let mut tx = self.database.read().await?;
            let pending = if self.counted.is_due() {
                messages::pending(&mut tx).await?
            } else {
                messages::newest_pending(&mut tx).await?
            };
            drop(tx);
            if pending {
                messages::project_now(&self.database, &self.config.messages, BATCH).await
            } else {
                Ok(0)
            }
        };
        match read.await {
            Ok(0) => {}
            Ok(_) => self.summaries.forget(),
            Err(error) => tracing::warn!(error = %error, "new dead letters could not be read before a list"),
        }
    }

    /// Notices dead letters that others have purged.
    async fn sweep(&self) -> Result<bool, DbError> {
        let mut tx = self.database.write().await?;
        let gone = messages::sweep(&mut tx).await?;
        tx.commit().await?;
        Ok(gone > 0)
    }
}
