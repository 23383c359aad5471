//! Sign-ins that were begun at an issuer: worth something once, for a while, and in the browser that began them.

use super::tokens::hash;
use crate::database::{Database, DbError};
use crate::values;
use chrono::TimeDelta;

/// How long somebody may take at the issuer.
pub const VALID: TimeDelta = TimeDelta::minutes(10);

/// What is remembered of a sign-in until its browser comes back.
#[derive(Clone, PartialEq, Eq)]
pub struct SignIn {
    pub nonce: String,
    /// Proves to the issuer who began it (PKCE).
    pub verifier: String,
    /// The way back, a path of ours.
    pub next: String,
}

/// Remembers a sign-in by the hashes of its state and its browser's cookie; forgets those that are over.
///
/// # Errors
/// When the database does not answer.
pub async fn begin(database: &Database, state: &str, browser: &str, sign_in: &SignIn) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    tx.execute("DELETE FROM dlo_sign_ins WHERE expires_at <= $1", values![now])
        .await?;
    tx.execute(
        "INSERT INTO dlo_sign_ins (state, browser, nonce, verifier, next, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        values![
            hash(state),
            hash(browser),
            sign_in.nonce.as_str(),
            sign_in.verifier.as_str(),
            sign_in.next.as_str(),
            now + VALID
        ],
    )
    .await?;
    tx.commit().await
}

/// Takes a sign-in: the second time there is none. One of another browser stays where it is.
///
/// # Errors
/// When the database does not answer.
pub async fn take(database: &Database, state: &str, browser: &str) -> Result<Option<SignIn>, DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    let found = tx
        .fetch_optional(
            "DELETE FROM dlo_sign_ins WHERE state = $1 AND browser = $2 AND expires_at > $3 \
             RETURNING nonce, verifier, next",
            values![hash(state), hash(browser), now],
        )
        .await?;
    tx.commit().await?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some(SignIn {
        nonce: row.text("nonce")?,
        verifier: row.text("verifier")?,
        next: row.text("next")?,
    }))
}
