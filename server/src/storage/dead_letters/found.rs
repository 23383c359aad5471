//! One dead letter that was asked for, with what surrounds it; and what can be read of an impossible one.

use super::list::{readable, real_name, tables};
use super::narrow::Lead;
use super::raw;
use super::view::{MESSAGE_COLUMNS, OPERATION_COLUMNS, Redactor};
use crate::config::Messages;
use crate::database::{DbError, Row, Tx};
use crate::storage::replays::{self, Counted};
use crate::storage::warnings;
use crate::values;
use app::desk::view::Inconsistency;
use app::desk::{DeadLetterView, LetterFound, UnreadableLetter};
use app::domain::ids::DeadLetterId;
use app::domain::redact::{lenient_json, redact_json, redact_text};
use chrono::SecondsFormat;
use std::collections::BTreeMap;

/// One dead letter.
pub async fn get(
    tx: &mut Tx,
    config: &Messages,
    redactor: &Redactor,
    id: DeadLetterId,
) -> Result<Option<LetterFound>, DbError> {
    let sql = format!(
        "SELECT {}, {MESSAGE_COLUMNS}, {OPERATION_COLUMNS} FROM {} WHERE d.id = $1",
        raw::columns(tx),
        tables(Lead::Dead)
    );
    let Some(row) = tx.fetch_optional(&sql, values![id]).await? else {
        return Ok(None);
    };
    match readable(tx, config, redactor, &row).await {
        Ok(view) => {
            let mut letters = [view];
            complete(tx, config, &mut letters).await?;
            let [view] = letters;
            Ok(Some(LetterFound::Readable(Box::new(view))))
        }
        Err(DbError::Inconsistent {
            table,
            column,
            id: other,
        }) => {
            tracing::warn!(table, column, id = other, "an impossible row");
            let what = Inconsistency {
                table: table.to_owned(),
                column: real_name(column).to_owned(),
                id: id.to_string(),
            };
            Ok(Some(LetterFound::Unreadable(UnreadableLetter::new(
                what,
                what_is_readable(&row),
            ))))
        }
        Err(other) => Err(other),
    }
}

/// Adds lineage and warnings.
pub async fn complete(tx: &mut Tx, config: &Messages, letters: &mut [DeadLetterView]) -> Result<(), DbError> {
    let counted: Vec<Counted> = letters
        .iter()
        .map(|letter| Counted {
            id: letter.id,
            resurrections: letter.resurrection_count,
            own_replays: letter.replays,
        })
        .collect();
    let mut lineages = replays::lineages(tx, &counted).await?;
    for letter in letters.iter_mut() {
        letter.lineage = lineages.remove(&letter.id);
    }
    warnings::of_letters(tx, config, letters).await
}

/// Columns of the dead table by name and alias.
const COLUMNS: [(&str, &str); 13] = [
    ("id", "d_id"),
    ("job_name", "d_job_name"),
    ("args", "d_args"),
    ("queue", "d_queue"),
    ("priority", "d_priority"),
    ("max_attempts", "d_max_attempts"),
    ("attempts", "d_attempts"),
    ("last_error", "d_error"),
    ("dead_letter_reason", "d_reason"),
    ("original_created_at", "d_created"),
    ("moved_to_dead_letter_at", "d_at"),
    ("resurrection_count", "d_resurrections"),
    ("tags", "d_tags"),
];

/// Every column that holds something readable, as text; texts and JSON redacted.
fn what_is_readable(row: &Row) -> BTreeMap<String, String> {
    COLUMNS
        .into_iter()
        .filter_map(|(name, alias)| Some((name.to_owned(), shown(name, &text(row, alias)?))))
        .collect()
}

fn shown(name: &str, text: &str) -> String {
    match name {
        "args" | "tags" => redact_json(&lenient_json(text.as_bytes())).0.to_string(),
        // The rest are names, numbers and times; a secret may have slipped into any of them.
        _ => redact_text(text),
    }
}

/// A value of any type as text; `None` for NULL and for what has no text.
fn text(row: &Row, alias: &str) -> Option<String> {
    match row {
        Row::Sqlite(_) => row.opt_text(alias).ok().flatten(),
        Row::Postgres(_) => {
            if let Ok(number) = row.opt_int(alias) {
                return number.map(|number| number.to_string());
            }
            if let Ok(at) = row.opt_time(alias) {
                return at.map(|at| at.to_rfc3339_opts(SecondsFormat::Micros, true));
            }
            row.opt_text(alias).ok().flatten()
        }
    }
}
