//! `dlo doctor`: what the program needs, checked one by one. It writes nothing but a probe into the artifact store.

use super::Shared;
use super::context::{CliError, Context, Outcome, brief};
use crate::artifacts::Artifacts;
use crate::config::{Config, ProviderConfig};
use crate::database::{Database, DbError, Dialect, Location};
use crate::oidc::Issuer;
use crate::provider::{Creators, Readers};
use crate::storage::soniq_workers;
use chrono::{TimeDelta, Utc};
use std::time::Duration;

/// Clocks that differ by more make ages and leases lie.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::seconds(5);
/// A provider that does not take a connection in time is not reachable.
const PATIENCE: Duration = Duration::from_secs(5);

/// One line.
struct Finding {
    what: String,
    /// What is right, or what is wrong.
    result: Result<String, String>,
}

fn finding(what: impl Into<String>, result: Result<impl Into<String>, impl Into<String>>) -> Finding {
    Finding {
        what: what.into(),
        result: result.map(Into::into).map_err(Into::into),
    }
}

pub async fn check(shared: &Shared) -> Outcome {
    let context = match Context::new(shared, None) {
        Ok(context) => context,
        Err(error) => {
            let (CliError::Usage(why) | CliError::Failed(why)) = &error;
            println!("WRONG configuration: {why}");
            return Err(error);
        }
    };
    let mut findings = vec![finding("configuration", Ok::<_, String>("read"))];
    findings.extend(database(&context).await);
    findings.extend(issuer(&context.config).await);
    findings.extend(providers(&context.config).await);
    findings.push(artifacts(&context.config).await);
    let mut wrong = 0;
    for finding in &findings {
        match &finding.result {
            Ok(text) => println!("ok    {}: {text}", finding.what),
            Err(text) => {
                wrong += 1;
                println!("WRONG {}: {text}", finding.what);
            }
        }
    }
    for warning in context.config.warnings() {
        // An office without a provider shows and explains all the same.
        if context.config.providers.is_empty() {
            println!("note  configuration: {warning}");
        } else {
            wrong += 1;
            println!("WRONG configuration: {warning}");
        }
    }
    if wrong == 0 {
        Ok(())
    } else {
        Err(CliError::failed(format!("{wrong} of these are wrong")))
    }
}

async fn database(context: &Context) -> Vec<Finding> {
    // Opening would create the file.
    if let Ok(Location::File(path)) = context.config.database.url.parse()
        && !path.exists()
    {
        return vec![finding(
            "database",
            Err::<String, _>("the file is not there yet: run `dlo migrate`"),
        )];
    }
    let database = match context.database().await {
        Ok(database) => database,
        Err(CliError::Failed(why) | CliError::Usage(why)) => {
            return vec![finding("database", Err::<String, _>(why))];
        }
    };
    let kind = match database.dialect() {
        Dialect::Postgres => "PostgreSQL",
        Dialect::Sqlite => "SQLite",
    };
    let mut findings = vec![finding("database", Ok::<_, String>(format!("{kind} answers")))];
    // A database in memory is new in each program, which migrates it when it starts.
    if matches!(context.config.database.url.parse(), Ok(Location::Memory))
        && let Err(error) = database.migrate().await
    {
        findings.push(finding("migration", Err::<String, _>(brief(&error))));
        return findings;
    }
    let current = match database.is_current().await {
        Ok(true) => Ok("up to date".to_owned()),
        Ok(false) => Err("not migrated: run `dlo migrate`".to_owned()),
        Err(error) => Err(brief(&error)),
    };
    let migrated = current.is_ok();
    findings.push(finding("migration", current));
    if migrated {
        findings.push(finding("workers", workers(&database).await));
    }
    findings.push(finding("clock", clock(&database).await));
    findings
}

async fn workers(database: &Database) -> Result<String, String> {
    let found = async {
        let mut tx = database.read().await?;
        soniq_workers::greedy_worker(&mut tx).await
    };
    match found.await.map_err(|error: DbError| brief(&error))? {
        None => Ok("no living Soniq worker takes our queue".to_owned()),
        Some(worker) => Err(format!(
            "the Soniq worker {worker} takes every queue, or ours by name: it would take and bury our jobs. Start it with \
             a list of its own queues"
        )),
    }
}

async fn clock(database: &Database) -> Result<String, String> {
    let theirs = database.read().await.map_err(|error| brief(&error))?.now();
    let apart = Utc::now() - theirs;
    if apart.abs() <= CLOCK_TOLERANCE {
        Ok("the database's and ours agree".to_owned())
    } else {
        Err(format!(
            "ours is {} seconds off the database's",
            apart.num_seconds()
        ))
    }
}

/// Whether the issuer of single sign-on answers, where there is one.
async fn issuer(config: &Config) -> Option<Finding> {
    let made = Issuer::from_config(&config.sign_in, |variable| std::env::var(variable).ok());
    let result = match made.transpose()? {
        Ok(issuer) => issuer.answers().await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    Some(finding(
        "single sign-on",
        result.map(|()| "the issuer answers, under its own name"),
    ))
}

async fn providers(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    let clients = Readers::from_config(config).and_then(|_| Creators::from_config(config));
    if let Err(error) = clients {
        findings.push(finding("providers", Err::<String, _>(error.to_string())));
    }
    for (name, provider) in config
        .providers
        .iter()
        .filter(|(_, provider)| !provider.base_url.is_empty())
    {
        findings.push(finding(format!("provider {name}"), reach(provider).await));
    }
    findings
}

/// Opens a connection and sends nothing.
async fn reach(provider: &ProviderConfig) -> Result<String, String> {
    let url = url::Url::parse(&provider.base_url).map_err(|_| "base_url is no URL".to_owned())?;
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err("base_url has no host".to_owned());
    };
    let host = host.trim_matches(['[', ']']);
    match tokio::time::timeout(PATIENCE, tokio::net::TcpStream::connect((host, port))).await {
        Ok(Ok(_)) => Ok(format!("{host}:{port} takes connections")),
        Ok(Err(error)) => Err(format!("{host}:{port} cannot be reached: {}", error.kind())),
        Err(_) => Err(format!("{host}:{port} does not answer")),
    }
}

async fn artifacts(config: &Config) -> Finding {
    let result = match Artifacts::from_config(&config.artifacts) {
        Ok(store) => match store.probe().await {
            Ok(()) => Ok("outputs can be stored".to_owned()),
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(error.to_string()),
    };
    finding("artifacts", result)
}
