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
    answers: HashMap<Q, Arc<OnceCell<Arc<A>>>>,
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
            held.answers.get(question)?.get().cloned()
        } else {
            None
        }
    }

    /// The answer as it was kept for this moment's state, or as `read` gives it now. Of those who ask at once one reads, and
    /// the others wait for it; what is not awaited reads nothing.
    ///
    /// # Errors
    /// As `read`: the next of those who wait tries again.
    pub async fn answer<E>(
        &self,
        moment: &Moment,
        database: &Database,
        question: Q,
        read: impl Future<Output = Result<A, E>>,
    ) -> Result<Arc<A>, E> {
        match moment.of(database).await {
            Some(state) => self.answer_in(state, question, read).await,
            None => read.await.map(Arc::new),
        }
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
        self.answer_in(state, question, read).await
    }

    async fn answer_in<E>(
        &self,
        state: &State,
        question: Q,
        read: impl Future<Output = Result<A, E>>,
    ) -> Result<Arc<A>, E> {
        let place = self.place(state, question);
        let answer = place.get_or_try_init(async || read.await.map(Arc::new));
        answer.await.map(Arc::clone)
    }

    /// Keeps an answer. The state was asked for before the answer was read: a change that came between makes it an answer
    /// that nobody asks for again, never a wrong one.
    pub fn keep(&self, state: &State, question: Q, answer: A) -> Arc<A> {
        let answer = Arc::new(answer);
        match self.place(state, question).set(Arc::clone(&answer)) {
            Ok(()) | Err(_) => answer,
        }
    }

    /// Keeps nothing any longer.
    fn forget_all(&self) {
        self.lock().answers.clear();
    }

    /// Keeps this answer no longer: it is too large.
    pub fn forget(&self, question: &Q) {
        self.lock().answers.remove(question);
    }

    /// Where the answer lies, or will.
    fn place(&self, state: &State, question: Q) -> Arc<OnceCell<Arc<A>>> {
        let mut held = self.lock();
        let is_full = held.answers.len() >= self.room && !held.answers.contains_key(&question);
        if held.state.as_ref() != Some(state) || is_full {
            held.answers.clear();
            held.state = Some(state.clone());
        }
        Arc::clone(held.answers.entry(question).or_default())
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
    /// Where nothing can be shown yet, one reads and the others wait.
    reading: Kept<Q, A>,
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

impl<Q: Eq + Hash + Clone, A> Aging<Q, A> {
    /// Keeps so many answers at once.
    pub fn new(room: usize) -> Self {
        Self {
            room,
            held: Mutex::default(),
            reading: Kept::new(room),
        }
    }

    /// Everything is read again.
    pub fn forget(&self) {
        self.lock().clear();
        self.reading.forget_all();
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
        let answer = match &state {
            Some(state) => self.reading.answer_in(state, question.clone(), read).await?,
            None => Arc::new(read.await?),
        };
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

    async fn memory() -> Database {
        let database = Database::open(&Location::Memory).await.expect("memory");
        let mut tx = database.write().await.expect("a transaction");
        tx.execute("CREATE TABLE t (n INTEGER)", vec![])
            .await
            .expect("a table");
        tx.commit().await.expect("kept");
        database
    }

    #[tokio::test]
    async fn of_a_room_that_asks_at_once_one_reads() {
        let database = memory().await;
        let (kept, aging) = (Kept::new(2), Aging::new(2));
        let reads = AtomicU32::new(0);
        let read = async || {
            let read = reads.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(20)).await;
            // The first one fails; the next who waits tries again.
            if read == 0 { Err(DbError::Silent) } else { Ok(read) }
        };
        let moments: Vec<Moment> = (0..8).map(|_| Moment::default()).collect();
        let room = moments
            .iter()
            .map(|moment| kept.answer(moment, &database, "q", read()));
        let answers = futures::future::join_all(room).await;
        let right = answers.iter().flatten().filter(|answer| ***answer == 1);
        assert_eq!((right.count(), reads.load(Ordering::SeqCst)), (7, 2));
        let room = (0..8).map(|_| aging.answer(&database, "q", read()));
        let answers = futures::future::join_all(room).await;
        let right = answers.iter().flatten().filter(|answer| ***answer == 2);
        assert_eq!((right.count(), reads.load(Ordering::SeqCst)), (8, 3));
        changed(&database).await;
        let after = kept.answer(&Moment::default(), &database, "q", read()).await;
        assert_eq!(*after.expect("an answer"), 3);
    }

    #[tokio::test]
    async fn an_answer_is_read_again_when_it_is_due_and_something_changed() {
        let database = memory().await;
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
