//! What helps to find: dead letters per hour and label, and per error category. Each is one grouped statement over what
//! is projected and not purged.

use super::narrow::{Lead, Narrow};
use crate::database::{DbError, Tx, Value};
use app::desk::{CategoryCount, DeadLetterFilter, HourCount};
use chrono::NaiveDateTime;

/// The statement of [`hours`].
pub fn hours_statement(tx: &Tx, filter: &DeadLetterFilter) -> (String, Vec<Value>) {
    let (clause, values) = Narrow::new(tx, filter, Lead::Messages).clause();
    // SQLite keeps the moment as text in UTC: its hour is the text's beginning.
    let hour = tx.pick(
        "to_char(m.died_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24')",
        "replace(substr(m.died_at, 1, 13), 'T', ' ')",
    );
    let sql = format!(
        "SELECT {hour} AS hour, m.label AS label, COUNT(*) AS found FROM dlo_messages m{clause} GROUP BY 1, 2"
    );
    (sql, values)
}

/// How many died in each hour under each label. The filter bounds the time on both sides.
pub async fn hours(tx: &mut Tx, filter: &DeadLetterFilter) -> Result<Vec<HourCount>, DbError> {
    let (sql, values) = hours_statement(tx, filter);
    let mut counts = Vec::new();
    for row in tx.fetch_all(&sql, values).await? {
        let hour = format!("{}:00", row.text("hour")?);
        let hour = NaiveDateTime::parse_from_str(&hour, "%Y-%m-%d %H:%M");
        // A text that is no time is in no hour; a label that is none is a newer program's.
        let (Ok(hour), Ok(label)) = (hour, row.text("label")?.parse()) else {
            continue;
        };
        counts.push(HourCount {
            hour: hour.and_utc(),
            label,
            count: row.int("found")?,
        });
    }
    Ok(counts)
}

/// The statement of [`categories`].
pub fn categories_statement(tx: &Tx, filter: &DeadLetterFilter) -> (String, Vec<Value>) {
    let (clause, values) = Narrow::new(tx, filter, Lead::Messages).clause();
    let sql = format!(
        "SELECT m.error_category AS category, COUNT(*) AS found, MIN(m.died_at) AS first_at, MAX(m.died_at) AS last_at \
         FROM dlo_messages m{clause} GROUP BY m.error_category ORDER BY 2 DESC, 1"
    );
    (sql, values)
}

/// How many died of which error category, most first. A moment that cannot be read is left out.
pub async fn categories(tx: &mut Tx, filter: &DeadLetterFilter) -> Result<Vec<CategoryCount>, DbError> {
    let (sql, values) = categories_statement(tx, filter);
    let mut groups = Vec::new();
    for row in tx.fetch_all(&sql, values).await? {
        let category = row.opt_text("category")?;
        groups.push(CategoryCount {
            category: category.and_then(|slug| slug.parse().ok()),
            count: row.int("found")?,
            first_at: row.opt_time("first_at").ok().flatten(),
            last_at: row.opt_time("last_at").ok().flatten(),
        });
    }
    Ok(groups)
}
