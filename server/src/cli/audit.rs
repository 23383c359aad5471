//! `dlo audit`: everything that was done, and whether the chain is whole.

use super::Format;
use super::context::{CliError, Context, Outcome};
use crate::database::{Database, Trouble};
use crate::storage::audit::{self, Entry, Verified};
use app::domain::audit::AuditEntry;
use chrono::SecondsFormat;
use std::io::{ErrorKind, Write};

/// The most entries that one export prints.
pub const MOST: u64 = 1_000_000;

const COLUMNS: &str = "seq,at,actor,role,action,effect,operation_id,dead_letter_id,recovery_id,revision_before,\
     revision_after,reason,guards,hash";

/// A cell as RFC 4180 wants it. One that a spreadsheet would take for a formula begins with an apostrophe.
fn cell(text: &str) -> String {
    // Full-width forms and what spreadsheets skip before them count as well.
    let bare = text.trim_start_matches([' ', '\n', '\u{feff}', '\u{a0}', '\'', '"']);
    let formula = bare.starts_with(['=', '+', '-', '@', '\t', '\r', '|', '%', '＝', '＋', '－', '＠']);
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

/// Who took the audit with them, and in which form, is in the audit too; it is its own last entry.
async fn note(context: &Context, database: &Database, format: Format, after: i64) -> Result<(), CliError> {
    let words = match format {
        Format::Jsonl => "JSON Lines",
        Format::Csv => "CSV",
    };
    let written = async {
        let mut tx = database.write().await?;
        let entry =
            Entry::new(&context.caller, "audit_exported").reason(format!("as {words}, after entry {after}"));
        audit::append(&mut tx, entry).await?;
        tx.commit().await
    }
    .await;
    match written {
        Ok(()) => Ok(()),
        // A disk that is full or locked is when somebody needs the audit most.
        Err(error) if matches!(error.trouble(), Trouble::ReadOnly | Trouble::Full) => {
            eprintln!("dlo: this export could not be written into the audit: the database takes no changes");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

pub async fn export(context: Context, format: Format, after: i64, limit: u64) -> Outcome {
    let database = context.current().await?;
    note(&context, &database, format, after).await?;
    let mut tx = database.read().await?;
    let mut out = std::io::BufWriter::new(std::io::stdout());
    if format == Format::Csv && !say(&mut out, COLUMNS)? {
        return Ok(());
    }
    let mut last = after;
    let mut left = limit;
    'all: loop {
        let entries = audit::batch_after(&mut tx, last).await?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            if left == 0 {
                eprintln!("dlo: {limit} entries are printed and there are more: go on with --after {last}");
                break 'all;
            }
            left -= 1;
            last = entry.seq;
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
        for formula in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            " =1",
            "\n=1",
            "|cmd",
            "%0A=1",
            "＝1",
            "\u{feff}=1",
        ] {
            let cell = cell(formula);
            let bare = cell.strip_prefix('"').unwrap_or(&cell);
            assert!(bare.starts_with('\''), "{formula:?}: {cell:?}");
        }
    }
}
