//! Signing in through an issuer: begun here, ended here, and decided here.

use super::Office;
use super::sign_in::{SignedIn, credential};
use crate::oidc::{Issuer, OidcError, plain};
use crate::storage::audit::Entry;
use crate::storage::identities::{self, Arrival};
use crate::storage::sign_ins::{self, SignIn};
use app::desk::{Answer, Code, DeskError};
use app::domain::person::written;
use app::domain::role::Caller;
use std::net::IpAddr;

/// What the issuer sent the browser back with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Returned {
    pub state: String,
    pub code: Option<String>,
    /// The issuer's own code of its refusal.
    pub error: Option<String>,
    /// Who says so, where the issuer says it.
    pub issuer: Option<String>,
}

/// Somebody who came in, and where they wanted to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CameIn {
    pub signed_in: SignedIn,
    pub next: String,
}

/// Somebody who did not come in, and where they wanted to be: they may try again from there.
#[derive(Debug, Clone, PartialEq)]
pub struct NotIn {
    pub error: DeskError,
    /// `None` where this browser began no sign-in.
    pub next: Option<String>,
}

impl From<DeskError> for NotIn {
    fn from(error: DeskError) -> Self {
        Self { error, next: None }
    }
}

fn refused() -> DeskError {
    DeskError::new(
        Code::SignInRefused,
        "The issuer did not say that it is you, or this office does not let you in.",
    )
}

/// The code that the issuer gave, unless it refused, or is another one.
fn said(issuer: &Issuer, returned: &Returned) -> Result<String, OidcError> {
    if let Some(other) = returned.issuer.as_deref().filter(|named| !issuer.is(named)) {
        tracing::warn!(named = %plain(other), "another issuer answered");
        return Err(OidcError::Refused("another one answered".to_owned()));
    }
    if let Some(error) = &returned.error {
        return Err(OidcError::Refused(plain(error)));
    }
    returned
        .code
        .clone()
        .ok_or_else(|| OidcError::Refused("there is no code".to_owned()))
}

impl Office {
    fn issuer(&self) -> Answer<&Issuer> {
        self.issuer
            .as_deref()
            .ok_or_else(|| DeskError::new(Code::NotFound, "There is no single sign-on here."))
    }

    /// Begins a sign-in of this browser; answers where it goes. `back` is our own address that it comes back to.
    ///
    /// # Errors
    /// `issuer_unavailable`, `unavailable`, `not_found` where none is configured.
    pub async fn begin_single_sign_on(&self, browser: &str, back: String, next: &str) -> Answer<String> {
        let begun = self.issuer()?.begin(back).await.map_err(|error| {
            tracing::warn!(error = %error, "a single sign-on could not begin");
            unavailable()
        })?;
        let kept = SignIn {
            nonce: begun.nonce,
            verifier: begun.verifier,
            next: next.to_owned(),
        };
        sign_ins::begin(&self.database, &begun.state, browser, &kept).await?;
        Ok(begun.to)
    }

    /// Ends a sign-in that this browser began.
    ///
    /// # Errors
    /// `sign_in_expired` when it began none, or that one is over; `issuer_unavailable`; `sign_in_refused`;
    /// `role_required` for somebody without a role here; `name_looks_alike` for somebody new whom readers could take for
    /// somebody else; `unavailable`. With the way back, where it is known.
    pub async fn finish_single_sign_on(
        &self,
        browser: &str,
        back: String,
        returned: Returned,
        from: IpAddr,
    ) -> Result<CameIn, NotIn> {
        let issuer = self.issuer()?;
        let begun = sign_ins::take(&self.database, &returned.state, browser)
            .await
            .map_err(DeskError::from)?;
        let Some(begun) = begun else {
            tracing::warn!(address = %from, "a single sign-on that nobody began here was refused");
            return Err(NotIn::from(DeskError::new(
                Code::SignInExpired,
                "This browser began no such sign-in, or it took too long. Begin again.",
            )));
        };
        let next = begun.next.clone();
        match self.let_in(issuer, back, &returned, begun, from).await {
            Ok(signed_in) => Ok(CameIn { signed_in, next }),
            Err(error) => Err(NotIn {
                error,
                next: Some(next),
            }),
        }
    }

    /// Decides who came back from the issuer, and whether they come in.
    async fn let_in(
        &self,
        issuer: &Issuer,
        back: String,
        returned: &Returned,
        begun: SignIn,
        from: IpAddr,
    ) -> Answer<SignedIn> {
        let known = match said(issuer, returned) {
            Ok(code) => issuer.finish(back, code, begun.nonce, begun.verifier).await,
            Err(error) => Err(error),
        };
        let known = match known {
            Ok(known) => known,
            Err(error) => {
                self.note_single_sign_on_refused(&error.to_string(), from).await;
                return Err(match error {
                    OidcError::Unreachable(_) => unavailable(),
                    OidcError::Refused(_) | OidcError::Token(_) => refused(),
                });
            }
        };
        match identities::arrive(&self.database, &known).await? {
            Arrival::Person(person) => Ok(SignedIn {
                credential: credential(&person),
                caller: Caller {
                    name: person.name,
                    role: person.role,
                },
            }),
            Arrival::Disabled(name) => {
                let why = format!("as {name}, who is disabled here");
                self.note_single_sign_on_refused(&why, from).await;
                Err(refused())
            }
            Arrival::WithoutRole => {
                self.note_single_sign_on_refused("no group of theirs means a role here", from)
                    .await;
                Err(DeskError::new(
                    Code::RoleRequired,
                    "The issuer knows you, but no group of yours means a role here.",
                ))
            }
            Arrival::LooksLike(other) => {
                let why = format!(
                    "as {}, which looks like {}, a name that is taken here",
                    written(&known.name),
                    written(&other)
                );
                self.note_single_sign_on_refused(&why, from).await;
                Err(DeskError::new(
                    Code::NameLooksAlike,
                    "Your name looks like that of somebody else here: readers of the audit could take one for the other.",
                ))
            }
        }
    }

    async fn note_single_sign_on_refused(&self, why: &str, from: IpAddr) {
        tracing::warn!(address = %from, why, "a single sign-on was refused");
        let entry = Entry::nobody("sign_in_refused");
        self.keep(entry.reason(format!("by single sign-on: {why}, from {from}")))
            .await;
    }
}

fn unavailable() -> DeskError {
    DeskError::new(
        Code::IssuerUnavailable,
        "The issuer that signs you in did not answer. Try again in a moment.",
    )
}
