//! `dlo_idempotency`: first answers by caller, route and key, for 24 hours. Refusals roll back and are not stored.

use super::text::Reader;
use crate::database::{DbError, Row, Tx};
use crate::values;
use app::domain::role::Caller;
use chrono::Duration;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

/// How long a first answer is given again.
pub const KEPT: Duration = Duration::hours(24);
/// The status of a claim whose answer is still being worked out.
const UNDER_WAY: i64 = 0;

/// One order under one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub caller: String,
    /// The concrete path.
    pub route: String,
    pub key: String,
    /// Hex SHA-256 of the order's canonical JSON.
    pub body_hash: String,
}

impl Claim {
    /// The claim of one order: its caller, its concrete API path, its key, and a hash over its canonical JSON.
    pub fn new(caller: &Caller, route: &str, key: &str, order: &Json) -> Self {
        Self {
            caller: caller.name.clone(),
            route: route.to_owned(),
            key: key.to_owned(),
            body_hash: hex::encode(Sha256::digest(canonical(order).to_string().as_bytes())),
        }
    }
}

/// The same JSON with the keys of every object in order.
fn canonical(value: &Json) -> Json {
    match value {
        Json::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(b.0));
            Json::Object(
                sorted
                    .into_iter()
                    .map(|(key, value)| (key.clone(), canonical(value)))
                    .collect(),
            )
        }
        Json::Array(items) => Json::Array(items.iter().map(canonical).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.clone(),
    }
}

/// What stands under the key.
#[derive(Debug, Clone, PartialEq)]
pub enum Begin {
    /// Nothing: carry the order out, then [`keep`] its answer in the same transaction.
    New,
    /// The first answer.
    Stored { status: u16, answer: Json },
    /// The key belongs to another order.
    Conflict,
}

/// Takes the key for this transaction. Another one with the same key waits until this one ends.
pub async fn begin(tx: &mut Tx, claim: &Claim) -> Result<Begin, DbError> {
    let now = tx.now();
    let taken = tx
        .execute(
            "INSERT INTO dlo_idempotency (caller, route, key, body_hash, status, answer, created_at) \
             VALUES ($1, $2, $3, $4, $5, 'null', $6) ON CONFLICT (caller, route, key) DO NOTHING",
            values![
                &claim.caller,
                &claim.route,
                &claim.key,
                &claim.body_hash,
                UNDER_WAY,
                now
            ],
        )
        .await?;
    if taken == 1 {
        return Ok(Begin::New);
    }
    // Whoever wrote it has committed by now. Too old, or never answered: the key is free.
    let renewed = tx
        .execute(
            "UPDATE dlo_idempotency SET body_hash = $4, status = $5, answer = 'null', created_at = $6 \
             WHERE caller = $1 AND route = $2 AND key = $3 AND (created_at < $7 OR status = $5)",
            values![
                &claim.caller,
                &claim.route,
                &claim.key,
                &claim.body_hash,
                UNDER_WAY,
                now,
                now - KEPT
            ],
        )
        .await?;
    if renewed == 1 {
        return Ok(Begin::New);
    }
    Ok(peek(tx, claim).await?.unwrap_or(Begin::New))
}

/// What stands under the key, without taking it; `None` when nothing does.
pub async fn peek(tx: &mut Tx, claim: &Claim) -> Result<Option<Begin>, DbError> {
    let oldest = tx.now() - KEPT;
    let row = tx
        .fetch_optional(
            "SELECT body_hash, status, answer FROM dlo_idempotency \
             WHERE caller = $1 AND route = $2 AND key = $3 AND created_at >= $4 AND status <> $5",
            values![&claim.caller, &claim.route, &claim.key, oldest, UNDER_WAY],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let reader = Reader {
        row: &row,
        table: "dlo_idempotency",
        id: claim.key.clone(),
    };
    if reader.text("body_hash")? != claim.body_hash {
        return Ok(Some(Begin::Conflict));
    }
    let status = u16::try_from(reader.get("status", Row::int)?).map_err(|_| reader.impossible("status"))?;
    Ok(Some(Begin::Stored {
        status,
        answer: reader.json("answer")?,
    }))
}

/// Keeps the answer of an order that [`begin`] found new.
pub async fn keep(tx: &mut Tx, claim: &Claim, status: u16, answer: &Json) -> Result<(), DbError> {
    let kept = tx
        .execute(
            "UPDATE dlo_idempotency SET status = $4, answer = $5 WHERE caller = $1 AND route = $2 AND key = $3",
            values![&claim.caller, &claim.route, &claim.key, i64::from(status), answer.to_string()],
        )
        .await?;
    match kept {
        1 => Ok(()),
        _ => Err(DbError::Inconsistent {
            table: "dlo_idempotency",
            column: "key",
            id: claim.key.clone(),
        }),
    }
}

/// Forgets answers that are too old; says how many.
pub async fn forget_old(tx: &mut Tx) -> Result<u64, DbError> {
    let oldest = tx.now() - KEPT;
    tx.execute(
        "DELETE FROM dlo_idempotency WHERE created_at < $1",
        values![oldest],
    )
    .await
}
