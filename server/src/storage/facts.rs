//! `dlo_owners` and `dlo_specifications`: the facts that creation guards read, as the application reports them.

use super::text::Reader;
use crate::database::{DbError, Row, Tx};
use crate::values;
use app::domain::guard::{OwnerFacts, SpecificationFacts};
use serde_json::Value as Json;

/// Stores owner facts. Facts older than those that stand are ignored; a moment ahead of our clock counts as now.
/// Answers what stands then.
pub async fn put_owner(tx: &mut Tx, facts: &OwnerFacts) -> Result<OwnerFacts, DbError> {
    let as_of = facts.as_of.min(tx.now());
    tx.execute(
        "INSERT INTO dlo_owners (id, authorized, remaining_credits, as_of) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (id) DO UPDATE SET authorized = excluded.authorized, \
         remaining_credits = excluded.remaining_credits, as_of = excluded.as_of \
         WHERE excluded.as_of >= dlo_owners.as_of",
        values![
            &facts.id,
            facts.authorized,
            facts.remaining_credits.to_string(),
            as_of
        ],
    )
    .await?;
    owner(tx, &facts.id)
        .await?
        .ok_or_else(|| missing("dlo_owners", &facts.id))
}

/// Stores specification facts, likewise. An absent body leaves the one that stands, while the revision is the same.
pub async fn put_specification(
    tx: &mut Tx,
    facts: &SpecificationFacts,
    body: Option<&Json>,
) -> Result<SpecificationFacts, DbError> {
    let as_of = facts.as_of.min(tx.now());
    tx.execute(
        "INSERT INTO dlo_specifications \
         (id, current_revision, model, model_available, active, estimated_credits, body, as_of) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
         ON CONFLICT (id) DO UPDATE SET current_revision = excluded.current_revision, model = excluded.model, \
         model_available = excluded.model_available, active = excluded.active, \
         estimated_credits = excluded.estimated_credits, as_of = excluded.as_of, \
         body = CASE WHEN excluded.body IS NULL AND excluded.current_revision = dlo_specifications.current_revision \
         THEN dlo_specifications.body ELSE excluded.body END \
         WHERE excluded.as_of >= dlo_specifications.as_of",
        values![
            &facts.id,
            facts.current_revision,
            facts.model.as_deref(),
            facts.model_available,
            facts.active,
            facts.estimated_credits.to_string(),
            body.map(Json::to_string),
            as_of,
        ],
    )
    .await?;
    specification(tx, &facts.id)
        .await?
        .ok_or_else(|| missing("dlo_specifications", &facts.id))
}

/// What is known of an owner.
pub async fn owner(tx: &mut Tx, id: &str) -> Result<Option<OwnerFacts>, DbError> {
    let row = tx
        .fetch_optional("SELECT * FROM dlo_owners WHERE id = $1", values![id])
        .await?;
    row.map(|row| {
        let reader = Reader {
            row: &row,
            table: "dlo_owners",
            id: id.to_owned(),
        };
        Ok(OwnerFacts {
            id: id.to_owned(),
            authorized: reader.get("authorized", Row::flag)?,
            remaining_credits: reader.amount("remaining_credits")?,
            as_of: reader.get("as_of", Row::time)?,
        })
    })
    .transpose()
}

/// Holds the owner's facts until the transaction ends, so that two creations do not both see the same budget.
/// Taken after the operation's lock and before any reservation is counted or made.
pub async fn lock_owner(tx: &mut Tx, id: &str) -> Result<(), DbError> {
    let sql = format!("SELECT id FROM dlo_owners WHERE id = $1{}", tx.for_update());
    tx.fetch_optional(&sql, values![id]).await?;
    Ok(())
}

/// What is known of a specification; not its body.
pub async fn specification(tx: &mut Tx, id: &str) -> Result<Option<SpecificationFacts>, DbError> {
    let sql = "SELECT id, current_revision, model, model_available, active, estimated_credits, as_of, \
               body IS NOT NULL AS has_body FROM dlo_specifications WHERE id = $1";
    let row = tx.fetch_optional(sql, values![id]).await?;
    row.map(|row| {
        let reader = Reader {
            row: &row,
            table: "dlo_specifications",
            id: id.to_owned(),
        };
        Ok(SpecificationFacts {
            id: id.to_owned(),
            current_revision: reader.get("current_revision", Row::int)?,
            model: reader.get("model", Row::opt_text)?,
            model_available: reader.get("model_available", Row::flag)?,
            active: reader.get("active", Row::flag)?,
            estimated_credits: reader.amount("estimated_credits")?,
            has_body: reader.get("has_body", Row::flag)?,
            as_of: reader.get("as_of", Row::time)?,
        })
    })
    .transpose()
}

/// The body of exactly this revision, for the creation request alone. It is shown to nobody.
pub async fn specification_body(tx: &mut Tx, id: &str, revision: i64) -> Result<Option<Json>, DbError> {
    let sql = "SELECT body FROM dlo_specifications WHERE id = $1 AND current_revision = $2";
    let Some(row) = tx.fetch_optional(sql, values![id, revision]).await? else {
        return Ok(None);
    };
    Reader {
        row: &row,
        table: "dlo_specifications",
        id: id.to_owned(),
    }
    .opt_json("body")
}

fn missing(table: &'static str, id: &str) -> DbError {
    DbError::Inconsistent {
        table,
        column: "id",
        id: id.to_owned(),
    }
}
