//! Why the demo could not start or go on.

use super::application::{Failure, OfficeError};
use crate::config::ConfigError;
use crate::database::DbError;

/// A failure of the demo itself. Failures inside its story are the story.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("the demo could not open a file or an address: {0}")]
    Io(#[from] std::io::Error),
    #[error("the demo's configuration: {0}")]
    Config(#[from] ConfigError),
    #[error("the demo's database: {0}")]
    Database(#[from] DbError),
    #[error("an HTTP client could not be made: {0}")]
    Http(#[from] reqwest::Error),
    #[error("the demo's application: {0}")]
    Office(#[from] OfficeError),
    #[error("the demo's application: {0}")]
    Application(String),
    #[error("the demo lacks {0}")]
    Incomplete(&'static str),
}

impl From<Failure> for DemoError {
    fn from(failure: Failure) -> Self {
        Self::Application(failure.text)
    }
}
