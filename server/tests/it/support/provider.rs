//! A fixture provider, and a configuration that names it.

use server::config::{Config, Flags};
use server::fixture::Fixture;
use server::provider::{Creators, Readers};
use tempfile::TempDir;

/// The key that the configuration's file holds.
pub const KEY: &str = "fixture-key";

/// A fixture, clients for it under the name `genace`, and a folder of its own.
pub struct Stage {
    pub fixture: Fixture,
    pub config: Config,
    pub readers: Readers,
    pub creators: Creators,
    pub folder: TempDir,
}

impl Stage {
    /// With timeouts of one second; `more` is TOML after the section `[providers.genace]`.
    pub async fn new(more: &str) -> Self {
        let fixture = Fixture::start(([127, 0, 0, 1], 0).into())
            .await
            .expect("free ports");
        fixture.expect_key(Some(KEY));
        let folder = tempfile::tempdir().expect("a folder");
        let key = folder.path().join("key");
        std::fs::write(&key, format!("{KEY}\n")).expect("a key file");
        let text = format!(
            "[artifacts]\nurl = \"file:{}\"\n[providers.genace]\nprofile = \"genace\"\napi_key_env = \"\"\n\
             api_key_file = \"{}\"\nbase_url = \"{}\"\nallow_hosts = [\"{}\"]\ntimeout_seconds = 1\n{more}",
            folder.path().join("copies").display(),
            key.display(),
            fixture.base_url(),
            fixture.output_host(),
        );
        let config = Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration");
        let readers = Readers::from_config(&config).expect("readers");
        let creators = Creators::from_config(&config).expect("creators");
        Self {
            fixture,
            config,
            readers,
            creators,
            folder,
        }
    }

    pub fn reader(&self) -> &server::provider::Reader {
        self.readers.get("genace").expect("it is configured")
    }

    pub fn creator(&self) -> &server::provider::creator::CreateClient {
        self.creators.get("genace").expect("it is configured")
    }
}
