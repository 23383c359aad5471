//! One key, one answer: what an order is claimed under, and its first answer given again.

use super::Failure;
use crate::database::{DbError, Tx};
use crate::storage::idempotency::{self, Begin, Claim};
use app::desk::{Code, DeskError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The longest key, in bytes.
const MAX_KEY: usize = 200;

/// Refuses a key that is missing or no key.
pub fn check_key(key: &str) -> Result<(), DeskError> {
    if key.is_empty() {
        return Err(DeskError::new(
            Code::MissingIdempotencyKey,
            "This needs an idempotency key.",
        ));
    }
    if key.len() > MAX_KEY || key.chars().any(char::is_control) {
        let detail = format!("An idempotency key has at most {MAX_KEY} bytes and no control characters.");
        return Err(DeskError::new(Code::InvalidRequest, detail));
    }
    Ok(())
}

/// Takes the key for this transaction; `Some` is the first answer, to be given again.
pub async fn begin<T: DeserializeOwned>(tx: &mut Tx, claim: &Claim) -> Result<Option<T>, Failure> {
    let begun = idempotency::begin(tx, claim).await?;
    first_answer(claim, begun)
}

/// The first answer, where there is one already. Takes nothing.
pub async fn peek<T: DeserializeOwned>(tx: &mut Tx, claim: &Claim) -> Result<Option<T>, Failure> {
    match idempotency::peek(tx, claim).await? {
        Some(found) => first_answer(claim, found),
        None => Ok(None),
    }
}

/// Keeps the answer of this transaction's order.
pub async fn keep(tx: &mut Tx, claim: &Claim, status: u16, answer: &impl Serialize) -> Result<(), Failure> {
    let answer = serde_json::to_value(answer).unwrap_or(Value::Null);
    Ok(idempotency::keep(tx, claim, status, &answer).await?)
}

fn first_answer<T: DeserializeOwned>(claim: &Claim, begun: Begin) -> Result<Option<T>, Failure> {
    match begun {
        Begin::New => Ok(None),
        Begin::Stored { answer, status: _ } => match serde_json::from_value(answer) {
            Ok(answer) => Ok(Some(answer)),
            Err(_) => Err(Failure::Database(DbError::Inconsistent {
                table: "dlo_idempotency",
                column: "answer",
                id: claim.key.clone(),
            })),
        },
        Begin::Conflict => {
            let detail = "This idempotency key was used for another order. Use a new key for a new order.";
            Err(DeskError::new(Code::IdempotencyConflict, detail).into())
        }
    }
}
