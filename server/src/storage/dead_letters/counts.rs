//! The desk's rail: how many dead letters under each label and in each queue.

use super::narrow::{Lead, Narrow};
use crate::database::{DbError, Tx};
use app::desk::{DeadLetterFilter, LabelCount, Summary};
use app::domain::label::Label;
use std::collections::BTreeMap;

/// Counts what is projected and not purged, under the filter without its own label and queue.
pub async fn summary(tx: &mut Tx, filter: &DeadLetterFilter) -> Result<Summary, DbError> {
    let base = DeadLetterFilter {
        label: None,
        queue: None,
        ..filter.clone()
    };
    let (clause, values) = Narrow::new(tx, &base, Lead::Messages).clause();
    let sql = format!(
        "SELECT m.label, m.queue, COUNT(*) AS found FROM dlo_messages m{clause} GROUP BY m.label, m.queue"
    );
    let mut summary = Summary::default();
    let mut queues: BTreeMap<String, i64> = BTreeMap::new();
    let mut labels: BTreeMap<Label, i64> = BTreeMap::new();
    for row in tx.fetch_all(&sql, values).await? {
        let found = row.int("found")?;
        summary.total += found;
        *queues.entry(row.text("queue")?).or_default() += found;
        if let Ok(label) = row.text("label")?.parse() {
            *labels.entry(label).or_default() += found;
        }
    }
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
