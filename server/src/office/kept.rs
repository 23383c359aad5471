//! What was read, kept for as long as nothing is changed: an incident's room asks for the same page again and again.

use crate::database::{Database, State};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OnceCell;

/// The database's state as one reader first found it. All that this reader is shown is of that state or of a later one:
/// whoever writes and reads again needs another moment.
#[derive(Debug, Default)]
pub struct Moment(OnceCell<Option<State>>);

impl Moment {
    /// The state, asked for once. `None` where it cannot be told: then reading says why, and nothing is kept.
    pub async fn of(&self, database: &Database) -> Option<&State> {
        let asked = self.0.get_or_init(async || database.state().await.ok());
        asked.await.as_ref()
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
