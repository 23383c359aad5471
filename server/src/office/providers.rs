//! Providers as people switch them.

use super::desk::OfficeDesk;
use super::idempotent::{self, check_key};
use super::kept::Moment;
use super::{Failure, Office, check_reason, require};
use crate::database::DbError;
use crate::storage::audit::{self, Entry};
use crate::storage::idempotency::Claim;
use crate::storage::providers::{self, Pause};
use app::desk::{Answer, Code, DeskError, PauseView, ProviderView, Providers};
use app::domain::permission::Permission;
use app::domain::redact::redact_text;
use app::domain::role::Caller;
use async_trait::async_trait;
use serde_json::json;
use std::collections::BTreeMap;

fn seen(pause: Pause) -> PauseView {
    PauseView {
        provider: pause.provider,
        reason: pause.reason,
        by: pause.by,
        at: pause.at,
    }
}

impl Office {
    /// Where creation is paused. Unreadable is none: the guard asks the database itself.
    pub async fn paused(&self, moment: &Moment) -> Vec<PauseView> {
        let read = async {
            let paused = providers::now_paused(&self.database).await?;
            Ok::<_, DbError>(paused.into_iter().map(seen).collect())
        };
        match self.paused.answer(moment, &self.database, (), read).await {
            Ok(paused) => Vec::clone(&paused),
            Err(error) => {
                tracing::warn!(error = %error, "the paused providers could not be read");
                Vec::new()
            }
        }
    }

    /// Every configured provider, and every paused one, by name.
    ///
    /// # Errors
    /// `role_required`, `unavailable`.
    pub async fn providers(&self, caller: &Caller) -> Answer<Vec<ProviderView>> {
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        let waiting = providers::waiting(&mut tx).await?;
        let mut all: BTreeMap<String, ProviderView> = BTreeMap::new();
        for (name, configured) in &self.config.providers {
            let host = url::Url::parse(&configured.base_url)
                .ok()
                .and_then(|url| url.host_str().map(str::to_owned))
                .unwrap_or_default();
            all.insert(
                name.clone(),
                ProviderView {
                    name: name.clone(),
                    configured: true,
                    host,
                    account: configured.account.clone(),
                    pause: None,
                    waiting: waiting.get(name).copied().unwrap_or_default(),
                },
            );
        }
        for pause in providers::all_paused(&mut tx).await? {
            let name = pause.provider.clone();
            let view = all.entry(name.clone()).or_insert_with(|| ProviderView {
                waiting: waiting.get(&name).copied().unwrap_or_default(),
                name,
                configured: false,
                host: String::new(),
                account: String::new(),
                pause: None,
            });
            view.pause = Some(seen(pause));
        }
        Ok(all.into_values().collect())
    }

    /// Stops creation at a configured provider, or allows it again.
    ///
    /// # Errors
    /// `invalid_request`, `role_required`, `not_found` for a provider that is neither configured nor paused.
    pub async fn switch_creation(
        &self,
        caller: &Caller,
        provider: &str,
        paused: bool,
        reason: &str,
        key: &str,
    ) -> Answer<bool> {
        check_reason(reason)?;
        check_key(key)?;
        require(caller, Permission::Manage)?;
        if paused && !self.config.providers.contains_key(provider) {
            return Err(DeskError::new(
                Code::NotFound,
                "No provider of that name is configured.",
            ));
        }
        let verb = if paused { "pause" } else { "resume" };
        let route = format!("/providers/{provider}/{verb}");
        let claim = Claim::new(caller, &route, key, &json!({ "reason": reason }));
        let kept = redact_text(reason.trim());
        crate::again!(
            self.switch_creation_once(caller, provider, paused, &kept, &claim)
                .await
        )
    }

    async fn switch_creation_once(
        &self,
        caller: &Caller,
        provider: &str,
        paused: bool,
        reason: &str,
        claim: &Claim,
    ) -> Result<bool, Failure> {
        let mut tx = self.database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, claim).await? {
            return Ok(answer);
        }
        let (changed, action) = if paused {
            providers::pause(&mut tx, provider, reason, &caller.name).await?;
            (true, "creation_paused")
        } else {
            (providers::resume(&mut tx, provider).await?, "creation_resumed")
        };
        if changed {
            let entry = Entry::new(caller, action).reason(format!("{provider}: {reason}"));
            audit::append(&mut tx, entry).await?;
        }
        idempotent::keep(&mut tx, claim, 200, &changed).await?;
        tx.commit().await?;
        Ok(changed)
    }
}

#[async_trait]
impl Providers for OfficeDesk {
    async fn providers(&self) -> Answer<Vec<ProviderView>> {
        self.office.providers(self.signed_in()?).await
    }

    async fn pause(&self, provider: &str, reason: &str, key: &str) -> Answer<()> {
        let caller = self.signed_in()?;
        self.office
            .switch_creation(caller, provider, true, reason, key)
            .await?;
        Ok(())
    }

    async fn resume(&self, provider: &str, reason: &str, key: &str) -> Answer<bool> {
        let caller = self.signed_in()?;
        self.office
            .switch_creation(caller, provider, false, reason, key)
            .await
    }
}
