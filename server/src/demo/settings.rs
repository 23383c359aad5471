//! The demo's configuration: everything in one temporary folder, the fixture as provider, short waits.

use super::application::PROVIDER;
use crate::config::{Config, ConfigError, Flags};
use crate::fixture::Fixture;
use std::path::{Path, PathBuf};
use toml::Value;

/// How long one request to the provider may take.
const TIMEOUT_SECONDS: u64 = 5;
/// Outputs are small here.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Where the demo's things lie.
#[derive(Debug, Clone)]
pub struct Places {
    pub database: PathBuf,
    pub catalogue: PathBuf,
    pub artifacts: PathBuf,
    /// Holds the provider's key, so that no real one from the environment is ever used here.
    pub key: PathBuf,
}

impl Places {
    pub fn within(folder: &Path) -> Self {
        Self {
            database: folder.join("office.db"),
            catalogue: folder.join("catalogue.db"),
            artifacts: folder.join("artifacts"),
            key: folder.join("genace.key"),
        }
    }
}

/// The office's configuration.
///
/// # Errors
/// `bind` is no address.
pub fn office(places: &Places, fixture: &Fixture, bind: &str) -> Result<Config, ConfigError> {
    let text = format!(
        "[server]\nbind = {bind}\n\
         [database]\nurl = {database}\n\
         [worker]\nlease_seconds = 15\n\
         [artifacts]\nurl = {artifacts}\nmax_bytes = {MAX_BYTES}\n\
         [retries]\nmax_attempts = 3\nbackoff_seconds = [1]\n\
         [providers.{PROVIDER}]\nprofile = \"genace\"\nbase_url = {base}\napi_key_env = \"\"\napi_key_file = {key}\n\
         timeout_seconds = {TIMEOUT_SECONDS}\nallow_hosts = [{outputs}]\n\
         [providers.{PROVIDER}.observe]\noutput_sha256 = \"/sha256\"\n",
        bind = quoted(bind),
        database = quoted(&format!("sqlite:{}", places.database.display())),
        artifacts = quoted(&format!("file:{}", places.artifacts.display())),
        base = quoted(&fixture.base_url()),
        key = quoted(&places.key.display().to_string()),
        outputs = quoted(&fixture.output_host()),
    );
    Config::from_parts(Some(&text), &[], &Flags::default())
}

/// The same store as the office's, with the application's share of it used up.
pub fn full_store(config: &Config) -> crate::config::Artifacts {
    crate::config::Artifacts {
        url: format!("{}?quota_bytes=1", config.artifacts.url),
        ..config.artifacts.clone()
    }
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
