//! What commands share: the configuration, the person who acts, the office.

use super::Shared;
use crate::config::{Config, ConfigError, Flags};
use crate::database::{Database, DbError, Location};
use crate::office::Office;
use crate::oidc::Issuer;
use crate::provider::Readers;
use app::desk::DeskError;
use app::domain::person::is_name;
use app::domain::role::{Caller, Role};
use std::process::ExitCode;
use std::sync::Arc;

/// How a command ends.
pub type Outcome = Result<(), CliError>;

/// Why a command did not do what was asked, in one sentence for the person at the terminal.
#[derive(Debug)]
pub enum CliError {
    /// Exit code 1.
    Failed(String),
    /// Wrong usage or configuration: exit code 2.
    Usage(String),
}

impl CliError {
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }

    pub fn usage(why: impl Into<String>) -> Self {
        Self::Usage(why.into())
    }

    /// Says it on standard error; answers the exit code.
    pub fn report(&self) -> ExitCode {
        let (why, code) = match self {
            Self::Failed(why) => (why, 1),
            Self::Usage(why) => (why, 2),
        };
        eprintln!("dlo: {why}");
        ExitCode::from(code)
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<DeskError> for CliError {
    fn from(error: DeskError) -> Self {
        Self::Failed(format!("{} ({})", error.detail, error.code))
    }
}

impl From<DbError> for CliError {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Location => Self::Usage(format!("`database.url`: {error}")),
            DbError::Newer | DbError::NotMigrated | DbError::Inconsistent { .. } => {
                Self::Failed(error.to_string())
            }
            DbError::Migrate(_) | DbError::Silent | DbError::Sqlx(_) => Self::Failed(brief(&error)),
        }
    }
}

/// What is wrong with the database, without a word of the URL, the statement or the values.
pub fn brief(error: &DbError) -> String {
    tracing::debug!(error = %error, "database failure");
    match error {
        DbError::Sqlx(sqlx::Error::Io(error)) => format!("the database cannot be reached: {}", error.kind()),
        DbError::Silent | DbError::Sqlx(sqlx::Error::PoolTimedOut) => {
            "the database did not answer in time".to_owned()
        }
        DbError::Sqlx(sqlx::Error::Database(inner)) => {
            let code = inner
                .code()
                .map(|code| format!(" (code {code})"))
                .unwrap_or_default();
            format!("the database refused{code}")
        }
        DbError::Migrate(_) => "the database could not be migrated; RUST_LOG=debug says more".to_owned(),
        DbError::Sqlx(_) => "the database failed; RUST_LOG=debug says more".to_owned(),
        DbError::Location | DbError::Newer | DbError::NotMigrated | DbError::Inconsistent { .. } => {
            error.to_string()
        }
    }
}

/// The start of every command.
pub struct Context {
    pub config: Arc<Config>,
    /// Who acts. Whoever can run this program on this database may do anything.
    pub caller: Caller,
}

impl Context {
    pub fn new(shared: &Shared, bind: Option<String>) -> Result<Self, CliError> {
        let name = shared.person.clone().unwrap_or_else(|| Caller::SYSTEM.to_owned());
        if !is_name(&name) {
            return Err(CliError::usage(
                "--as names a person: 1 to 64 characters, no control characters",
            ));
        }
        let flags = Flags {
            config: shared.config.clone(),
            database_url: shared.database_url.clone(),
            bind,
        };
        let config = Arc::new(Config::load(&flags)?);
        Ok(Self {
            config,
            caller: Caller {
                name,
                role: Role::Admin,
            },
        })
    }

    /// Opens the database as it is.
    pub async fn database(&self) -> Result<Database, CliError> {
        let location: Location = self.config.database.url.parse()?;
        Ok(Database::open(&location).await?)
    }

    /// Opens the database and brings it up to date.
    pub async fn migrated(&self) -> Result<Database, CliError> {
        let database = self.database().await?;
        database.migrate().await?;
        Ok(database)
    }

    /// Opens a database that is up to date already.
    pub async fn current(&self) -> Result<Database, CliError> {
        let database = self.database().await?;
        if database.is_current().await? {
            Ok(database)
        } else {
            Err(DbError::NotMigrated.into())
        }
    }

    /// The office on this database.
    pub fn office(&self, database: Database) -> Result<Office, CliError> {
        let readers = Readers::from_config(&self.config)?;
        let issuer = Issuer::from_config(&self.config.sign_in, |variable| std::env::var(variable).ok())?;
        Ok(Office::new(database, self.config.clone())
            .asking(Arc::new(readers))
            .signed_in_by(issuer))
    }
}
