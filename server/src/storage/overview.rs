//! The head of every page: three counts over small partial indexes, in one statement.

use super::text::Reader;
use crate::database::{Database, DbError};
use app::desk::Overview;
use rust_decimal::Decimal;

/// Operations by the amount that is at stake, because amounts repeat; SQLite would add them in floating point.
const COUNTS: &str = "SELECT 'running' AS what, CAST(NULL AS TEXT) AS amount, COUNT(*) AS found \
     FROM dlo_recoveries WHERE finished_at IS NULL \
     UNION ALL SELECT 'unknown', NULL, COUNT(*) FROM dlo_operations \
     WHERE dispatch = 'outcome_unknown' AND job_id IS NULL AND closure IS NULL \
     UNION ALL SELECT 'unresolved', charged_credits, COUNT(*) FROM dlo_operations \
     WHERE refund_unresolved GROUP BY charged_credits";

/// Counts what runs, what money is unresolved, and what may have been billed unseen.
pub async fn read(database: &Database) -> Result<Overview, DbError> {
    let mut overview = Overview::default();
    for row in &database.look_up_all(COUNTS, vec![]).await? {
        let found = row.int("found")?;
        match row.text("what")?.as_str() {
            "running" => overview.recoveries_running = found,
            "unknown" => overview.attempts_possibly_billed = found,
            _ => {
                overview.money_unresolved += found;
                if row.opt_text("amount")?.is_some() {
                    let reader = Reader {
                        row,
                        table: "dlo_operations",
                        id: String::new(),
                    };
                    let credits = reader.amount("amount")?.saturating_mul(Decimal::from(found));
                    overview.credits_unresolved = overview.credits_unresolved.saturating_add(credits);
                }
            }
        }
    }
    overview.credits_unresolved = overview.credits_unresolved.normalize();
    Ok(overview)
}
