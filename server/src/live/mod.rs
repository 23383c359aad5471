//! Liveness: who waits for which change, and who looks. One task per process looks at what somebody waits for, at once
//! after a change of its own. Changes of other processes PostgreSQL announces (LISTEN); SQLite is asked again and again.
//! Nothing looks while nobody waits.

mod bell;

pub use bell::announce;

use crate::database::{Database, DbError, Dialect};
use crate::storage::marks;
use app::desk::Topic;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

/// How often SQLite is asked. Another process cannot ring there.
const POLL: Duration = Duration::from_millis(700);
/// How often PostgreSQL is asked beside its announcements: what nobody announced is seen so late.
const POLL_BESIDE: Duration = Duration::from_secs(5);
/// The rest after a look: changes that come so close are answered by one.
const REST: Duration = Duration::from_millis(300);
/// Pages that one person keeps open at once, and all persons of this process together.
pub const MAX_PER_PERSON: usize = 24;
pub const MAX_IN_ALL: usize = 400;

/// The newest that is known of a topic.
#[derive(Debug, Clone)]
pub struct Known {
    pub mark: String,
    /// When the database last said so.
    pub looked: Instant,
}

/// Everybody who waits.
#[derive(Debug)]
pub struct Live {
    watched: Mutex<Watched>,
    /// Somebody new waits, or an announcement came.
    wake: Arc<Notify>,
    poll: Option<Duration>,
}

#[derive(Debug, Default)]
struct Watched {
    topics: HashMap<Topic, watch::Sender<Known>>,
    persons: HashMap<String, usize>,
    all: usize,
}

impl Default for Live {
    fn default() -> Self {
        Self::polling(None)
    }
}

/// A place among those who wait; given back when it is dropped.
#[derive(Debug)]
pub struct Seat {
    live: Arc<Live>,
    person: String,
    topic: Topic,
    pub known: watch::Receiver<Known>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut watched = self.live.lock();
        watched.all = watched.all.saturating_sub(1);
        if let Some(count) = watched.persons.get_mut(&self.person) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                watched.persons.remove(&self.person);
            }
        }
        // This seat's own receiver still counts.
        if watched
            .topics
            .get(&self.topic)
            .is_some_and(|sender| sender.receiver_count() <= 1)
        {
            watched.topics.remove(&self.topic);
        }
    }
}

/// Takes what was found; those who wait are woken by another mark only.
fn take(sender: &watch::Sender<Known>, found: Known) {
    sender.send_if_modified(|known| {
        let changed = known.mark != found.mark;
        *known = found;
        changed
    });
}

/// Why nobody may wait now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

impl Live {
    /// Looks this often even where announcements are heard; `None`: as fits the database.
    pub fn polling(poll: Option<Duration>) -> Self {
        Self {
            watched: Mutex::default(),
            wake: Arc::default(),
            poll,
        }
    }

    /// Waits for a topic whose mark is this one now.
    ///
    /// # Errors
    /// This person, or all together, wait at too many places already.
    pub fn sit(self: &Arc<Self>, person: &str, topic: Topic, now: Known) -> Result<Seat, Full> {
        let mut watched = self.lock();
        let own = watched.persons.get(person).copied().unwrap_or(0);
        if own >= MAX_PER_PERSON || watched.all >= MAX_IN_ALL {
            return Err(Full);
        }
        watched.persons.insert(person.to_owned(), own + 1);
        watched.all += 1;
        let sender = watched
            .topics
            .entry(topic.clone())
            .or_insert_with(|| watch::Sender::new(now.clone()));
        // Whoever waits here already learns of it too.
        take(sender, now);
        let known = sender.subscribe();
        drop(watched);
        self.wake.notify_one();
        Ok(Seat {
            live: Arc::clone(self),
            person: person.to_owned(),
            topic,
            known,
        })
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.lock().all
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn topics(&self) -> Vec<Topic> {
        self.lock().topics.keys().cloned().collect()
    }

    /// Looks for those who wait, until `stop` is cancelled.
    pub async fn keep_looking(&self, database: Database, stop: CancellationToken) {
        let poll = self.poll.unwrap_or(match database.dialect() {
            Dialect::Postgres => POLL_BESIDE,
            Dialect::Sqlite => POLL,
        });
        // The first who waits: until then no connection is kept for listening.
        tokio::select! {
            () = stop.cancelled() => return,
            () = self.wake.notified() => {}
        }
        let listening = bell::listen(&database, &self.wake, &stop);
        let looking = async {
            while !stop.is_cancelled() {
                if self.topics().is_empty() {
                    tokio::select! {
                        () = stop.cancelled() => {}
                        () = self.wake.notified() => {}
                    }
                    continue;
                }
                if let Err(error) = self.look(&database).await {
                    tracing::warn!(error = %error, "open pages do not learn of changes");
                }
                tokio::time::sleep(REST).await;
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = tokio::time::sleep(poll) => {}
                    () = self.wake.notified() => {}
                    // On PostgreSQL the announcement comes back to us too.
                    () = database.changed(), if database.dialect() == Dialect::Sqlite => {}
                }
            }
        };
        tokio::join!(listening, looking);
    }

    /// One look at every topic that somebody waits for.
    async fn look(&self, database: &Database) -> Result<(), DbError> {
        let topics = self.topics();
        if topics.is_empty() {
            return Ok(());
        }
        let mut tx = database.read().await?;
        let marks = marks::read(&mut tx, &topics).await?;
        drop(tx);
        let looked = Instant::now();
        let watched = self.lock();
        for (topic, mark) in marks {
            if let Some(sender) = watched.topics.get(&topic) {
                take(sender, Known { mark, looked });
            }
        }
        Ok(())
    }
}
