//! Providers as people switch them: creation paused or allowed, one by one.

use super::Answer;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A provider at which creation is paused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PauseView {
    pub provider: String,
    pub reason: String,
    pub by: String,
    pub at: DateTime<Utc>,
}

/// A configured provider, or one that is paused and not configured any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderView {
    pub name: String,
    pub configured: bool,
    /// Host of its address, for people to know it by; empty when it is not configured.
    pub host: String,
    pub account: String,
    pub pause: Option<PauseView>,
    /// Operations of it that are prepared and wait to be sent.
    pub waiting: i64,
}

/// What may be asked and ordered about providers.
#[async_trait]
pub trait Providers: Send + Sync {
    /// Every provider, by name (viewer).
    async fn providers(&self) -> Answer<Vec<ProviderView>>;
    /// Stops creation there (admin). Reading and delivering go on.
    async fn pause(&self, provider: &str, reason: &str, key: &str) -> Answer<()>;
    /// Allows it again (admin); `false` when it was not paused.
    async fn resume(&self, provider: &str, reason: &str, key: &str) -> Answer<bool>;
}
