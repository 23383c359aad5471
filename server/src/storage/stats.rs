//! Soniq's six keys, in total and per queue, in one statement: a move under way is never counted twice or not at all.

use crate::database::{DbError, Tx};
use app::desk::{QueueStats, QueuesView, Totals};
use std::collections::BTreeMap;

/// Counts all jobs and dead letters, and leaves the rest of the view empty. A job without a queue counts in `default`, where a move would put it.
pub async fn read(tx: &mut Tx) -> Result<QueuesView, DbError> {
    let rows = tx
        .fetch_all(
            "SELECT COALESCE(queue, 'default') AS queue, status, COUNT(*) AS jobs FROM soniq_jobs \
             GROUP BY COALESCE(queue, 'default'), status \
             UNION ALL \
             SELECT queue, 'dead_letter' AS status, COUNT(*) AS jobs FROM soniq_dead_letter_jobs GROUP BY queue",
            vec![],
        )
        .await?;
    let mut queues: BTreeMap<String, Totals> = BTreeMap::new();
    let mut totals = Totals::default();
    for row in rows {
        let (status, jobs) = (row.text("status")?, row.int("jobs")?);
        for counted in [&mut totals, queues.entry(row.text("queue")?).or_default()] {
            let key = match status.as_str() {
                "queued" => &mut counted.queued,
                "processing" => &mut counted.processing,
                "done" => &mut counted.done,
                "cancelled" => &mut counted.cancelled,
                "dead_letter" => &mut counted.dead_letter,
                _ => continue,
            };
            *key += jobs;
            counted.total += jobs;
        }
    }
    let queues = queues
        .into_iter()
        .map(|(queue, totals)| QueueStats { queue, totals })
        .collect();
    Ok(QueuesView {
        totals,
        queues,
        ..QueuesView::default()
    })
}
