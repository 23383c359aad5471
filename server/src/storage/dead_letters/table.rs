//! The dead table as a whole: it grows without bound by contract, so people see how large it is and how fast it grows.

use crate::database::{DbError, Dialect, Tx};
use crate::values;
use app::desk::DeadTable;
use chrono::{DateTime, Duration, Utc};

/// Rows whose texts are measured where the database does not say how large a table is.
const SAMPLE: u32 = 500;
/// What a row takes beside its texts, in bytes: ids, times, names, and its places in the indexes.
const BESIDE_TEXTS: i64 = 700;

/// Reads size and growth; `rows` is known already.
pub async fn measure(tx: &mut Tx, rows: i64) -> Result<DeadTable, DbError> {
    let now = tx.now();
    let (day, week) = (now - Duration::days(1), now - Duration::days(7));
    // What died lately and is purged already stands in our own table alone.
    let row = tx
        .fetch_one(
            "SELECT \
             (SELECT COUNT(*) FROM soniq_dead_letter_jobs WHERE moved_to_dead_letter_at >= $1) + \
             (SELECT COUNT(*) FROM dlo_messages WHERE purged_at >= $1 AND died_at >= $1) AS died_day, \
             (SELECT COUNT(*) FROM soniq_dead_letter_jobs WHERE moved_to_dead_letter_at >= $2) + \
             (SELECT COUNT(*) FROM dlo_messages WHERE purged_at >= $2 AND died_at >= $2) AS died_week, \
             (SELECT COUNT(*) FROM dlo_messages WHERE purged_at >= $2) AS purged_week",
            values![day, week],
        )
        .await?;
    let (died_last_week, purged_last_week) = (row.int("died_week")?, row.int("purged_week")?);
    let oldest_at = oldest(tx).await?;
    let (bytes, bytes_estimated) = bytes(tx, rows).await?;
    // A table younger than a week has not grown for a week.
    let days = match oldest_at {
        Some(oldest) if purged_last_week == 0 => days_between(oldest, now).clamp(1.0, 7.0),
        Some(_) | None => 7.0,
    };
    let net = i32::try_from(died_last_week - purged_last_week).unwrap_or(i32::MAX);
    Ok(DeadTable {
        rows,
        bytes,
        bytes_estimated,
        oldest_at,
        died_last_day: row.int("died_day")?,
        died_last_week,
        purged_last_week,
        growth_per_day: (f64::from(net) / days * 10.0).round() / 10.0,
    })
}

fn days_between(from: DateTime<Utc>, to: DateTime<Utc>) -> f64 {
    f64::from(i32::try_from((to - from).num_minutes()).unwrap_or(i32::MAX)) / (24.0 * 60.0)
}

/// When the oldest row died; rows without a readable time are passed over.
async fn oldest(tx: &mut Tx) -> Result<Option<DateTime<Utc>>, DbError> {
    let sql = tx.pick(
        "SELECT moved_to_dead_letter_at AS at FROM soniq_dead_letter_jobs \
         WHERE moved_to_dead_letter_at > '-infinity' AND moved_to_dead_letter_at < 'infinity' \
         ORDER BY moved_to_dead_letter_at LIMIT 1",
        "SELECT moved_to_dead_letter_at AS at FROM soniq_dead_letter_jobs \
         WHERE moved_to_dead_letter_at LIKE '____-__-__T__:__:%' ORDER BY moved_to_dead_letter_at LIMIT 1",
    );
    let row = tx.fetch_optional(sql, vec![]).await?;
    Ok(row.and_then(|row| row.opt_time("at").ok().flatten()))
}

/// How large the table is with its indexes, and whether that is reckoned from a sample.
async fn bytes(tx: &mut Tx, rows: i64) -> Result<(i64, bool), DbError> {
    match tx.dialect() {
        Dialect::Postgres => {
            let row = tx
                .fetch_one(
                    "SELECT pg_total_relation_size('soniq_dead_letter_jobs') AS bytes",
                    vec![],
                )
                .await?;
            Ok((row.int("bytes")?, false))
        }
        Dialect::Sqlite => {
            let sql = format!(
                "SELECT COUNT(*) AS sampled, COALESCE(SUM(LENGTH(CAST(args AS BLOB)) \
                 + COALESCE(LENGTH(CAST(last_error AS BLOB)), 0) + COALESCE(LENGTH(CAST(tags AS BLOB)), 0)), 0) AS texts \
                 FROM (SELECT args, last_error, tags FROM soniq_dead_letter_jobs \
                 ORDER BY moved_to_dead_letter_at DESC LIMIT {SAMPLE})"
            );
            let row = tx.fetch_one(&sql, vec![]).await?;
            let sampled = row.int("sampled")?.max(1);
            let texts = row.int("texts")?.saturating_mul(rows) / sampled;
            Ok((texts + rows * BESIDE_TEXTS, true))
        }
    }
}
