//! Which of Soniq's workers live, which queues they take, and what they have registered. Observability only: nothing is
//! decided by it.

use super::soniq_workers::ALIVE;
use super::text::placeholders;
use crate::database::{DbError, Dialect, Tx, Value};
use crate::values;
use app::domain::redact::lenient_json;
use app::domain::warning::HandlerStanding;
use chrono::{DateTime, Duration, Utc};
use std::collections::BTreeMap;

/// A worker registers its names about when it starts; the clocks of two machines may differ by as much.
const GRACE: Duration = Duration::seconds(60);

/// A Soniq worker that lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Living {
    /// `None`: every queue.
    pub queues: Option<Vec<String>>,
    pub started_at: Option<DateTime<Utc>>,
}

impl Living {
    /// Whether it takes jobs of this queue; of a NULL queue only a worker without a list does.
    pub fn takes(&self, queue: Option<&str>) -> bool {
        match (&self.queues, queue) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(queues), Some(queue)) => queues.iter().any(|one| one == queue),
        }
    }
}

/// Soniq's workers that live now. What is no list of names counts as every queue.
pub async fn living(tx: &mut Tx) -> Result<Vec<Living>, DbError> {
    let since = tx.now() - ALIVE;
    let queues = tx.pick("array_to_json(queues)::text", "queues");
    let sql = format!(
        "SELECT {queues} AS queue_list, started_at FROM soniq_workers WHERE status = 'active' AND last_heartbeat > $1"
    );
    let rows = tx.fetch_all(&sql, values![since]).await?;
    rows.iter()
        .map(|row| {
            let listed = row.opt_json_bytes("queue_list")?;
            let names = listed.and_then(|bytes| {
                let names: Option<Vec<String>> = lenient_json(&bytes)
                    .as_array()?
                    .iter()
                    .map(|name| name.as_str().map(str::to_owned))
                    .collect();
                names.filter(|names| !names.is_empty())
            });
            Ok(Living {
                queues: names,
                started_at: row.opt_time("started_at").ok().flatten(),
            })
        })
        .collect()
}

/// What the registry says of these job names. SQLite has no registry: nothing is known there, and nothing answered.
///
/// The registry's workers cannot be told from `soniq_workers`, and its rows are never taken away: a name counts as
/// registered when somebody registered it since the oldest living worker started.
pub async fn standings(
    tx: &mut Tx,
    names: &[&str],
) -> Result<Option<BTreeMap<String, HandlerStanding>>, DbError> {
    match tx.dialect() {
        Dialect::Sqlite => return Ok(None),
        Dialect::Postgres => {}
    }
    let oldest = living(tx)
        .await?
        .iter()
        .filter_map(|worker| worker.started_at)
        .min();
    let mut found: BTreeMap<String, HandlerStanding> = names
        .iter()
        .map(|name| ((*name).to_owned(), HandlerStanding::Never))
        .collect();
    if names.is_empty() {
        return Ok(Some(found));
    }
    let sql = format!(
        "SELECT task_name, MAX(last_seen_at) AS seen_at FROM soniq_task_registry WHERE task_name IN ({}) \
         GROUP BY task_name",
        placeholders(1, names.len())
    );
    let wanted: Vec<Value> = names.iter().map(|name| Value::from(*name)).collect();
    for row in tx.fetch_all(&sql, wanted).await? {
        let seen = row.opt_time("seen_at").ok().flatten();
        let alive = match (seen, oldest) {
            (Some(seen), Some(oldest)) => seen >= oldest - GRACE,
            (Some(_) | None, _) => false,
        };
        let standing = if alive {
            HandlerStanding::Registered
        } else {
            HandlerStanding::WorkersGone
        };
        found.insert(row.text("task_name")?, standing);
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_a_list_takes_everything() {
        let all = Living {
            queues: None,
            started_at: None,
        };
        let some = Living {
            queues: Some(vec!["render".to_owned()]),
            started_at: None,
        };
        assert!(all.takes(Some("x")) && all.takes(None));
        assert!(some.takes(Some("render")) && !some.takes(Some("x")) && !some.takes(None));
    }
}
