//! The sections of the configuration but `providers`.

use app::domain::plan::Action;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Where pages and API are served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Address and port; port 0 lets the system choose.
    pub bind: String,
    /// Needed behind a proxy; links and cookies follow it. Empty: none.
    pub public_url: String,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            bind: "127.0.0.1:8080".to_owned(),
            public_url: String::new(),
        }
    }
}

impl Server {
    /// Whether browsers come over https: that is what the public address says.
    pub fn is_https(&self) -> bool {
        self.public_url.to_ascii_lowercase().starts_with("https://")
    }
}

/// Where the records are.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `postgres://…`, `sqlite:PATH` (created when missing), `memory:`. May hold a password: never shown.
    pub url: String,
}

impl Default for Database {
    fn default() -> Self {
        Self {
            url: "sqlite:dead-letter-office.db".to_owned(),
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.url.split(':').next().unwrap_or_default();
        f.debug_struct("Database")
            .field("url", &format_args!("{scheme}:…"))
            .finish()
    }
}

/// The worker of our own queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Worker {
    /// Whether it runs inside `dlo serve`; `dlo worker` runs it alone.
    pub enabled: bool,
    pub concurrency: u32,
    /// Longer than every provider's timeout.
    pub lease_seconds: u64,
    pub poll_seconds: u64,
}

impl Default for Worker {
    fn default() -> Self {
        Self {
            enabled: true,
            concurrency: 4,
            lease_seconds: 60,
            poll_seconds: 1,
        }
    }
}

/// Where copies of outputs are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Artifacts {
    /// `file:PATH`, `file:///ABSOLUTE` (created when missing), `s3://…`, `gs://…`, `az://…`, `memory:`.
    pub url: String,
    /// The longest output that is taken, in bytes.
    pub max_bytes: u64,
}

impl Default for Artifacts {
    fn default() -> Self {
        Self {
            url: "file:artifacts".to_owned(),
            max_bytes: 2_147_483_648,
        }
    }
}

/// Whether a dead letter without a record may be replayed as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayWithoutRecord {
    Refuse,
    Allow,
}

/// Whether one hidden field of a dead letter may be looked at, with a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reveal {
    Refuse,
    Allow,
}

/// Bounds that decisions obey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    pub replay_without_record: ReplayWithoutRecord,
    /// What customers wrote is hidden, and stays so unless this is `allow`.
    pub reveal: Reveal,
    /// Owner and specification facts older than this block creation.
    pub facts_max_age_seconds: u64,
    /// How long an observation polls, and how long a recovery may be silent.
    pub observe_bound_seconds: u64,
    /// A creation not sent within so long of its confirmation ends `refused`.
    pub creation_valid_seconds: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            replay_without_record: ReplayWithoutRecord::Refuse,
            reveal: Reveal::Refuse,
            facts_max_age_seconds: 86_400,
            observe_bound_seconds: 900,
            creation_valid_seconds: 900,
        }
    }
}

/// Who must agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Approvals {
    /// People that a creation needs: 1 or 2.
    pub dispatch: u8,
    /// How long an approval may be awaited.
    pub approval_seconds: u64,
}

impl Default for Approvals {
    fn default() -> Self {
        Self {
            dispatch: 1,
            approval_seconds: 86_400,
        }
    }
}

/// What is kept of readers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audit {
    /// Whether looking at an operation's record is audited.
    pub record_views: bool,
}

/// Where a dead letter's args say what it is about (JSON pointers, tried in order).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Messages {
    pub operation_id: Vec<String>,
    pub job_id: Vec<String>,
    pub error_category: Vec<String>,
    /// The application's job names, and the action that each one is. A user's entries are added to the defaults.
    pub actions: BTreeMap<String, Action>,
}

impl Default for Messages {
    fn default() -> Self {
        let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
        Self {
            operation_id: list(&["/operation_id", "/op_id"]),
            job_id: list(&["/job_id", "/remote_job_id"]),
            error_category: list(&["/error_category"]),
            actions: [
                ("render.submit", Action::Dispatch),
                ("render.poll", Action::Observe),
                ("render.deliver", Action::Deliver),
                ("billing.refund", Action::InspectAccounting),
            ]
            .into_iter()
            .map(|(name, action)| (name.to_owned(), action))
            .collect(),
        }
    }
}

/// Who carries an action out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execute {
    /// Our own worker.
    Builtin,
    /// The application's workers, by a job on their queue.
    Queue,
}

/// How one action is carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActionConfig {
    pub execute: Execute,
    /// Used with `queue`.
    pub job_name: String,
}

impl ActionConfig {
    fn builtin(job_name: &str) -> Self {
        Self {
            execute: Execute::Builtin,
            job_name: job_name.to_owned(),
        }
    }
}

impl Default for ActionConfig {
    fn default() -> Self {
        Self::builtin("")
    }
}

/// How the actions are carried out. `dispatch` is here only so that `queue` can be refused in plain words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Actions {
    pub dispatch: ActionConfig,
    pub observe: ActionConfig,
    pub deliver: ActionConfig,
    pub inspect_accounting: ActionConfig,
}

impl Default for Actions {
    fn default() -> Self {
        Self {
            dispatch: ActionConfig::default(),
            observe: ActionConfig::builtin("render.poll"),
            deliver: ActionConfig::builtin("render.deliver"),
            inspect_accounting: ActionConfig::builtin("billing.refund"),
        }
    }
}

impl Actions {
    /// How an action is carried out; `None` for what is no machine's work.
    pub const fn of(&self, action: Action) -> Option<&ActionConfig> {
        match action {
            Action::Dispatch => Some(&self.dispatch),
            Action::Observe => Some(&self.observe),
            Action::Deliver => Some(&self.deliver),
            Action::InspectAccounting => Some(&self.inspect_accounting),
            Action::Reconcile | Action::Acknowledge => None,
        }
    }
}

/// Retries of our own worker's jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retries {
    pub max_attempts: u32,
    /// The wait before each next attempt; the last one repeats.
    pub backoff_seconds: Vec<u64>,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            max_attempts: 5,
            backoff_seconds: vec![2, 10, 60, 300],
        }
    }
}

impl Retries {
    /// Seconds to wait after `attempts` failed attempts (1, 2, …).
    pub fn backoff(&self, attempts: u32) -> u64 {
        let index = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
        self.backoff_seconds
            .get(index)
            .or(self.backoff_seconds.last())
            .copied()
            .unwrap_or(0)
    }
}
