//! The desk's rail: how many dead letters under each label and in each queue.

use super::narrow::{Lead, Narrow};
use crate::database::{DbError, Tx};
use app::desk::view::COUNT_CAP;
use app::desk::{DeadLetterFilter, LabelCount, Summary};
use app::domain::label::Label;
use std::collections::BTreeMap;

/// Counts what is projected and not purged, under the filter without its own label and queue. Under any other filter at
/// most [`COUNT_CAP`] of the newest are counted.
pub async fn summary(tx: &mut Tx, filter: &DeadLetterFilter) -> Result<Summary, DbError> {
    let base = filter.base();
    let alone = base == DeadLetterFilter::default();
    let mut narrow = Narrow::new(tx, &base, Lead::Messages);
    // An index counts all of them alone. Under any other filter rows are looked at, and never more than the cap.
    let bound = (!alone).then(|| narrow.bind((COUNT_CAP + 1).into()));
    let (clause, values) = narrow.clause();
    let sql = match bound {
        None => format!(
            "SELECT m.label, m.queue, COUNT(*) AS found FROM dlo_messages m{clause} GROUP BY m.label, m.queue"
        ),
        Some(bound) => format!(
            "SELECT label, queue, COUNT(*) AS found FROM (SELECT m.label, m.queue FROM dlo_messages m{clause} \
             ORDER BY m.died_at DESC, m.message_id LIMIT ${bound}) AS newest GROUP BY label, queue"
        ),
    };
    let mut summary = Summary::default();
    let mut queues: BTreeMap<String, i64> = BTreeMap::new();
    let mut labels: BTreeMap<Label, i64> = BTreeMap::new();
    for row in tx.fetch_all(&sql, values).await? {
        let found = row.int("found")?;
        summary.total += found;
        let queue = row.text("queue")?;
        *queues.entry(queue.clone()).or_default() += found;
        if let Ok(label) = row.text("label")?.parse() {
            *labels.entry(label).or_default() += found;
            summary.both.push((label, queue, found));
        }
    }
    summary.capped = !alone && summary.total > COUNT_CAP;
    summary.labels = Label::ALL
        .iter()
        .map(|label| LabelCount {
            label: *label,
            count: labels.get(label).copied().unwrap_or(0),
        })
        .collect();
    summary.queues = queues.into_iter().collect();
    summary.ever_died = summary.total > 0 || ever_died(tx).await?;
    Ok(summary)
}

async fn ever_died(tx: &mut Tx) -> Result<bool, DbError> {
    tx.fetch_one(
        "SELECT EXISTS (SELECT 1 FROM dlo_messages) OR EXISTS (SELECT 1 FROM soniq_dead_letter_jobs) AS found",
        vec![],
    )
    .await?
    .flag("found")
}
