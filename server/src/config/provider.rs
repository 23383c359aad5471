//! Providers are data (DESIGN 6): one section of the configuration each, built-in profiles beneath.

use super::ConfigError;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The built-in profiles: name, and the TOML that stands beneath what the user writes.
pub const PROFILES: &[(&str, &str)] = &[("genace", include_str!("profiles/genace.toml"))];

/// One provider. Without a profile a field left out is empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderConfig {
    /// The built-in profile beneath; empty: none.
    pub profile: String,
    pub base_url: String,
    /// The environment variable that holds the key; sent as `Authorization: Bearer …`. Empty: none.
    pub api_key_env: String,
    /// A file that holds the key, where it is not in the environment. Empty: none.
    pub api_key_file: String,
    pub account: String,
    pub timeout_seconds: u64,
    /// Hosts of outputs besides `base_url`'s own, each with or without a port. A private address must itself be
    /// listed (or a name that can only be local, such as `localhost`).
    pub allow_hosts: Vec<String>,
    pub create: Create,
    pub observe: Observe,
    pub states: States,
    pub search: Search,
}

impl Default for ProviderConfig {
    fn default() -> Self {
        Self {
            profile: String::new(),
            base_url: String::new(),
            api_key_env: String::new(),
            api_key_file: String::new(),
            account: String::new(),
            timeout_seconds: 20,
            allow_hosts: Vec::new(),
            create: Create::default(),
            observe: Observe::default(),
            states: States::default(),
            search: Search::default(),
        }
    }
}

/// The creation request: the stored specification body, plus the client reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Create {
    pub method: String,
    pub path: String,
    /// JSON pointers, tried in order, at any status.
    pub job_id: Vec<String>,
    /// Header names, tried after the pointers.
    pub job_id_headers: Vec<String>,
    /// Where our operation id is put; empty: nowhere.
    pub client_reference: String,
    /// Empty: the provider promises nothing.
    pub idempotency_header: String,
    pub idempotency_ttl_seconds: u64,
    /// Statuses that, with a JSON object and no job id, are a refusal.
    pub rejections: Vec<u16>,
    /// Those of them that cost nothing.
    pub rejections_uncharged: Vec<u16>,
}

impl Default for Create {
    fn default() -> Self {
        Self {
            method: "POST".to_owned(),
            path: String::new(),
            job_id: Vec::new(),
            job_id_headers: Vec::new(),
            client_reference: String::new(),
            idempotency_header: String::new(),
            idempotency_ttl_seconds: 0,
            rejections: Vec::new(),
            rejections_uncharged: Vec::new(),
        }
    }
}

/// How one job is read: JSON pointers into the answer. An empty pointer: the provider has no such field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Observe {
    /// With `{job_id}`.
    pub path: String,
    pub id: String,
    pub state: String,
    /// `null` there is "not stated", `[]` is "none".
    pub outputs: String,
    /// Inside one output, like the two after it.
    pub output_url: String,
    pub output_content_type: String,
    pub output_sha256: String,
    pub error_code: String,
    /// The explicit marker of a submission failure.
    pub submission_failure: String,
    pub credits_reserved: String,
    pub credits_charged: String,
    pub credits_refunded: String,
    /// The value `pending` there means that a refund is on its way.
    pub compensation: String,
    /// Whether reading can advance a compensation.
    pub may_advance_compensation: bool,
}

/// The provider's words for each execution; a word in none of them is `unknown`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct States {
    pub queued: Vec<String>,
    pub running: Vec<String>,
    pub succeeded: Vec<String>,
    pub failed: Vec<String>,
    pub cancelled: Vec<String>,
    pub expired: Vec<String>,
}

/// Finds candidates for a person; never attaches them. An empty path: the provider has no search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// With `{operation_id}`.
    pub path: String,
    /// Pointer to the list in the answer.
    pub items: String,
    /// Pointer to the job id in one item.
    pub item_id: String,
}

impl ProviderConfig {
    /// The search, where the provider has one.
    pub fn search(&self) -> Option<&Search> {
        (!self.search.path.is_empty()).then_some(&self.search)
    }

    /// The key, from the variable that is named (as `variable` answers), else from the file that is named.
    /// `Ok(None)`: none is named, or the variable is not set; requests then go without one.
    ///
    /// # Errors
    /// The named file cannot be read or is empty.
    pub fn api_key(
        &self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<SecretString>, ConfigError> {
        if !self.api_key_env.is_empty()
            && let Some(key) = variable(&self.api_key_env).filter(|key| !key.trim().is_empty())
        {
            return Ok(Some(key.trim().to_owned().into()));
        }
        if self.api_key_file.is_empty() {
            return Ok(None);
        }
        let key = std::fs::read_to_string(Path::new(&self.api_key_file)).unwrap_or_default();
        if key.trim().is_empty() {
            return Err(ConfigError::invalid(
                "api_key_file",
                "cannot be read, or holds no key",
            ));
        }
        Ok(Some(key.trim().to_owned().into()))
    }

    /// What is pinned on each operation: see [`fingerprint`].
    pub fn fingerprint(&self, name: &str) -> String {
        fingerprint(name, &self.base_url, &self.account)
    }
}

/// Sixteen hex digits that stand for a provider's name, base URL and account. A changed configuration never
/// redirects an old id: a pinned operation whose fingerprint differs is refused.
pub fn fingerprint(provider_name: &str, base_url: &str, account: &str) -> String {
    let mut hash = Sha256::new();
    for part in [provider_name, base_url.trim_end_matches('/'), account] {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut text = hex::encode(hash.finalize());
    text.truncate(16);
    text
}

/// A JSON pointer that names something: it begins with a slash, and its tildes are escapes.
pub fn is_pointer(text: &str) -> bool {
    text.starts_with('/') && text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}
