//! `dlo operators`: people who sign in.

use super::context::{CliError, Context, Outcome};
use super::tokens::moment;
use crate::office::password;
use crate::storage::operators::{self, Added};
use app::desk::{Code, DeskError};
use app::domain::person::{is_name, is_plain_name, written};
use app::domain::role::Role;
use std::io::{BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

fn echo(on: bool) -> bool {
    let word = if on { "echo" } else { "-echo" };
    Command::new("stty")
        .arg(word)
        .stdin(Stdio::inherit())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// One line of standard input; asked for, without echo, where a person types.
fn read_password() -> Result<String, CliError> {
    let mut input = std::io::stdin().lock();
    let typed = input.is_terminal();
    let hidden = typed && {
        eprint!("Password: ");
        std::io::stderr().flush().ok();
        echo(false)
    };
    let mut line = String::new();
    let read = input.read_line(&mut line);
    if hidden {
        echo(true);
        eprintln!();
    }
    read.map_err(|error| CliError::failed(format!("standard input cannot be read: {}", error.kind())))?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

pub async fn add(context: Context, name: &str, role: Role) -> Outcome {
    if !is_name(name) {
        return Err(CliError::usage(
            "a name has 1 to 64 characters, no blanks at its ends and no control characters",
        ));
    }
    let database = context.migrated().await?;
    // Whoever is there already keeps their name, whatever it is.
    if !is_plain_name(name) && operators::find(&database, name).await?.is_none() {
        return Err(CliError::usage(format!(
            "{} is no name for a person: it has characters that nobody sees, or is a word of ours",
            written(name)
        )));
    }
    let password = tokio::task::spawn_blocking(read_password)
        .await
        .map_err(|_| CliError::failed("standard input cannot be read"))??;
    password::acceptable(name, &password).map_err(|error| CliError::usage(error.to_string()))?;
    let hash = password::hash(password)
        .await
        .map_err(|error| CliError::usage(error.to_string()))?;
    match operators::add(&database, &context.caller, name, role, &hash).await? {
        Added::Elsewhere => {
            return Err(CliError::failed(format!(
                "{name:?} comes in by single sign-on, and gets no password here: choose another name, or \
                 `dlo operators enable`"
            )));
        }
        Added::LooksLike(other) => {
            return Err(CliError::from(DeskError::new(
                Code::NameLooksAlike,
                format!(
                    "{} looks like {}, who is here already: choose a name that nobody takes for another",
                    written(name),
                    written(&other)
                ),
            )));
        }
        Added::New => println!("added {} as {role}", written(name)),
        Added::Changed { before } => {
            println!(
                "{} was {before} and is now {role}, with a new password",
                written(name)
            );
        }
    }
    Ok(())
}

pub async fn list(context: Context) -> Outcome {
    let database = context.current().await?;
    for operator in operators::list(&database).await? {
        let state = if operator.disabled_at.is_some() {
            "disabled"
        } else {
            "enabled"
        };
        println!(
            "{:<24} {:<9} {state:<9} since {}",
            written(&operator.name),
            operator.role.as_str(),
            moment(operator.created_at)
        );
    }
    Ok(())
}

pub async fn change_role(context: Context, name: &str, role: Role) -> Outcome {
    let database = context.current().await?;
    match operators::change_role(&database, &context.caller, name, role).await? {
        Some(before) => {
            println!("{name} was {before} and is now {role}");
            Ok(())
        }
        None => Err(CliError::failed(format!("there is no person named {name:?}"))),
    }
}

pub async fn sign_out(context: Context, name: &str) -> Outcome {
    let database = context.current().await?;
    if operators::sign_out_everywhere(&database, &context.caller, name).await? {
        println!("signed {name} out everywhere");
        Ok(())
    } else {
        Err(CliError::failed(format!("there is no person named {name:?}")))
    }
}

pub async fn disable(context: Context, name: &str) -> Outcome {
    let database = context.current().await?;
    if operators::disable(&database, &context.caller, name).await? {
        println!("disabled {name}");
        Ok(())
    } else {
        Err(CliError::failed(format!(
            "there is no enabled person named {name:?}"
        )))
    }
}

pub async fn enable(context: Context, name: &str) -> Outcome {
    let database = context.current().await?;
    if operators::enable(&database, &context.caller, name).await? {
        println!("enabled {name}");
        Ok(())
    } else {
        Err(CliError::failed(format!(
            "there is no disabled person named {name:?}"
        )))
    }
}
