//! Keeps `dlo_messages` within half a second of the dead table.

use super::Office;
use crate::database::DbError;
use crate::storage::messages;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often new dead letters are looked for. A move announces nothing, so this is the bound.
const EVERY: Duration = Duration::from_millis(400);
/// The longest pause between two looks: what arrives is read within a second.
const LONGEST: Duration = Duration::from_millis(800);
/// Looking may take this part of the time: counting a very large table is not free.
const SHARE: u32 = 20;
/// Dead letters that one transaction reads.
const BATCH: u32 = 500;
/// Looks between two that compare row by row: equal counts can hide one letter gone and one arrived.
const LOOKS_PER_FULL: u32 = 75;

impl Office {
    /// Reads new dead letters, and notices purged and replayed ones, until `stop` is cancelled.
    pub async fn keep_projecting(&self, stop: CancellationToken) {
        let mut look: u32 = 0;
        while !stop.is_cancelled() {
            let begun = Instant::now();
            if let Err(error) = self.project(look.is_multiple_of(LOOKS_PER_FULL)).await {
                tracing::warn!(error = %error, "dead letters could not be read");
            }
            look = look.wrapping_add(1);
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep((begun.elapsed() * SHARE).clamp(EVERY, LONGEST)) => {}
            }
        }
    }

    /// One look. `full`: row by row even where the counts agree.
    pub async fn project(&self, full: bool) -> Result<(), DbError> {
        let mut changed = messages::sync_replays(&self.database).await? > 0;
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
        }
        Ok(())
    }

    /// Notices dead letters that others have purged.
    async fn sweep(&self) -> Result<bool, DbError> {
        let mut tx = self.database.write().await?;
        let gone = messages::sweep(&mut tx).await?;
        tx.commit().await?;
        Ok(gone > 0)
    }
}
