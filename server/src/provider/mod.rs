//! Everything that talks to a provider (DESIGN 4.5 to 4.9, 6). Two sets of clients: [`Readers`] cannot POST,
//! [`Creators`] send once. Whoever observes or delivers is given readers alone.

mod address;
pub mod answer;
pub mod creator;
#[cfg(test)]
mod fuzz;
mod gate;
mod http;
mod json;
pub mod net;
pub mod observe;
pub mod output;
mod policy;
pub mod reader;
pub mod receipt;

pub use address::is_public;
pub use answer::{Answer, Candidates, Observation, OutputLink, SearchError};

use crate::config::{Config, ConfigError};
use creator::CreateClient;
use net::Connector;
use output::OutputClient;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use reader::ReadClient;
use secrecy::SecretString;
use std::collections::BTreeMap;
use url::Url;

/// What is not escaped in one segment of a path or one value of a query.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// `base_url` with a path of the profile after it (`base_url` may have a path of its own).
fn join(base: &Url, path: &str) -> Option<Url> {
    Url::parse(&format!("{}{path}", base.as_str().trim_end_matches('/'))).ok()
}

/// The two clients that read one provider.
#[derive(Debug, Clone)]
pub struct Reader {
    /// Reads jobs.
    pub jobs: ReadClient,
    /// Fetches outputs.
    pub outputs: OutputClient,
    /// What is pinned on operations.
    pub fingerprint: String,
    /// Whether a read can advance a compensation.
    pub may_advance_compensation: bool,
}

/// Clients that read, by provider.
#[derive(Debug, Clone, Default)]
pub struct Readers(BTreeMap<String, Reader>);

impl Readers {
    /// One reader for each configured provider; keys come from the environment or the named files.
    ///
    /// # Errors
    /// A named key file cannot be read, or this machine's certificates cannot.
    pub fn from_config(config: &Config) -> Result<Self, ConfigError> {
        let connector = connector()?;
        let mut readers = BTreeMap::new();
        for (name, provider) in &config.providers {
            let reader = Reader {
                jobs: ReadClient::new(connector.clone(), provider, key(name, provider)?),
                outputs: OutputClient::new(connector.clone(), provider),
                fingerprint: provider.fingerprint(name),
                may_advance_compensation: provider.observe.may_advance_compensation,
            };
            readers.insert(name.clone(), reader);
        }
        Ok(Self(readers))
    }

    /// The reader of a provider, where it is configured.
    pub fn get(&self, provider: &str) -> Option<&Reader> {
        self.0.get(provider)
    }
}

/// Clients that create, by provider.
#[derive(Debug, Clone, Default)]
pub struct Creators(BTreeMap<String, CreateClient>);

impl Creators {
    /// One creation client for each configured provider.
    ///
    /// # Errors
    /// As [`Readers::from_config`].
    pub fn from_config(config: &Config) -> Result<Self, ConfigError> {
        let connector = connector()?;
        let mut creators = BTreeMap::new();
        for (name, provider) in &config.providers {
            creators.insert(
                name.clone(),
                CreateClient::new(connector.clone(), provider, key(name, provider)?),
            );
        }
        Ok(Self(creators))
    }

    /// The creation client of a provider, where it is configured.
    pub fn get(&self, provider: &str) -> Option<&CreateClient> {
        self.0.get(provider)
    }
}

fn connector() -> Result<Connector, ConfigError> {
    Connector::new().map_err(|_| ConfigError::Invalid {
        key: "providers".to_owned(),
        why: "cannot be reached safely: this machine's certificates cannot be used".to_owned(),
    })
}

fn key(name: &str, provider: &crate::config::ProviderConfig) -> Result<Option<SecretString>, ConfigError> {
    provider
        .api_key(|variable| std::env::var(variable).ok())
        .map_err(|error| match error {
            ConfigError::Invalid { key, why } => ConfigError::Invalid {
                key: format!("providers.{name}.{key}"),
                why,
            },
            ConfigError::Unreadable { .. }
            | ConfigError::Syntax { .. }
            | ConfigError::UnknownKey { .. }
            | ConfigError::WrongType { .. } => error,
        })
}
