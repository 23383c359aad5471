//! The first person, by a link that the console shows; and passwords that people change themselves.

use super::sign_in::{SignedIn, credential};
use super::{Office, password};
use crate::database::DbError;
use crate::storage::operators;
use crate::storage::setup;
use app::desk::{Answer, Code, DeskError};
use app::domain::person::is_plain_name;
use app::domain::role::Caller;

fn worthless() -> DeskError {
    DeskError::new(
        Code::NotFound,
        "This link is worth nothing: it was used, it is too old, somebody can sign in already, or it is mistyped. A \
         new one is printed when the program starts and nobody can sign in.",
    )
}

/// The refusal of a password's change for whoever has none.
pub(super) fn no_password() -> DeskError {
    DeskError::new(
        Code::NotAllowedHere,
        "There is no password of yours here: change it where you sign in.",
    )
}

fn invalid(error: password::PasswordError) -> DeskError {
    DeskError::new(Code::InvalidRequest, format!("{error}."))
}

impl Office {
    /// A fresh link's secret, when there is nobody; the table keeps its hash.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn offer_set_up(&self) -> Result<Option<String>, DbError> {
        let secret = hex::encode(rand::random::<[u8; 32]>());
        let offered = setup::offer(&self.database, &secret).await?;
        Ok(offered.then_some(secret))
    }

    /// Whether a link is worth something.
    ///
    /// # Errors
    /// `not_found` when it is not; `unavailable`.
    pub async fn may_set_up(&self, link: &str) -> Answer<()> {
        if setup::is_valid(&self.database, link).await? {
            Ok(())
        } else {
            Err(worthless())
        }
    }

    /// Whether a password of this person is kept here.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn has_password(&self, name: &str) -> Answer<bool> {
        let known = operators::find(&self.database, name).await?;
        Ok(known.is_some_and(|known| !known.is_signed_in_elsewhere()))
    }

    /// Gives a person another password; every session of theirs ends.
    ///
    /// # Errors
    /// `unauthenticated`, `invalid_request`, `not_allowed_here`, `unavailable`.
    pub async fn change_password(&self, caller: &Caller, current: &str, new: &str) -> Answer<SignedIn> {
        if !self.has_password(&caller.name).await? {
            return Err(no_password());
        }
        self.sign_in(&caller.name, current).await?;
        password::acceptable(&caller.name, new).map_err(invalid)?;
        let hash = password::hash(new.to_owned()).await.map_err(invalid)?;
        operators::change_password(&self.database, caller, &hash).await?;
        self.signed_in_as(&caller.name).await
    }

    async fn signed_in_as(&self, name: &str) -> Answer<SignedIn> {
        let operator = operators::find(&self.database, name).await?;
        operator
            .map(|operator| SignedIn {
                credential: credential(&operator),
                caller: Caller {
                    name: operator.name,
                    role: operator.role,
                },
            })
            .ok_or_else(worthless)
    }

    /// Makes the first person, an administrator.
    ///
    /// # Errors
    /// `not_found` for a link that is worth nothing, `invalid_request` for a name or a password that cannot be used.
    pub async fn set_up(&self, link: &str, name: &str, password: &str) -> Answer<SignedIn> {
        self.may_set_up(link).await?;
        if !is_plain_name(name) {
            return Err(DeskError::new(
                Code::InvalidRequest,
                "A name has 1 to 64 characters that can be seen.",
            ));
        }
        password::acceptable(name, password).map_err(invalid)?;
        let hash = password::hash(password.to_owned()).await.map_err(invalid)?;
        if !setup::take(&self.database, link, name, &hash).await? {
            return Err(worthless());
        }
        self.signed_in_as(name).await
    }
}
