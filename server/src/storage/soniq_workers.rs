//! `soniq_workers`: other people's workers. We read them and never stand there ourselves.

use super::jobs::OWN_QUEUE;
use crate::database::{DbError, Dialect, Tx};
use crate::values;
use app::domain::redact::{lenient_json, visible};
use chrono::Duration;
use serde_json::Value;

/// A worker whose heartbeat is older is not alive: twice the longest interval that Soniq takes.
pub(super) const ALIVE: Duration = Duration::seconds(120);

/// A living Soniq worker that takes every queue, or ours by name: it would dead-letter our jobs as unknown. Its
/// `hostname:pid`.
pub async fn greedy_worker(tx: &mut Tx) -> Result<Option<String>, DbError> {
    let since = tx.now() - ALIVE;
    let sql = tx.pick(
        "SELECT hostname, pid, NULL::text AS queues FROM soniq_workers WHERE status = 'active' AND last_heartbeat > $1 \
         AND (queues IS NULL OR cardinality(queues) = 0 OR $2 = ANY(queues)) ORDER BY started_at LIMIT 1",
        "SELECT hostname, pid, queues FROM soniq_workers WHERE status = 'active' AND last_heartbeat > $1 \
         AND $2 <> '' ORDER BY started_at",
    );
    for row in tx.fetch_all(sql, values![since, OWN_QUEUE]).await? {
        let queues = row.opt_bytes("queues").unwrap_or(None);
        let greedy = tx.dialect() == Dialect::Postgres || queues.is_none_or(|queues| takes_ours(&queues));
        if greedy {
            return Ok(Some(format!(
                "{}:{}",
                visible(&row.text("hostname")?),
                row.int("pid")?
            )));
        }
    }
    Ok(None)
}

/// Whether a worker with this list would claim from our queue. What is no list of names is taken for every queue.
fn takes_ours(queues: &[u8]) -> bool {
    match lenient_json(queues) {
        Value::Array(names) => {
            names.is_empty() || names.iter().any(|name| !name.is_string() || name == OWN_QUEUE)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_list_without_our_queue_is_harmless() {
        for (queues, greedy) in [
            ("[]", true),
            ("[\"render\"]", false),
            ("[\"render\", \"dead-letter-office\"]", true),
            ("nonsense", true),
            ("null", true),
            ("[7]", true),
        ] {
            assert_eq!(takes_ours(queues.as_bytes()), greedy, "{queues}");
        }
    }
}
