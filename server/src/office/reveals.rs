//! One hidden field of a dead letter, for somebody who may see it and says why.

use super::dead_letters::{dead_letter_id, no_such_dead_letter};
use super::desk::OfficeDesk;
use super::{Failure, Office, check_reason, require};
use crate::config::Reveal;
use crate::database::DbError;
use crate::storage::audit::{self, Entry};
use crate::storage::dead_letters::{self, RawLetter};
use crate::storage::{messages, reveals};
use app::desk::{Answer, Code, DeskError, Revealed, Reveals};
use app::domain::ids::DeadLetterId;
use app::domain::permission::Permission;
use app::domain::redact::lenient_json;
use app::domain::redact::reveal::{self, Field};
use app::domain::role::Caller;
use async_trait::async_trait;

fn no_such_field() -> DeskError {
    DeskError::new(
        Code::NotFound,
        "This message has no such field that may be shown: it is no secret of a customer's, or it is a key.",
    )
}

fn fields(letter: &RawLetter) -> Vec<(Field, String)> {
    reveal::fields(&lenient_json(&letter.args), letter.last_error.as_deref())
}

/// The longest path that the audit keeps, in characters.
const MAX_PATH: usize = 200;

/// A path as it may stand before a person's words in the audit. A message's names are its sender's: none is so long that
/// the words are cut away, and none holds marks by which redaction would take the words for the value of a secret.
fn plain(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || " _-.[]…‹›⟨⟩".contains(letter);
    let mut kept: String = path
        .chars()
        .take(MAX_PATH)
        .map(|letter| if is_plain(letter) { letter } else { '·' })
        .collect();
    if path.chars().nth(MAX_PATH).is_some() {
        kept.push('…');
    }
    // Several dashes begin a key file, which ends where the text does.
    kept.replace("--", "··")
}

impl Office {
    /// Refuses where nothing is revealed.
    fn may_reveal(&self, caller: &Caller) -> Answer<()> {
        require(caller, Permission::Reveal)?;
        match self.config.policy.reveal {
            Reveal::Allow => Ok(()),
            Reveal::Refuse => Err(DeskError::new(
                Code::NotAllowedHere,
                "Nothing hidden is shown in this office: policy.reveal is \"refuse\".",
            )),
        }
    }

    /// The hidden fields that the caller may look at.
    ///
    /// # Errors
    /// `bad_id`, `unavailable`.
    pub async fn revealable(&self, caller: &Caller, id: &str) -> Answer<Vec<Field>> {
        let id = dead_letter_id(id)?;
        if self.may_reveal(caller).is_err() {
            return Ok(Vec::new());
        }
        let mut tx = self.database.read().await?;
        let letter = match dead_letters::peek(&mut tx, id).await {
            // One that cannot be read has nothing to look at.
            Err(DbError::Inconsistent { .. }) => None,
            read => read?,
        };
        Ok(letter
            .map(|letter| fields(&letter).into_iter().map(|(field, _)| field).collect())
            .unwrap_or_default())
    }

    /// A ticket for one look at one field. The audit says who, which field of which message, and why; never the value.
    ///
    /// # Errors
    /// `bad_id`, `invalid_request`, `role_required`, `not_allowed_here`, `not_found`.
    pub async fn reveal(&self, caller: &Caller, id: &str, field: &str, reason: &str) -> Answer<String> {
        let id = dead_letter_id(id)?;
        check_reason(reason)?;
        let answer = match self.may_reveal(caller) {
            Ok(()) => self.reveal_once(caller, id, field, reason).await,
            Err(refusal) => Err(Failure::from(refusal)),
        };
        match answer {
            Ok(ticket) => Ok(ticket),
            Err(failure) => {
                let refusal = DeskError::from(failure);
                self.note_message_refusal(caller, id, "reveal", reason, &refusal)
                    .await;
                Err(refusal)
            }
        }
    }

    async fn reveal_once(
        &self,
        caller: &Caller,
        id: DeadLetterId,
        field: &str,
        reason: &str,
    ) -> Result<String, Failure> {
        let mut tx = self.database.write().await?;
        let letter = dead_letters::load_raw(&mut tx, id)
            .await?
            .ok_or_else(no_such_dead_letter)?;
        let (found, _) = fields(&letter)
            .into_iter()
            .find(|(one, _)| one.name() == field)
            .ok_or_else(no_such_field)?;
        let ticket = hex::encode(rand::random::<[u8; 32]>());
        reveals::keep(&mut tx, &ticket, &caller.name, id, &found.name()).await?;
        let mut entry = Entry::new(caller, "revealed")
            .dead_letter(id)
            // Not `prompt: …`: what follows such a name is hidden, here as anywhere. And not the person's words first: they
            // could hide which field it was.
            .reason(format!("{}, because: {reason}", plain(&found.path)));
        if let Some(operation) = messages::operation_of(&mut tx, id).await? {
            entry = entry.operation(&operation);
        }
        audit::append(&mut tx, entry).await?;
        tx.commit().await?;
        Ok(ticket)
    }

    /// The one look that a ticket is worth.
    ///
    /// # Errors
    /// `bad_id`, `role_required`, `not_found`.
    pub async fn revealed(&self, caller: &Caller, id: &str, ticket: &str) -> Answer<Revealed> {
        let id = dead_letter_id(id)?;
        require(caller, Permission::Reveal)?;
        let gone = || {
            DeskError::new(
                Code::NotFound,
                "This was shown already, took too long, or was never asked for. Ask again on the message's page.",
            )
        };
        if self.may_reveal(caller).is_err() {
            return Err(gone());
        }
        let field = reveals::take(&self.database, ticket, &caller.name, id)
            .await?
            .ok_or_else(gone)?;
        let mut tx = self.database.read().await?;
        let letter = dead_letters::peek(&mut tx, id)
            .await?
            .ok_or_else(no_such_dead_letter)?;
        fields(&letter)
            .into_iter()
            .find(|(one, _)| one.name() == field)
            .map(|(field, text)| Revealed { field, text })
            .ok_or_else(no_such_field)
    }
}

#[async_trait]
impl Reveals for OfficeDesk {
    async fn revealable(&self, id: &str) -> Answer<Vec<Field>> {
        self.office.revealable(self.signed_in()?, id).await
    }

    async fn reveal(&self, id: &str, field: &str, reason: &str) -> Answer<String> {
        self.office.reveal(self.signed_in()?, id, field, reason).await
    }

    async fn revealed(&self, id: &str, ticket: &str) -> Answer<Revealed> {
        self.office.revealed(self.signed_in()?, id, ticket).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::domain::redact::redact_text;

    #[test]
    fn no_path_takes_the_reason_away() {
        assert_eq!(plain("body.frames[0].caption"), "body.frames[0].caption");
        assert_eq!(plain("the error text"), "the error text");
        let deep = vec!["a_name"; 4000].join(".");
        for path in [
            deep.as_str(),
            "prompt=\"",
            "prompt: ",
            "x\nprompt: 'x",
            "password=",
            "Authorization:",
            "-----BEGIN PRIVATE KEY-----",
            "https://a.test/?key=",
            "a?token ",
            "bearer",
            "api_key",
        ] {
            let kept = redact_text(&format!("{}, because: The customer asks", plain(path)));
            assert!(kept.ends_with(", because: The customer asks"), "{path}: {kept}");
        }
        assert_eq!(plain(&deep).chars().count(), MAX_PATH + 1);
    }
}
