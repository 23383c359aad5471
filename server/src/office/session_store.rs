//! Sessions as the session library asks for them: one that nobody has changed is not read again.

use super::kept::{Kept, Moment};
use crate::database::Database;
use crate::storage::sessions::Sessions;
use app::desk::DeskError;
use async_trait::async_trait;
use std::sync::Arc;
use time::OffsetDateTime;
use tower_sessions::SessionStore;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};

/// Sessions that are kept at once.
const SESSIONS: usize = 256;

/// The table of sessions, with what was read of it in one state of the database.
#[derive(Debug, Clone)]
pub struct SessionsKept {
    database: Database,
    table: Sessions,
    kept: Arc<Kept<Id, Option<Record>>>,
}

impl SessionsKept {
    pub fn new(database: Database) -> Self {
        Self {
            table: Sessions::new(database.clone()),
            database,
            kept: Arc::new(Kept::new(SESSIONS)),
        }
    }
}

/// What reading failed with, the library's or ours.
struct Failed(Error);

impl From<DeskError> for Failed {
    fn from(error: DeskError) -> Self {
        Self(Error::Backend(error.detail))
    }
}

#[async_trait]
impl SessionStore for SessionsKept {
    async fn create(&self, record: &mut Record) -> Result<()> {
        self.table.create(record).await
    }

    async fn save(&self, record: &Record) -> Result<()> {
        self.table.save(record).await
    }

    /// The trait hands over no request: its moment is that of the task.
    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let moment = Moment::current();
        let read = async { self.table.load(id).await.map_err(Failed) };
        let found = self.kept.only(&moment, &self.database, *id, read).await;
        let record = Option::clone(&*found.map_err(|Failed(error)| error)?);
        // It may have ended since it was read; nothing in the database says so.
        Ok(record.filter(|record| record.expiry_date > OffsetDateTime::now_utc()))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        self.table.delete(id).await
    }
}
