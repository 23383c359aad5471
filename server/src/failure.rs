//! How a transaction that a caller ordered ends without its commit, and when it is begun again.

use crate::database::{DbError, Trouble};
use app::desk::{Code, DeskError};
use app::domain::transition::{Invalid, Refusal};

/// Refused for the reader to see, or failed for the log to keep.
#[derive(Debug)]
pub enum Failure {
    Refused(Box<DeskError>),
    Database(DbError),
}

impl Failure {
    /// Somebody else was there in the same moment: begun again, the transaction sees what they did.
    pub const fn lost_a_race(&self) -> bool {
        matches!(self, Self::Database(DbError::Sqlx(sqlx::Error::Database(_))))
    }

    /// Worth another round.
    pub fn may_be_repeated(&self) -> bool {
        match self {
            Self::Refused(_) => false,
            Self::Database(error) => {
                self.lost_a_race()
                    && !error.has_waited()
                    && (error.is_unique_violation() || error.is_transient())
            }
        }
    }
}

impl From<DbError> for Failure {
    fn from(error: DbError) -> Self {
        Self::Database(error)
    }
}

impl From<DeskError> for Failure {
    fn from(error: DeskError) -> Self {
        Self::Refused(Box::new(error))
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        DeskError::from(refusal).into()
    }
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        DeskError::from(invalid).into()
    }
}

impl From<Failure> for DeskError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refused) => *refused,
            Failure::Database(error) => log_failure(&error),
        }
    }
}

/// Keeps the inner face in the log and answers the outer one.
pub fn log_failure(error: &DbError) -> DeskError {
    if error.is_transient() {
        tracing::warn!(error = %error, "database busy or unreachable");
    } else {
        tracing::error!(error = %error, "database failure");
    }
    DeskError::new(Code::Unavailable, words(error.trouble()))
}

/// What is wrong and what still works. Only a broken connection leaves open whether a change was made.
const fn words(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::Away => {
            "The database cannot be reached. What was under way was done whole or not at all: look again before you \
             repeat it."
        }
        Trouble::Busy => "The database did not answer in time. Nothing was changed; try again.",
        Trouble::ReadOnly => {
            "The database is read-only at present. Nothing was changed. Reading still works; orders do not."
        }
        Trouble::Full => {
            "The database is full. Nothing was changed. Reading still works; orders do not until there is room."
        }
        Trouble::Other => "The database refused this. Nothing was changed; the log says why.",
    }
}

impl From<DbError> for DeskError {
    fn from(error: DbError) -> Self {
        log_failure(&error)
    }
}

/// How often a transaction that lost a race is begun again.
pub const ROUNDS: u32 = 5;

/// `again!(self.once(…).await)`: begins a whole transaction again when it lost a race, a few times.
#[macro_export]
macro_rules! again {
    ($once:expr) => {{
        let mut left = $crate::failure::ROUNDS;
        loop {
            match $once {
                Ok(value) => break Ok(value),
                Err(failure) if left > 0 && $crate::failure::Failure::may_be_repeated(&failure) => left -= 1,
                Err(failure) => break Err(app::desk::DeskError::from(failure)),
            }
        }
    }};
}
