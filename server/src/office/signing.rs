//! Signing in and out, as the audit keeps it.

use super::Office;
use crate::storage::audit::{self, Entry};
use crate::storage::operators;
use app::desk::{Answer, Code, DeskError};
use app::domain::role::Caller;
use std::net::IpAddr;

impl Office {
    /// Somebody came in.
    pub async fn note_signed_in(&self, caller: &Caller, from: IpAddr, how: &str) {
        tracing::info!(person = %caller.name, "signed in");
        self.keep(Entry::new(caller, "signed_in").reason(format!("{how}, from {from}")))
            .await;
    }

    /// Somebody did not come in. A name that nobody has is not kept: people type passwords there.
    pub async fn note_sign_in_refused(&self, name: &str, from: IpAddr) {
        let known = operators::find(&self.database, name).await.ok().flatten();
        let whom = match &known {
            Some(operator) => format!("as {}", operator.name),
            None => "by a name that nobody has".to_owned(),
        };
        tracing::warn!(address = %from, "a sign-in was refused");
        self.keep(Entry::nobody("sign_in_refused").reason(format!("{whom}, from {from}")))
            .await;
    }

    /// Somebody left.
    pub async fn note_signed_out(&self, caller: &Caller) {
        self.keep(Entry::new(caller, "signed_out")).await;
    }

    /// Ends all sessions of this person.
    ///
    /// # Errors
    /// `not_found` for somebody whom no session of ours knows; `unavailable`.
    pub async fn sign_out_everywhere(&self, caller: &Caller) -> Answer<()> {
        if operators::sign_out_everywhere(&self.database, caller, &caller.name).await? {
            Ok(())
        } else {
            Err(DeskError::new(
                Code::NotFound,
                "You have no sessions here: who signs you in ends them.",
            ))
        }
    }

    /// What only reports does not undo what it reports.
    pub(super) async fn keep(&self, entry: Entry) {
        let written = async {
            let mut tx = self.database.write().await?;
            audit::append(&mut tx, entry).await?;
            tx.commit().await
        }
        .await;
        if let Err(error) = written {
            tracing::error!(error = %error, "a sign-in or sign-out could not be audited");
        }
    }
}
