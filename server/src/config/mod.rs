//! The whole configuration (DESIGN 7): a TOML file, then `DLO_SECTION__KEY` in the environment, then flags.
//!
//! Unknown keys and wrong types are errors that name the key and never repeat a value.

mod error;
mod layers;
mod oidc;
mod provider;
mod sections;
mod sign_in;
mod validate;

pub use error::ConfigError;
pub use oidc::{Oidc, is_encrypted_or_local};
pub use provider::{Create, Observe, PROFILES, ProviderConfig, Search, States, fingerprint, is_pointer};
pub use sections::{
    ActionConfig, Actions, Approvals, Artifacts, Audit, Database, Execute, Messages, Policy,
    ReplayWithoutRecord, Retries, Reveal, Server, Worker,
};

pub use sign_in::SignIn;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Everything that can be configured, complete, with the defaults of DESIGN 7.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub server: Server,
    pub sign_in: SignIn,
    pub database: Database,
    pub worker: Worker,
    pub artifacts: Artifacts,
    pub policy: Policy,
    pub approvals: Approvals,
    pub audit: Audit,
    pub messages: Messages,
    pub actions: Actions,
    pub retries: Retries,
    /// By the provider's own name, profiles already applied.
    pub providers: BTreeMap<String, ProviderConfig>,
}

/// What the command line says; it wins over file and environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--database-url`.
    pub database_url: Option<String>,
    /// `--bind`.
    pub bind: Option<String>,
}

impl Config {
    /// Reads the file that the flags name (none by default) and this process's environment.
    ///
    /// # Errors
    /// An unreadable file, TOML that is no TOML, an unknown key, a wrong type, or a value that no run could use.
    pub fn load(flags: &Flags) -> Result<Self, ConfigError> {
        let text = match &flags.config {
            Some(path) => {
                Some(std::fs::read_to_string(path).map_err(|source| ConfigError::unreadable(path, &source))?)
            }
            None => None,
        };
        let environment: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self::from_parts(text.as_deref(), &environment, flags)
    }

    /// As [`Config::load`], with the file's text and the environment given.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn from_parts(
        file: Option<&str>,
        environment: &[(String, String)],
        flags: &Flags,
    ) -> Result<Self, ConfigError> {
        let config = layers::build(file, environment, flags)?;
        validate::validate(&config)?;
        Ok(config)
    }

    /// What is legal but cannot work as it stands, for `dlo doctor` and the log at start. Each names a key.
    pub fn warnings(&self) -> Vec<String> {
        validate::warnings(self)
    }
}
