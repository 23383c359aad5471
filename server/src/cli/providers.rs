//! `dlo providers`: the switch that stops creation at one provider, and a make-believe provider to try against.

use super::context::{CliError, Context, Outcome};
use super::serve::until_told;
use super::tokens::moment;
use crate::fixture::Fixture;
use crate::office::check_reason;
use crate::storage::providers;
use app::domain::redact::{redact_text, visible};
use std::io::Write;
use std::net::SocketAddr;

/// The reason as it is kept: a pasted secret must not be.
fn kept(reason: &str) -> Result<String, CliError> {
    check_reason(reason).map_err(|error| CliError::usage(error.detail))?;
    Ok(redact_text(reason.trim()))
}

/// Stops creation. A name that is not configured would stop nothing: it is refused.
pub async fn pause(context: Context, name: &str, reason: &str) -> Outcome {
    let reason = kept(reason)?;
    if !context.config.providers.contains_key(name) {
        let known: Vec<&str> = context.config.providers.keys().map(String::as_str).collect();
        return Err(CliError::usage(format!(
            "no provider {} is configured; configured: {}",
            visible(name),
            if known.is_empty() {
                "none (--config names the file)".to_owned()
            } else {
                known.join(", ")
            }
        )));
    }
    let database = context.current().await?;
    providers::pause_creation(&database, &context.caller, name, &reason).await?;
    println!("creation at {name} is paused; reading and delivering go on");
    Ok(())
}

/// Allows creation again, also at a provider that is not configured any more.
pub async fn resume(context: Context, name: &str, reason: &str) -> Outcome {
    let reason = kept(reason)?;
    let database = context.current().await?;
    if providers::resume_creation(&database, &context.caller, name, &reason).await? {
        println!("creation at {} goes on", visible(name));
        Ok(())
    } else {
        Err(CliError::failed(format!(
            "creation at {} is not paused",
            visible(name)
        )))
    }
}

/// Every configured provider, and every paused one.
pub async fn list(context: Context) -> Outcome {
    let database = context.current().await?;
    let mut tx = database.read().await?;
    let paused = providers::all_paused(&mut tx).await?;
    drop(tx);
    let mut names: Vec<&str> = context
        .config
        .providers
        .keys()
        .map(String::as_str)
        .chain(paused.iter().map(|pause| pause.provider.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let state = paused.iter().find(|pause| pause.provider == name).map_or_else(
            || "creation allowed".to_owned(),
            |pause| {
                format!(
                    "creation paused by {} at {}: {}",
                    visible(&pause.by),
                    moment(pause.at),
                    visible(&pause.reason)
                )
            },
        );
        println!("{:<16} {state}", visible(name));
    }
    Ok(())
}

/// Plays the provider that the built-in profile `genace` describes, until told to stop. It bills nobody.
pub async fn pretend(bind: &str) -> Outcome {
    let address: SocketAddr = bind
        .parse()
        .map_err(|_| CliError::usage("--bind is an address and a port, such as 127.0.0.1:8090"))?;
    let shutdown = until_told()?;
    let fixture = Fixture::start(address)
        .await
        .map_err(|error| CliError::failed(format!("{bind} cannot be listened on: {}", error.kind())))?;
    println!(
        "A make-believe provider: {}, outputs at {}",
        fixture.base_url(),
        fixture.output_host()
    );
    std::io::stdout().flush().ok();
    shutdown.cancelled().await;
    fixture.stop().await;
    Ok(())
}
