//! `dlo tokens`: bearer tokens of programs.

use super::context::{CliError, Context, Outcome};
use crate::storage::tokens::{self, NewToken, PREFIX};
use app::domain::person::is_name;
use app::domain::role::Role;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use uuid::Uuid;

/// A time in a table.
pub fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A fresh secret: 32 random bytes.
fn secret() -> String {
    format!("{PREFIX}{}", hex::encode(rand::random::<[u8; 32]>()))
}

pub async fn create(context: Context, name: &str, role: Role, expires_in_days: Option<u32>) -> Outcome {
    if !is_name(name) {
        return Err(CliError::usage(
            "a name has 1 to 64 characters, no blanks at its ends and no control characters",
        ));
    }
    let database = context.migrated().await?;
    let secret = secret();
    let new = NewToken {
        id: Uuid::now_v7(),
        name,
        role,
        secret: &secret,
        expires_at: expires_in_days.map(|days| Utc::now() + TimeDelta::days(days.into())),
    };
    if !tokens::create_named(&database, &context.caller, &new).await? {
        return Err(CliError::failed(format!(
            "a valid token is named {name:?} already; revoke it first, or choose another name: the audit tells tokens \
             apart by their names"
        )));
    }
    // Alone, so that a script can take it.
    println!("{secret}");
    Ok(())
}

pub async fn list(context: Context) -> Outcome {
    let database = context.current().await?;
    for token in tokens::list(&database).await? {
        let used = token
            .last_used_at
            .map_or_else(|| "never used".to_owned(), |at| format!("used {}", moment(at)));
        let state = if token.revoked_at.is_some() {
            "revoked"
        } else if token.is_expired(Utc::now()) {
            "expired"
        } else {
            "valid"
        };
        let until = token.expires_at.map_or_else(
            || "never expires".to_owned(),
            |at| format!("until {}", moment(at)),
        );
        println!(
            "{} {:<24} {:<9} {state:<8} created {} {until} {used}",
            token.id,
            token.name,
            token.role.as_str(),
            moment(token.created_at)
        );
    }
    Ok(())
}

pub async fn revoke(context: Context, id: Uuid) -> Outcome {
    let database = context.current().await?;
    if tokens::revoke(&database, &context.caller, id).await? {
        println!("revoked {id}");
        Ok(())
    } else {
        Err(CliError::failed(format!("there is no valid token {id}")))
    }
}
