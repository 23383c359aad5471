//! Circuits (`dlo_circuits`): providers whose reads go unanswered, by account. A row stands only while they do.
//!
//! Times are the database's, so that every process says the same.

use crate::database::{Database, DbError, Row, Tx};
use crate::values;
use app::desk::view::Circuit;
use app::domain::remote::Fetch;
use std::time::Duration;

/// Unanswered reads in a row after which repeated ones wait.
const OPENS_AFTER: i64 = 5;
/// The first pause; each further unanswered read doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// The longest.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// All of those that are open.
const OPEN: &str = "SELECT provider, account, unanswered, last_fetch, open_until, since FROM dlo_circuits WHERE open_until IS NOT NULL";

/// Whether a repeated read may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Go,
    Wait(Duration),
}

/// Lets a read through while the circuit is closed. When its pause is over one read goes first, and the others wait for
/// what becomes of it, `timeout` at most.
pub async fn admit(
    database: &Database,
    provider: &str,
    account: &str,
    timeout: Duration,
) -> Result<Admission, DbError> {
    let known =
        "SELECT 1 AS found FROM dlo_circuits WHERE provider = $1 AND account = $2 AND open_until IS NOT NULL";
    if database
        .look_up(known, values![provider, account])
        .await?
        .is_none()
    {
        return Ok(Admission::Go);
    }
    let mut tx = database.write().await?;
    let sql = format!(
        "SELECT open_until FROM dlo_circuits WHERE provider = $1 AND account = $2{}",
        tx.for_update()
    );
    let until = match tx.fetch_optional(&sql, values![provider, account]).await? {
        Some(row) => row.opt_time("open_until")?,
        None => None,
    };
    let now = tx.now();
    let Some(until) = until else {
        return Ok(Admission::Go);
    };
    if until > now {
        return Ok(Admission::Wait((until - now).to_std().unwrap_or_default()));
    }
    tx.execute(
        "UPDATE dlo_circuits SET open_until = $3 WHERE provider = $1 AND account = $2",
        values![provider, account, now + span(timeout)],
    )
    .await?;
    tx.commit_at("circuit_probe").await?;
    Ok(Admission::Go)
}

/// A read was answered: the circuit is closed.
pub async fn answered(database: &Database, provider: &str, account: &str) -> Result<(), DbError> {
    let known = "SELECT 1 AS found FROM dlo_circuits WHERE provider = $1 AND account = $2";
    if database
        .look_up(known, values![provider, account])
        .await?
        .is_none()
    {
        return Ok(());
    }
    let mut tx = database.write().await?;
    tx.execute(
        "DELETE FROM dlo_circuits WHERE provider = $1 AND account = $2",
        values![provider, account],
    )
    .await?;
    tx.commit_at("circuit_closed").await
}

/// A read was not answered, or the provider asked for a pause: after a few of them the circuit opens.
pub async fn unanswered(
    database: &Database,
    provider: &str,
    account: &str,
    fetch: Fetch,
    asked: Option<Duration>,
) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_circuits (provider, account, unanswered, last_fetch, open_until, since) VALUES ($1, $2, 1, $3, NULL, $4) \
         ON CONFLICT (provider, account) DO UPDATE SET unanswered = dlo_circuits.unanswered + 1, last_fetch = excluded.last_fetch",
        values![provider, account, fetch.as_str(), now],
    )
    .await?;
    let sql = "SELECT unanswered FROM dlo_circuits WHERE provider = $1 AND account = $2";
    let count = tx
        .fetch_one(sql, values![provider, account])
        .await?
        .int("unanswered")?;
    if let Some(pause) = pause_after(count, asked) {
        tx.execute(
            "UPDATE dlo_circuits SET open_until = $3 WHERE provider = $1 AND account = $2",
            values![provider, account, now + span(pause)],
        )
        .await?;
    }
    tx.commit_at("circuit_unanswered").await
}

/// Which providers do not answer at present.
pub async fn list(tx: &mut Tx) -> Result<Vec<Circuit>, DbError> {
    let sql = format!("{OPEN} ORDER BY provider, account");
    tx.fetch_all(&sql, vec![]).await?.iter().map(read).collect()
}

/// The circuit of one provider and account, when it does not answer at present.
pub async fn of(tx: &mut Tx, provider: &str, account: &str) -> Result<Option<Circuit>, DbError> {
    let sql = format!("{OPEN} AND provider = $1 AND account = $2");
    let row = tx.fetch_optional(&sql, values![provider, account]).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &Row) -> Result<Circuit, DbError> {
    let provider = row.text("provider")?;
    Ok(Circuit {
        account: row.text("account")?,
        unanswered: row.int("unanswered")?,
        fetch: row
            .text("last_fetch")?
            .parse()
            .map_err(|_| DbError::Inconsistent {
                table: "dlo_circuits",
                column: "last_fetch",
                id: provider.clone(),
            })?,
        waits_until: row.time("open_until")?,
        since: row.time("since")?,
        provider,
    })
}

/// How long repeated reads wait after so many unanswered ones.
fn pause_after(unanswered: i64, asked: Option<Duration>) -> Option<Duration> {
    let own = (unanswered >= OPENS_AFTER).then(|| {
        let doubled = u32::try_from(unanswered - OPENS_AFTER)
            .unwrap_or(u32::MAX)
            .min(10);
        FIRST_PAUSE.saturating_mul(1 << doubled).min(LONGEST_PAUSE)
    });
    own.max(asked)
}

fn span(pause: Duration) -> chrono::Duration {
    chrono::Duration::from_std(pause).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_have_an_end() {
        assert_eq!(pause_after(4, None), None);
        assert_eq!(pause_after(5, None), Some(Duration::from_secs(5)));
        assert_eq!(pause_after(7, None), Some(Duration::from_secs(20)));
        assert_eq!(pause_after(1_000_000, None), Some(LONGEST_PAUSE));
        // Who asks for a pause gets it at once.
        assert_eq!(
            pause_after(1, Some(Duration::from_secs(7))),
            Some(Duration::from_secs(7))
        );
    }
}
