//! `dlo_known_jobs`: every job id ever known to an operation, so that others who know the same id are found.

use crate::database::{DbError, Tx};
use crate::values;
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::Operation;
use std::collections::{BTreeMap, BTreeSet};

/// Brings the operation's entries up to date. Answers the ids that it has begun or ceased to hold.
///
/// PostgreSQL locks each id that changes until the transaction ends: one who attaches an id and one who learns of it
/// then see each other, whoever comes second.
pub(super) async fn update(
    tx: &mut Tx,
    record: &Operation,
    known: &BTreeSet<JobId>,
) -> Result<Vec<JobId>, DbError> {
    let rows = tx
        .fetch_all(
            "SELECT job_id, held FROM dlo_known_jobs WHERE operation_id = $1",
            values![&record.id],
        )
        .await?;
    let mut before = BTreeMap::new();
    for row in &rows {
        before.insert(JobId(row.text("job_id")?), row.flag("held")?);
    }
    let after: BTreeMap<&JobId, bool> = known
        .iter()
        .map(|job_id| (job_id, record.job_id.as_ref() == Some(job_id)))
        .collect();
    let changed: BTreeSet<&JobId> = after
        .iter()
        .filter(|(job_id, held)| before.get(**job_id) != Some(held))
        .map(|(job_id, _)| *job_id)
        .chain(before.keys().filter(|job_id| !after.contains_key(job_id)))
        .collect();
    let mut moved = Vec::new();
    for job_id in changed {
        lock(tx, record, job_id).await?;
        match after.get(job_id) {
            Some(held) => {
                tx.execute(
                    "INSERT INTO dlo_known_jobs (operation_id, job_id, held) VALUES ($1, $2, $3) \
                     ON CONFLICT (operation_id, job_id) DO UPDATE SET held = excluded.held",
                    values![&record.id, job_id, *held],
                )
                .await?;
            }
            None => {
                tx.execute(
                    "DELETE FROM dlo_known_jobs WHERE operation_id = $1 AND job_id = $2",
                    values![&record.id, job_id],
                )
                .await?;
            }
        }
        if before.get(job_id).copied().unwrap_or(false) != after.get(job_id).copied().unwrap_or(false) {
            moved.push(job_id.clone());
        }
    }
    Ok(moved)
}

async fn lock(tx: &mut Tx, record: &Operation, job_id: &JobId) -> Result<(), DbError> {
    match tx.dialect() {
        crate::database::Dialect::Postgres => {
            let key = format!("job\n{}\n{}\n{job_id}", record.provider, record.account);
            tx.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
                values![key],
            )
            .await?;
        }
        // The whole database is locked already.
        crate::database::Dialect::Sqlite => {}
    }
    Ok(())
}

/// Other operations of the same provider and account that know one of these ids, in the order of their ids.
pub(super) async fn others_who_know(
    tx: &mut Tx,
    record: &Operation,
    job_ids: &[JobId],
) -> Result<BTreeSet<OperationId>, DbError> {
    let mut others = BTreeSet::new();
    for job_id in job_ids {
        let rows = tx
            .fetch_all(
                "SELECT known.operation_id AS id FROM dlo_known_jobs AS known \
                 JOIN dlo_operations AS operation ON operation.id = known.operation_id \
                 WHERE known.job_id = $1 AND known.operation_id <> $2 AND operation.provider = $3 \
                 AND operation.account = $4",
                values![job_id, &record.id, &record.provider, &record.account],
            )
            .await?;
        for row in &rows {
            others.insert(OperationId(row.text("id")?));
        }
    }
    Ok(others)
}
