//! The head of every page: three counts over small partial indexes.

use super::text::Reader;
use crate::database::{DbError, Dialect, Tx};
use app::desk::Overview;
use rust_decimal::Decimal;

/// Counts what runs, what money is unresolved, and what may have been billed unseen.
pub async fn read(tx: &mut Tx) -> Result<Overview, DbError> {
    let counts = tx
        .fetch_one(
            "SELECT (SELECT COUNT(*) FROM dlo_recoveries WHERE finished_at IS NULL) AS running, \
             (SELECT COUNT(*) FROM dlo_operations WHERE refund_unresolved) AS unresolved, \
             (SELECT COUNT(*) FROM dlo_operations \
             WHERE dispatch = 'outcome_unknown' AND job_id IS NULL AND closure IS NULL) AS unknown",
            vec![],
        )
        .await?;
    Ok(Overview {
        recoveries_running: counts.int("running")?,
        money_unresolved: counts.int("unresolved")?,
        credits_unresolved: credits_unresolved(tx).await?,
        attempts_possibly_billed: counts.int("unknown")?,
        filling: None,
    })
}

/// Exact: SQLite would add in floating point, so there the few amounts are added here.
async fn credits_unresolved(tx: &mut Tx) -> Result<Decimal, DbError> {
    let sql = match tx.dialect() {
        Dialect::Postgres => {
            "SELECT COALESCE(SUM(charged_credits::numeric), 0)::text AS amount FROM dlo_operations \
             WHERE refund_unresolved AND charged_credits IS NOT NULL"
        }
        Dialect::Sqlite => {
            "SELECT charged_credits AS amount FROM dlo_operations \
             WHERE refund_unresolved AND charged_credits IS NOT NULL"
        }
    };
    let mut sum = Decimal::ZERO;
    for row in &tx.fetch_all(sql, vec![]).await? {
        let reader = Reader {
            row,
            table: "dlo_operations",
            id: String::new(),
        };
        sum = sum.saturating_add(reader.amount("amount")?);
    }
    Ok(sum.normalize())
}
