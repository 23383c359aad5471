//! Values that no run could use, and values that are legal but cannot work as they stand.

use super::provider::{ProviderConfig, is_pointer};
use super::sections::Execute;
use super::{Config, ConfigError};
use std::net::SocketAddr;
use url::Url;

/// No process works on more jobs at once.
const MAX_CONCURRENCY: u32 = 256;
/// No wait is longer: ten years, far from every overflow of a clock.
const MAX_SECONDS: u64 = 315_360_000;

pub(super) fn validate(config: &Config) -> Result<(), ConfigError> {
    let refuse = |key: &str, why: &str| Err(ConfigError::invalid(key, why));
    if config.server.bind.parse::<SocketAddr>().is_err() {
        return refuse(
            "server.bind",
            "must be an address and a port, like 127.0.0.1:8080",
        );
    }
    if !config.server.public_url.is_empty() && web_url(&config.server.public_url).is_none() {
        return refuse("server.public_url", "must be empty or an http or https URL");
    }
    config.sign_in.validate()?;
    if config.sign_in.oidc.is_on()
        && config.server.public_url.is_empty()
        && !config
            .server
            .bind
            .parse::<SocketAddr>()
            .is_ok_and(|bind| bind.ip().is_loopback())
    {
        return refuse(
            "server.public_url",
            "must be set: the issuer of sign_in.oidc sends people back there",
        );
    }
    if config.database.url.is_empty() {
        return refuse("database.url", "must not be empty");
    }
    if !(1..=MAX_CONCURRENCY).contains(&config.worker.concurrency) {
        return refuse("worker.concurrency", "must be from 1 to 256");
    }
    if config.artifacts.url.is_empty() {
        return refuse("artifacts.url", "must not be empty");
    }
    if config.artifacts.max_bytes == 0 {
        return refuse("artifacts.max_bytes", "must be positive");
    }
    for (key, seconds) in [
        ("worker.lease_seconds", config.worker.lease_seconds),
        ("worker.poll_seconds", config.worker.poll_seconds),
        (
            "policy.facts_max_age_seconds",
            config.policy.facts_max_age_seconds,
        ),
        (
            "policy.observe_bound_seconds",
            config.policy.observe_bound_seconds,
        ),
        (
            "policy.creation_valid_seconds",
            config.policy.creation_valid_seconds,
        ),
        ("approvals.approval_seconds", config.approvals.approval_seconds),
    ] {
        duration(key, seconds)?;
    }
    if !(1..=2).contains(&config.approvals.dispatch) {
        return refuse("approvals.dispatch", "must be 1 or 2");
    }
    for (key, pointers) in [
        ("messages.operation_id", &config.messages.operation_id),
        ("messages.job_id", &config.messages.job_id),
        ("messages.error_category", &config.messages.error_category),
    ] {
        if !pointers.iter().all(|pointer| is_pointer(pointer)) {
            return refuse(key, "must be a list of JSON pointers, like /operation_id");
        }
    }
    actions(config)?;
    if !(1..=100).contains(&config.retries.max_attempts) {
        return refuse("retries.max_attempts", "must be from 1 to 100");
    }
    if config.retries.backoff_seconds.is_empty()
        || config
            .retries
            .backoff_seconds
            .iter()
            .any(|seconds| *seconds > MAX_SECONDS)
    {
        return refuse(
            "retries.backoff_seconds",
            "must be a list of waits in seconds, with one at least",
        );
    }
    config.providers.iter().try_for_each(|(name, provider)| {
        check_provider(
            &format!("providers.{name}"),
            provider,
            config.worker.lease_seconds,
        )
    })
}

fn duration(key: &str, seconds: u64) -> Result<(), ConfigError> {
    if (1..=MAX_SECONDS).contains(&seconds) {
        Ok(())
    } else {
        Err(ConfigError::invalid(
            key,
            "must be positive, and less than ten years",
        ))
    }
}

fn actions(config: &Config) -> Result<(), ConfigError> {
    let actions = &config.actions;
    match actions.dispatch.execute {
        Execute::Queue => {
            return Err(ConfigError::invalid(
                "actions.dispatch.execute",
                "must not be \"queue\": a creation is sent by our own worker, or not at all",
            ));
        }
        Execute::Builtin => {}
    }
    for (name, action) in [
        ("observe", &actions.observe),
        ("deliver", &actions.deliver),
        ("inspect_accounting", &actions.inspect_accounting),
    ] {
        if action.execute == Execute::Queue && action.job_name.is_empty() {
            return Err(ConfigError::invalid(
                format!("actions.{name}.job_name"),
                "must not be empty when the action goes to the application's workers",
            ));
        }
    }
    Ok(())
}

fn check_provider(at: &str, provider: &ProviderConfig, lease_seconds: u64) -> Result<(), ConfigError> {
    let refuse = |key: &str, why: &str| Err(ConfigError::invalid(format!("{at}.{key}"), why));
    if !provider.base_url.is_empty() {
        match web_url(&provider.base_url) {
            None => return refuse("base_url", "must be an http or https URL"),
            Some(url) if !url.username().is_empty() || url.password().is_some() => {
                return refuse(
                    "base_url",
                    "must not hold a user or a password; use api_key_env or api_key_file",
                );
            }
            Some(url) if url.query().is_some() || url.fragment().is_some() => {
                return refuse("base_url", "must not hold a query or a fragment");
            }
            Some(_) => {}
        }
    }
    duration(&format!("{at}.timeout_seconds"), provider.timeout_seconds)?;
    if lease_seconds <= provider.timeout_seconds {
        return Err(ConfigError::invalid(
            "worker.lease_seconds",
            format!("must exceed {at}.timeout_seconds: a creation may not outlive its lease"),
        ));
    }
    if !provider
        .allow_hosts
        .iter()
        .all(|host| crate::provider::net::HostRule::parse(host).is_some())
    {
        return refuse(
            "allow_hosts",
            "must be a list of hosts, each with or without a port",
        );
    }
    let create = &provider.create;
    if create.method != "POST" && create.method != "PUT" {
        return refuse("create.method", "must be POST or PUT");
    }
    for (key, names) in [
        (
            "create.job_id_headers",
            create.job_id_headers.iter().collect::<Vec<_>>(),
        ),
        (
            "create.idempotency_header",
            Some(&create.idempotency_header)
                .filter(|name| !name.is_empty())
                .into_iter()
                .collect(),
        ),
    ] {
        if names
            .iter()
            .any(|name| http::HeaderName::try_from(name.as_str()).is_err())
        {
            return refuse(key, "must be the name of an HTTP header");
        }
    }
    if create.job_id.iter().any(|pointer| !is_pointer(pointer)) {
        return refuse("create.job_id", "must be a list of JSON pointers, like /job/id");
    }
    let observe = &provider.observe;
    for (key, pointer) in [
        ("create.client_reference", &create.client_reference),
        ("observe.id", &observe.id),
        ("observe.state", &observe.state),
        ("observe.outputs", &observe.outputs),
        ("observe.output_url", &observe.output_url),
        ("observe.output_content_type", &observe.output_content_type),
        ("observe.output_sha256", &observe.output_sha256),
        ("observe.error_code", &observe.error_code),
        ("observe.submission_failure", &observe.submission_failure),
        ("observe.credits_reserved", &observe.credits_reserved),
        ("observe.credits_charged", &observe.credits_charged),
        ("observe.credits_refunded", &observe.credits_refunded),
        ("observe.compensation", &observe.compensation),
        ("search.items", &provider.search.items),
        ("search.item_id", &provider.search.item_id),
    ] {
        if !pointer.is_empty() && !is_pointer(pointer) {
            return refuse(key, "must be empty or a JSON pointer, like /id");
        }
    }
    paths(at, provider)
}

fn paths(at: &str, provider: &ProviderConfig) -> Result<(), ConfigError> {
    for (key, path, hole) in [
        ("create.path", &provider.create.path, ""),
        ("observe.path", &provider.observe.path, "{job_id}"),
        ("search.path", &provider.search.path, "{operation_id}"),
    ] {
        if path.is_empty() {
            continue;
        }
        let plain = if hole.is_empty() {
            path.clone()
        } else {
            path.replace(hole, "x")
        };
        if !path.starts_with('/') || plain.parse::<http::uri::PathAndQuery>().is_err() {
            return Err(ConfigError::invalid(
                format!("{at}.{key}"),
                "must be a path that begins with a slash",
            ));
        }
        if !path.contains(hole) {
            return Err(ConfigError::invalid(
                format!("{at}.{key}"),
                format!("must contain {hole}"),
            ));
        }
    }
    Ok(())
}

fn web_url(text: &str) -> Option<Url> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

pub(super) fn warnings(config: &Config) -> Vec<String> {
    let mut warnings = Vec::new();
    let here = config
        .server
        .bind
        .parse::<SocketAddr>()
        .is_ok_and(|bind| bind.ip().is_loopback());
    if !here && !config.server.is_https() {
        warnings.push(
            "`server.public_url` is not https and `server.bind` is open to other machines: browsers there keep no \
             session, because its cookie is for https alone"
                .to_owned(),
        );
    }
    for (name, provider) in &config.providers {
        let mut warn = |key: &str, why: &str| warnings.push(format!("`providers.{name}.{key}` {why}"));
        if provider.base_url.is_empty() {
            warn(
                "base_url",
                "is empty: nothing can be read from or sent to this provider",
            );
        }
        if provider.create.path.is_empty() {
            warn("create.path", "is empty: nothing can be created there");
        }
        if provider.create.job_id.is_empty() && provider.create.job_id_headers.is_empty() {
            warn(
                "create.job_id",
                "is empty: no creation can ever be proven accepted",
            );
        }
        if provider.observe.path.is_empty() || provider.observe.state.is_empty() {
            warn("observe", "names no path or no state: no job can be read");
        }
        let unset = |variable: &str| std::env::var_os(variable).is_none_or(|value| value.is_empty());
        if !provider.api_key_env.is_empty()
            && provider.api_key_file.is_empty()
            && unset(&provider.api_key_env)
        {
            warn(
                "api_key_env",
                "names a variable that is not set: requests go without a key",
            );
        }
        if provider.api_key(|variable| std::env::var(variable).ok()).is_err() {
            warn("api_key_file", "cannot be read, or holds no key");
        }
    }
    if config.providers.is_empty() {
        warnings.push("no provider is configured: nothing can be observed, delivered or created".to_owned());
    }
    warnings
}
