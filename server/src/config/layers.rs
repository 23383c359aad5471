//! The layers of the configuration, each over the one before: defaults, file, environment, flags. Profiles come
//! beneath what the user says of a provider.

use super::provider::{PROFILES, ProviderConfig};
use super::{Config, ConfigError, Flags};
use figment::Figment;
use figment::providers::Serialized;
use serde::Serialize;
use toml::{Table, Value};

/// How the variables begin.
const PREFIX: &str = "DLO_";
/// What stands between section and key.
const SEPARATOR: &str = "__";

pub(super) fn build(
    file: Option<&str>,
    environment: &[(String, String)],
    flags: &Flags,
) -> Result<Config, ConfigError> {
    let mut table = table_of(&Config::default())?;
    if let Some(text) = file {
        let said: Table = toml::from_str(text).map_err(|error| ConfigError::syntax(text, &error))?;
        lay_over(&mut table, said);
    }
    let mut variables: Vec<&(String, String)> = environment
        .iter()
        .filter(|(key, _)| key.starts_with(PREFIX) && key.contains(SEPARATOR))
        .collect();
    // Whole tables before their keys, and the same order in every process.
    variables.sort();
    for (key, text) in variables {
        set(&mut table, &key[PREFIX.len()..], text)?;
    }
    if let Some(url) = &flags.database_url {
        put(&mut table, "database", "url", url);
    }
    if let Some(bind) = &flags.bind {
        put(&mut table, "server", "bind", bind);
    }
    apply_profiles(&mut table)?;
    Figment::from(Serialized::globals(&table))
        .extract()
        .map_err(ConfigError::extraction)
}

fn table_of(value: &impl Serialize) -> Result<Table, ConfigError> {
    Table::try_from(value).map_err(|_| ConfigError::invalid("configuration", "cannot be built"))
}

/// Tables are merged key by key; anything else replaces what was there.
fn lay_over(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

fn put(table: &mut Table, section: &str, key: &str, text: &str) {
    let mut inner = Table::new();
    inner.insert(key.to_owned(), Value::String(text.to_owned()));
    let mut outer = Table::new();
    outer.insert(section.to_owned(), Value::Table(inner));
    lay_over(table, outer);
}

/// One variable: `SECTION__KEY`, deeper tables likewise.
fn set(table: &mut Table, name: &str, text: &str) -> Result<(), ConfigError> {
    let steps: Vec<&str> = name.split(SEPARATOR).collect();
    let template = template()?;
    let mut here = &mut *table;
    let mut like = Some(&template);
    for (position, step) in steps.iter().enumerate() {
        let key = known_key(here, step)
            .or_else(|| like.and_then(|like| known_key(like, step)))
            .unwrap_or_else(|| step.to_ascii_lowercase());
        let below = like.and_then(|like| like.get(&key).or_else(|| like.get("*")));
        if position + 1 == steps.len() {
            let value = read(text, below);
            match (here.get_mut(&key), value) {
                (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
                (_, value) => {
                    here.insert(key, value);
                }
            }
            return Ok(());
        }
        like = below.and_then(Value::as_table);
        here = match here.entry(key).or_insert_with(|| Value::Table(Table::new())) {
            Value::Table(inner) => inner,
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => {
                return Err(ConfigError::UnknownKey {
                    key: steps.join(".").to_ascii_lowercase(),
                    expected: Vec::new(),
                });
            }
        };
    }
    Ok(())
}

/// What each key is like, so that `00123` stays text where text is wanted. `*` stands for any name.
fn template() -> Result<Table, ConfigError> {
    let mut template = table_of(&Config::default())?;
    let mut any = Table::new();
    any.insert(
        "*".to_owned(),
        Value::Table(table_of(&ProviderConfig::default())?),
    );
    template.insert("providers".to_owned(), Value::Table(any));
    Ok(template)
}

/// Variables are written in capitals and know neither dots nor hyphens.
fn known_key(table: &Table, step: &str) -> Option<String> {
    let folded = |text: &str| text.to_ascii_lowercase().replace(['-', '.'], "_");
    let wanted = folded(step);
    table.keys().find(|key| folded(key) == wanted).cloned()
}

/// A variable's text as a TOML value of the type that the key has, where it can be one.
fn read(text: &str, like: Option<&Value>) -> Value {
    let parsed = parse(text);
    match (like, parsed) {
        (Some(Value::String(_)), Some(Value::String(quoted))) => Value::String(quoted),
        (Some(Value::String(_)), _) => Value::String(text.to_owned()),
        (Some(Value::Array(_)), Some(Value::Array(list))) => Value::Array(list),
        (Some(Value::Array(_)), _) => Value::Array(
            text.split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(|item| parse(item).unwrap_or_else(|| Value::String(item.to_owned())))
                .collect(),
        ),
        (_, Some(value)) => value,
        (_, None) => Value::String(text.to_owned()),
    }
}

fn parse(text: &str) -> Option<Value> {
    toml::from_str::<Table>(&format!("value = {text}\n"))
        .ok()
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"))
}

fn apply_profiles(table: &mut Table) -> Result<(), ConfigError> {
    let Some(Value::Table(providers)) = table.get_mut("providers") else {
        return Ok(());
    };
    for (name, provider) in providers.iter_mut() {
        let Value::Table(said) = provider else { continue };
        let Some(Value::String(profile)) = said.get("profile") else {
            continue;
        };
        if profile.is_empty() {
            continue;
        }
        let Some((_, text)) = PROFILES.iter().find(|(known, _)| known == profile) else {
            let known: Vec<&str> = PROFILES.iter().map(|(known, _)| *known).collect();
            return Err(ConfigError::invalid(
                format!("providers.{name}.profile"),
                format!("names no built-in profile (there are: {})", known.join(", ")),
            ));
        };
        let mut whole: Table = toml::from_str(text).map_err(|error| ConfigError::syntax(text, &error))?;
        lay_over(&mut whole, std::mem::take(said));
        *said = whole;
    }
    Ok(())
}
