//! `dlo audit`: everything that was done, and whether the chain is whole.

use super::Format;
use super::context::{CliError, Context, Outcome};
use crate::storage::audit::{self, Verified};
use app::domain::audit::AuditEntry;
use chrono::SecondsFormat;
use std::io::{ErrorKind, Write};

const COLUMNS: &str = "seq,at,actor,role,action,effect,operation_id,dead_letter_id,recovery_id,revision_before,\
     revision_after,reason,guards,hash";

/// A cell as RFC 4180 wants it. One that a spreadsheet would take for a formula begins with an apostrophe.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

fn csv(entry: &AuditEntry) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<i64>| value.map(|number| number.to_string()).unwrap_or_default();
    let guards: Vec<String> = entry
        .guards
        .iter()
        .map(|guard| format!("{}={}: {}", guard.guard, guard.verdict, guard.detail))
        .collect();
    let cells = [
        entry.seq.to_string(),
        entry.at.to_rfc3339_opts(SecondsFormat::Micros, true),
        entry.actor.clone(),
        entry.role.clone(),
        entry.action.clone(),
        text(&entry.effect),
        text(&entry.operation_id),
        text(&entry.dead_letter_id),
        text(&entry.recovery_id),
        number(entry.revision_before),
        number(entry.revision_after),
        text(&entry.reason),
        guards.join("; "),
        entry.hash.clone(),
    ];
    cells.iter().map(|text| cell(text)).collect::<Vec<_>>().join(",")
}

/// `false` when whoever reads has gone away, as `head` does.
fn say(out: &mut impl Write, line: &str) -> Result<bool, CliError> {
    match writeln!(out, "{line}") {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(CliError::failed(format!(
            "standard output cannot be written: {}",
            error.kind()
        ))),
    }
}

pub async fn export(context: Context, format: Format) -> Outcome {
    let database = context.current().await?;
    let mut tx = database.read().await?;
    let mut out = std::io::BufWriter::new(std::io::stdout());
    if format == Format::Csv && !say(&mut out, COLUMNS)? {
        return Ok(());
    }
    let mut last = 0;
    loop {
        let entries = audit::batch_after(&mut tx, last).await?;
        let Some(end) = entries.last() else { break };
        last = end.seq;
        for entry in &entries {
            let line = match format {
                Format::Jsonl => serde_json::to_string(entry)
                    .map_err(|_| CliError::failed(format!("entry {} cannot be written", entry.seq)))?,
                Format::Csv => csv(entry),
            };
            if !say(&mut out, &line)? {
                return Ok(());
            }
        }
    }
    match out.flush() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::failed(format!(
            "standard output cannot be written: {}",
            error.kind()
        ))),
        Ok(()) | Err(_) => Ok(()),
    }
}

pub async fn verify(context: Context) -> Outcome {
    let database = context.current().await?;
    match audit::verify(&database).await? {
        Verified::Whole { entries } => {
            println!("the chain is whole: {entries} entries");
            Ok(())
        }
        Verified::BrokenAt { seq } => Err(CliError::failed(format!(
            "the chain is broken: entry {seq} is missing, changed or unreadable"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_one_cell_and_no_formula() {
        assert_eq!(cell("plain"), "plain");
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("say \"x\"\n"), "\"say \"\"x\"\"\n\"");
        assert_eq!(cell("=1+1"), "'=1+1");
    }
}
