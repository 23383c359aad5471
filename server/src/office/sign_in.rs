//! Who is it? People by name and password, programs by token.

use super::kept::Moment;
use super::{Office, log_failure, password};
use crate::storage::operators::{self, Operator};
use crate::storage::tokens::{self, Token};
use app::desk::{Answer, Code, DeskError};
use app::domain::role::Caller;
use sha2::{Digest, Sha256};

/// Somebody whose password was right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub caller: Caller,
    /// Changes with the password: a session that remembers another one is over.
    pub credential: String,
}

/// Changes with the password, and when the person signs out everywhere.
pub fn credential(operator: &Operator) -> String {
    let text = format!("{}.{}", operator.generation, operator.password_hash);
    hex::encode(&Sha256::digest(text.as_bytes())[..16])
}

impl Office {
    /// Checks a name and a password. The same answer, after the same time, whether the name is unknown, disabled or
    /// the password wrong.
    ///
    /// # Errors
    /// `unauthenticated`, or `unavailable`.
    pub async fn sign_in(&self, name: &str, password: &str) -> Answer<SignedIn> {
        let operator = operators::find(&self.database, name)
            .await
            .map_err(|error| log_failure(&error))?;
        let operator = operator.filter(|operator| operator.disabled_at.is_none());
        let hash = operator.as_ref().map(|operator| operator.password_hash.clone());
        let fits = password::verify(password.to_owned(), hash, &self.password_checks).await;
        match operator {
            Some(operator) if fits => Ok(SignedIn {
                credential: credential(&operator),
                caller: Caller {
                    name: operator.name,
                    role: operator.role,
                },
            }),
            Some(_) | None => Err(DeskError::new(
                Code::Unauthenticated,
                "The name and the password do not match.",
            )),
        }
    }

    /// Who a session's person is now: the role is the row's, not the session's. `None` when the person is gone,
    /// disabled, or has another password since.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn person(&self, moment: &Moment, name: &str, remembered: &str) -> Answer<Option<Caller>> {
        let read = async {
            let found = operators::find(&self.database, name).await;
            found.map_err(|error| log_failure(&error))
        };
        let operator = self
            .people
            .only(moment, &self.database, name.to_owned(), read)
            .await?;
        Ok(Option::as_ref(&operator)
            .filter(|operator| operator.disabled_at.is_none() && credential(operator) == remembered)
            .map(|operator| Caller {
                name: operator.name.clone(),
                role: operator.role,
            }))
    }

    /// The token with this secret, unless it is revoked or expired. Keeps when it was used, at most once a minute.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn token(&self, moment: &Moment, secret: &str) -> Answer<Option<Token>> {
        let hash = tokens::hash(secret);
        let read = async {
            let found = tokens::find(&self.database, &hash).await;
            found.map_err(|error| log_failure(&error))
        };
        let token = self
            .tokens
            .only(moment, &self.database, hash.clone(), read)
            .await?;
        let found = Option::clone(&*token).filter(|token| !token.is_expired(chrono::Utc::now()));
        if let Some(token) = &found
            && token.use_is_stale(chrono::Utc::now())
        {
            // Not part of the answer: the caller does not wait for it, and does not fail with it.
            let (database, id) = (self.database.clone(), token.id);
            tokio::spawn(async move {
                if let Err(error) = tokens::used(&database, id).await {
                    tracing::warn!(error = %error, "the use of a token was not kept");
                }
            });
        }
        Ok(found)
    }
}
