//! What was read, kept for as long as nothing is changed: an incident's room asks for the same page again and again.

use crate::database::{Database, DbError, State};
use app::desk::DeskError;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// The database's state as one reader first found it. All that this reader is shown is of that state or of a later one:
/// whoever writes and reads again needs another moment.
#[derive(Debug, Default)]
pub struct Moment(OnceCell<Result<State, DeskError>>);

tokio::task_local! {
    /// The moment of the request that this task answers, for whoever is not handed the request.
    static CURRENT: Arc<Moment>;
}

impl Moment {
    /// The state, asked for once.
    ///
    /// # Errors
    /// `unavailable`, each time the same: whoever cannot go on without it waits no second time.
    pub async fn state(&self, database: &Database) -> Result<&State, DeskError> {
        let asked = self.0.get_or_init(async || Ok(database.state().await?));
        asked.await.as_ref().map_err(DeskError::clone)
    }

    /// The state. `None` where it cannot be told: then reading says why, and nothing is kept.
    pub async fn of(&self, database: &Database) -> Option<&State> {
        self.state(database).await.ok()
    }

    /// The moment of the request that is answered here; one of its own outside of requests.
    pub fn current() -> Arc<Self> {
        CURRENT.try_with(Arc::clone).unwrap_or_default()
    }

    /// Answers a request in this moment.
    pub async fn during<A>(self: Arc<Self>, answer: impl Future<Output = A>) -> A {
        CURRENT.scope(self, answer).await
    }
}

/// Answers to questions of one kind, all of them read in one state of the database.
#[derive(Debug)]
pub struct Kept<Q, A> {
    /// Answers that are kept at once; then all are forgotten.
    room: usize,
    held: Mutex<Held<Q, A>>,
}

#[derive(Debug)]
struct Held<Q, A> {
    state: Option<State>,
    answers: HashMap<Q, Arc<A>>,
}

impl<Q, A> Kept<Q, A> {
    /// Keeps so many answers at once.
    pub fn new(room: usize) -> Self {
        Self {
            room,
            held: Mutex::new(Held {
                state: None,
                answers: HashMap::new(),
            }),
        }
    }
}

impl<Q: Eq + Hash, A> Kept<Q, A> {
    /// The answer that was read in this state.
    pub fn get<R>(&self, state: &State, question: &R) -> Option<Arc<A>>
    where
        Q: Borrow<R>,
        R: Eq + Hash + ?Sized,
    {
        let held = self.lock();
        if held.state.as_ref() == Some(state) {
            held.answers.get(question).cloned()
        } else {
            None
        }
    }

    /// The answer as it was kept for this moment's state, or as `read` gives it now; what is not awaited reads nothing.
    ///
    /// # Errors
    /// As `read`.
    pub async fn answer<E>(
        &self,
        moment: &Moment,
        database: &Database,
        question: Q,
        read: impl Future<Output = Result<A, E>>,
    ) -> Result<Arc<A>, E> {
        let state = moment.of(database).await;
        if let Some(found) = state.and_then(|state| self.get(state, &question)) {
            return Ok(found);
        }
        let answer = read.await?;
        Ok(match state {
            Some(state) => self.keep(state.clone(), question, answer),
            None => Arc::new(answer),
        })
    }

    /// As [`Self::answer`], for what nothing goes on without: where the state cannot be told, `read` is not tried either.
    ///
    /// # Errors
    /// As `read`; `unavailable`.
    pub async fn only<E: From<DeskError>>(
        &self,
        moment: &Moment,
        database: &Database,
        question: Q,
        read: impl Future<Output = Result<A, E>>,
    ) -> Result<Arc<A>, E> {
        let state = moment.state(database).await?;
        match self.get(state, &question) {
            Some(found) => Ok(found),
            None => Ok(self.keep(state.clone(), question, read.await?)),
        }
    }

    /// Keeps an answer. The state was asked for before the answer was read: a change that came between makes it an answer
    /// that nobody asks for again, never a wrong one.
    pub fn keep(&self, state: State, question: Q, answer: A) -> Arc<A> {
        let answer = Arc::new(answer);
        let mut held = self.lock();
        if held.state.as_ref() != Some(&state) || held.answers.len() >= self.room {
            held.answers.clear();
            held.state = Some(state);
        }
        held.answers.insert(question, Arc::clone(&answer));
        answer
    }

    fn lock(&self) -> MutexGuard<'_, Held<Q, A>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer of [`Aging`] older than this is due; with the time that reading takes it is at most a second old.
const FRESH: Duration = Duration::from_millis(800);
/// How long the others still read what is due while one of them reads it anew.
const RENEWAL: Duration = Duration::from_millis(200);

/// Answers that are dear to read and may be a second old: read once a second while something changes, by one of those
/// who ask, and once where nothing does.
#[derive(Debug)]
pub struct Aging<Q, A> {
    /// Answers that are kept at once; then all are forgotten.
    room: usize,
    held: Mutex<HashMap<Q, Aged<A>>>,
}

#[derive(Debug)]
struct Aged<A> {
    read: Instant,
    /// Of the database, before it was read; as long as it stands, so does the answer.
    state: Option<State>,
    answer: Arc<A>,
    /// Somebody reads it again already.
    renewing: bool,
}

impl<Q: Eq + Hash, A> Aging<Q, A> {
    /// Keeps so many answers at once.
    pub fn new(room: usize) -> Self {
        Self {
            room,
            held: Mutex::default(),
        }
    }

    /// Everything is read again.
    pub fn forget(&self) {
        self.lock().clear();
    }

    /// The answer as it was kept, or as `read` gives it now; what is not awaited reads nothing.
    ///
    /// # Errors
    /// As `read`.
    pub async fn answer(
        &self,
        database: &Database,
        question: Q,
        read: impl Future<Output = Result<A, DbError>>,
    ) -> Result<Arc<A>, DbError> {
        if let Some(found) = self.fresh(&question) {
            return Ok(found);
        }
        let state = database.state().await.ok();
        if let Some(found) = self.still(&question, state.as_ref()) {
            return Ok(found);
        }
        let began = Instant::now();
        let answer = Arc::new(read.await?);
        let aged = Aged {
            read: began,
            state,
            answer: Arc::clone(&answer),
            renewing: false,
        };
        let mut held = self.lock();
        if held.len() >= self.room && !held.contains_key(&question) {
            held.clear();
        }
        held.insert(question, aged);
        Ok(answer)
    }

    /// An answer that may still be shown. When it is due, one who asks is sent to read it again, and the others read on.
    fn fresh(&self, question: &Q) -> Option<Arc<A>> {
        let mut held = self.lock();
        let found = held.get_mut(question)?;
        let age = found.read.elapsed();
        if age < FRESH || (found.renewing && age < FRESH + RENEWAL) {
            return Some(Arc::clone(&found.answer));
        }
        found.renewing = true;
        None
    }

    /// An answer that is due and still right, because nothing was changed since.
    fn still(&self, question: &Q, state: Option<&State>) -> Option<Arc<A>> {
        let mut held = self.lock();
        let found = held.get_mut(question)?;
        if state.is_none() || found.state.as_ref() != state {
            return None;
        }
        found.read = Instant::now();
        found.renewing = false;
        Some(Arc::clone(&found.answer))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Q, Aged<A>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Location;
    use crate::values;
    use std::sync::atomic::{AtomicU32, Ordering};

    async fn changed(database: &Database) {
        let mut tx = database.write().await.expect("a transaction");
        tx.execute("INSERT INTO t (n) VALUES ($1)", values![1_i64])
            .await
            .expect("a row");
        tx.commit().await.expect("kept");
    }

    #[tokio::test]
    async fn an_answer_is_read_again_when_it_is_due_and_something_changed() {
        let database = Database::open(&Location::Memory).await.expect("memory");
        let mut tx = database.write().await.expect("a transaction");
        tx.execute("CREATE TABLE t (n INTEGER)", vec![])
            .await
            .expect("a table");
        tx.commit().await.expect("kept");
        let reads = AtomicU32::new(0);
        let aging = Aging::new(2);
        let ask = async |question: &'static str| {
            let read = async { Ok(reads.fetch_add(1, Ordering::SeqCst) + 1) };
            *aging.answer(&database, question, read).await.expect("an answer")
        };
        assert_eq!((ask("a").await, ask("a").await), (1, 1));
        changed(&database).await;
        assert_eq!(ask("a").await, 1, "a moment old");
        tokio::time::sleep(FRESH).await;
        assert_eq!(ask("a").await, 2, "due, and something changed");
        tokio::time::sleep(FRESH).await;
        assert_eq!(ask("a").await, 2, "due, and nothing changed");
        changed(&database).await;
        aging.forget();
        assert_eq!(ask("a").await, 3);
        // A third question takes everybody's room.
        assert_eq!((ask("b").await, ask("c").await, ask("c").await), (4, 5, 5));
        assert_eq!(ask("a").await, 6);
        // One who fails leaves the next to try.
        tokio::time::sleep(FRESH).await;
        changed(&database).await;
        let broken = async { Err(DbError::Silent) };
        assert!(aging.answer(&database, "c", broken).await.is_err());
        tokio::time::sleep(RENEWAL).await;
        assert_eq!(ask("c").await, 7);
    }
}
