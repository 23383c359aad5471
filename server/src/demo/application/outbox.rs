//! How the application queues its own messages, and what became of them.

use crate::database::{Database, DbError};
use crate::storage::jobs::{self, NewJob};
use crate::values;
use app::domain::ids::QueueJobId;
use serde_json::Value;
use serde_json::value::to_raw_value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;
use uuid::Uuid;

/// The application's queues.
pub const QUEUES: [&str; 3] = ["render", "delivery", "billing"];

/// A message to be queued.
#[derive(Debug, Clone, Copy)]
pub struct Letter<'a> {
    pub job_name: &'a str,
    pub queue: &'a str,
    pub priority: i64,
    pub max_attempts: i64,
}

pub const SUBMIT: Letter<'_> = Letter {
    job_name: "render.submit",
    queue: "render",
    priority: 50,
    max_attempts: 3,
};
pub const UPSCALE: Letter<'_> = Letter {
    job_name: "render.upscale",
    queue: "render",
    priority: 60,
    max_attempts: 2,
};
pub const POLL: Letter<'_> = Letter {
    job_name: "render.poll",
    queue: "render",
    priority: 100,
    max_attempts: 3,
};
pub const DELIVER: Letter<'_> = Letter {
    job_name: "render.deliver",
    queue: "delivery",
    priority: 20,
    max_attempts: 3,
};
pub const REFUND: Letter<'_> = Letter {
    job_name: "billing.refund",
    queue: "billing",
    priority: 10,
    max_attempts: 3,
};

/// The application's way into the queue.
pub struct Outbox {
    database: Database,
    /// Every message that was queued, and what it is about.
    sent: Mutex<HashMap<Uuid, String>>,
    /// Rings when a message was queued.
    bell: Arc<Notify>,
}

impl Outbox {
    pub fn new(database: Database) -> Self {
        Self {
            database,
            sent: Mutex::default(),
            bell: Arc::default(),
        }
    }

    /// Queues a message. `about` groups messages: an operation's id, mostly.
    ///
    /// # Errors
    /// The database did not take it.
    pub async fn send(&self, about: &str, letter: Letter<'_>, args: &Value) -> Result<Uuid, DbError> {
        let id = Uuid::new_v4();
        let args = to_raw_value(args).unwrap_or_default();
        let mut tx = self.database.write().await?;
        let job = NewJob {
            id: QueueJobId(id),
            job_name: letter.job_name,
            args: &args,
            queue: letter.queue,
            priority: letter.priority,
            max_attempts: letter.max_attempts,
            scheduled_at: None,
        };
        jobs::enqueue(&mut tx, &job).await?;
        // Before the commit: a worker may have ended it before this line otherwise.
        self.sent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, about.to_owned());
        tx.commit().await?;
        self.bell.notify_one();
        Ok(id)
    }

    /// Rings when a message was queued.
    pub fn bell(&self) -> Arc<Notify> {
        Arc::clone(&self.bell)
    }

    /// Every message that was queued.
    pub fn sent(&self) -> Vec<Uuid> {
        self.sent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .keys()
            .copied()
            .collect()
    }

    /// What still has a message that is queued or worked on.
    ///
    /// # Errors
    /// The database did not answer.
    pub async fn busy(&self) -> Result<HashSet<String>, DbError> {
        let mut tx = self.database.read().await?;
        let rows = tx
            .fetch_all(
                "SELECT id FROM soniq_jobs WHERE status IN ('queued', 'processing')",
                values![],
            )
            .await?;
        let living = rows
            .iter()
            .map(|row| row.uuid("id"))
            .collect::<Result<HashSet<Uuid>, DbError>>()?;
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(sent
            .iter()
            .filter(|(id, _)| living.contains(*id))
            .map(|(_, about)| about.clone())
            .collect())
    }
}
