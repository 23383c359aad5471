//! `dlo_operations`: the durable records.

mod list;

pub use list::{Listed, Place, list};

use super::text::{Reader, json, placeholders};
use super::{derived, events, revisions};
use crate::database::{DbError, Row, Tx, Value};
use crate::values;
use app::desk::Event;
use app::domain::evidence::Evidence;
use app::domain::ids::{JobId, OperationId};
use app::domain::label::label;
use app::domain::operation::{Operation, SpecificationRef};
use app::domain::plan::decide;
use std::collections::BTreeSet;

const TABLE: &str = "dlo_operations";

/// Ids that one statement asks for at once.
pub(super) const CHUNK: usize = 200;

/// The facts of a record, in the order that [`facts`] binds them. The values derived from them are not among them.
const COLUMNS: [&str; 28] = [
    "id",
    "revision",
    "provider",
    "account",
    "fingerprint",
    "owner",
    "specification_id",
    "specification_revision",
    "model",
    "phase",
    "dispatch",
    "not_sent_since",
    "dispatch_proof",
    "job_id",
    "remote",
    "charge",
    "outputs",
    "other_jobs",
    "settled_jobs",
    "adopted_jobs",
    "lost_outputs",
    "error",
    "parent",
    "closure",
    "accounting",
    "outside_send_excluded_through",
    "created_at",
    "updated_at",
];

fn facts(record: &Operation) -> Vec<Value> {
    values![
        &record.id,
        record.revision,
        &record.provider,
        &record.account,
        record.fingerprint.as_deref(),
        &record.owner,
        &record.specification.id,
        record.specification.revision,
        record.model.as_deref(),
        record.phase.as_str(),
        record.dispatch.as_str(),
        record.not_sent_since,
        record.dispatch_proof.as_ref().map(json),
        record.job_id.as_ref(),
        json(&record.remote),
        json(&record.charge),
        json(&record.outputs),
        json(&record.other_jobs),
        json(&record.settled_jobs),
        json(&record.adopted_jobs),
        json(&record.lost_outputs),
        record.error.as_ref().map(json),
        record.parent.as_ref(),
        record.closure.as_ref().map(json),
        json(&record.accounting),
        record.outside_send_excluded_through,
        record.created_at,
        record.updated_at,
    ]
}

/// The one place where a row becomes a record.
///
/// # Errors
/// [`DbError::Inconsistent`] names the column that cannot be what it says.
pub fn from_row(row: &Row) -> Result<Operation, DbError> {
    let reader = Reader {
        row,
        table: TABLE,
        id: row.opt_text("id")?.unwrap_or_default(),
    };
    Ok(Operation {
        id: OperationId(reader.text("id")?),
        revision: reader.get("revision", Row::int)?,
        provider: reader.text("provider")?,
        account: reader.text("account")?,
        fingerprint: reader.get("fingerprint", Row::opt_text)?,
        owner: reader.text("owner")?,
        specification: SpecificationRef {
            id: reader.text("specification_id")?,
            revision: reader.get("specification_revision", Row::int)?,
        },
        model: reader.get("model", Row::opt_text)?,
        phase: reader.slug("phase")?,
        dispatch: reader.slug("dispatch")?,
        not_sent_since: reader.get("not_sent_since", Row::opt_time)?,
        dispatch_proof: reader.opt_json("dispatch_proof")?,
        job_id: reader.get("job_id", Row::opt_text)?.map(JobId),
        remote: reader.json("remote")?,
        charge: reader.json("charge")?,
        outputs: reader.json("outputs")?,
        other_jobs: reader.json("other_jobs")?,
        settled_jobs: reader.json("settled_jobs")?,
        adopted_jobs: reader.json("adopted_jobs")?,
        lost_outputs: reader.json("lost_outputs")?,
        error: reader.opt_json("error")?,
        parent: reader.get("parent", Row::opt_text)?.map(OperationId),
        closure: reader.opt_json("closure")?,
        accounting: reader.json("accounting")?,
        outside_send_excluded_through: reader.get("outside_send_excluded_through", Row::opt_time)?,
        created_at: reader.get("created_at", Row::time)?,
        updated_at: reader.get("updated_at", Row::time)?,
    })
}

/// The record, as it stands in this transaction.
pub async fn load(tx: &mut Tx, id: &OperationId) -> Result<Option<Operation>, DbError> {
    let row = tx
        .fetch_optional("SELECT * FROM dlo_operations WHERE id = $1", values![id])
        .await?;
    row.as_ref().map(from_row).transpose()
}

/// The record, locked until the transaction ends: what is decided about it stays true.
pub async fn lock(tx: &mut Tx, id: &OperationId) -> Result<Option<Operation>, DbError> {
    let sql = format!("SELECT * FROM dlo_operations WHERE id = $1{}", tx.for_update());
    let row = tx.fetch_optional(&sql, values![id]).await?;
    row.as_ref().map(from_row).transpose()
}

/// Those records that exist, each readable or not, in the order of their ids.
pub async fn load_many(tx: &mut Tx, ids: &[OperationId]) -> Result<Vec<Result<Operation, DbError>>, DbError> {
    let mut found = Vec::new();
    for chunk in ids.chunks(CHUNK) {
        let sql = format!(
            "SELECT * FROM dlo_operations WHERE id IN ({}) ORDER BY id",
            placeholders(1, chunk.len())
        );
        let rows = tx
            .fetch_all(&sql, chunk.iter().map(Value::from).collect())
            .await?;
        found.extend(rows.iter().map(from_row));
    }
    Ok(found)
}

/// Whether a record of that id exists.
pub async fn exists(tx: &mut Tx, id: &OperationId) -> Result<bool, DbError> {
    Ok(tx
        .fetch_optional("SELECT id FROM dlo_operations WHERE id = $1", values![id])
        .await?
        .is_some())
}

/// Ids of the operations that name this one as their parent, oldest first.
pub async fn children(tx: &mut Tx, parent: &OperationId) -> Result<Vec<OperationId>, DbError> {
    let sql = "SELECT id FROM dlo_operations WHERE parent = $1 ORDER BY created_at, id";
    let rows = tx.fetch_all(sql, values![parent]).await?;
    rows.iter().map(|row| row.text("id").map(OperationId)).collect()
}

/// Inserts a new record; a taken id or a held job id is a unique violation. [`create`] does the rest as well.
pub async fn insert(tx: &mut Tx, record: &Operation) -> Result<(), DbError> {
    let nothing = Evidence::default();
    let plan = decide(record, &nothing, record.updated_at);
    let sql = format!(
        "INSERT INTO dlo_operations ({}, label, next_action, refund_unresolved) VALUES ({})",
        COLUMNS.join(", "),
        placeholders(1, COLUMNS.len() + 3)
    );
    let mut values = facts(record);
    values.extend(values![
        label(record, &nothing).as_str(),
        plan.action.as_str(),
        plan.refund_unresolved
    ]);
    tx.execute(&sql, values).await?;
    revisions::keep(tx, record).await
}

/// Writes all facts of a record that exists. The values derived from them follow by [`derived::refresh`].
pub async fn update(tx: &mut Tx, record: &Operation) -> Result<(), DbError> {
    let set: Vec<String> = COLUMNS
        .iter()
        .enumerate()
        .skip(1)
        .map(|(at, column)| format!("{column} = ${}", at + 1))
        .collect();
    let sql = format!("UPDATE dlo_operations SET {} WHERE id = $1", set.join(", "));
    match tx.execute(&sql, facts(record)).await? {
        1 => revisions::keep(tx, record).await,
        _ => Err(DbError::Inconsistent {
            table: TABLE,
            column: "id",
            id: record.id.0.clone(),
        }),
    }
}

/// A new record, its first events, and everything derived from it.
pub async fn create(tx: &mut Tx, record: &Operation, told: &[Event]) -> Result<(), DbError> {
    insert(tx, record).await?;
    events::append(tx, &record.id, told).await?;
    derived::refresh(tx, &record.id).await
}

/// A changed record, what is told of the change, and everything derived from it.
///
/// The caller holds the record's lock, so that nothing was written in between.
pub async fn save(tx: &mut Tx, record: &Operation, told: &[Event]) -> Result<(), DbError> {
    update(tx, record).await?;
    events::append(tx, &record.id, told).await?;
    derived::refresh(tx, &record.id).await
}

/// Which operation of a provider and account has this job id attached.
pub async fn holder(
    tx: &mut Tx,
    provider: &str,
    account: &str,
    job_id: &JobId,
) -> Result<Option<OperationId>, DbError> {
    let sql = "SELECT id FROM dlo_operations WHERE provider = $1 AND account = $2 AND job_id = $3";
    let row = tx.fetch_optional(sql, values![provider, account, job_id]).await?;
    row.map(|row| row.text("id").map(OperationId)).transpose()
}

/// Those of the ids that another operation of the same provider and account has attached.
pub async fn held_elsewhere(
    tx: &mut Tx,
    provider: &str,
    account: &str,
    except: &OperationId,
    job_ids: &BTreeSet<JobId>,
) -> Result<BTreeSet<JobId>, DbError> {
    let mut held = BTreeSet::new();
    let job_ids: Vec<&JobId> = job_ids.iter().collect();
    for chunk in job_ids.chunks(CHUNK) {
        let sql = format!(
            "SELECT job_id FROM dlo_operations WHERE provider = $1 AND account = $2 AND id <> $3 AND job_id IN ({})",
            placeholders(4, chunk.len())
        );
        let mut values = values![provider, account, except];
        values.extend(chunk.iter().map(|job_id| Value::from(*job_id)));
        for row in tx.fetch_all(&sql, values).await? {
            held.insert(JobId(row.text("job_id")?));
        }
    }
    Ok(held)
}
