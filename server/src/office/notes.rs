//! Notes about an operation.

use super::desk::OfficeDesk;
use super::idempotent::check_key;
use super::order::{Begun, Order};
use super::{Failure, Office, require};
use crate::storage::idempotency::Claim;
use crate::storage::notes;
use app::desk::{Answer, Code, DeskError, MAX_NOTE, NoteView, Notes};
use app::domain::ids::OperationId;
use app::domain::permission::Permission;
use app::domain::redact::redact_text;
use app::domain::role::Caller;
use async_trait::async_trait;
use serde_json::json;

/// A note as it may be kept: trimmed, present, at most [`MAX_NOTE`] characters, redacted.
fn kept(text: &str) -> Answer<String> {
    let text = text.trim();
    let length = text.chars().count();
    if text.is_empty() {
        return Err(DeskError::new(Code::InvalidRequest, "A note says something."));
    }
    if length > MAX_NOTE {
        let detail = format!("The note has {length} characters; at most {MAX_NOTE} are kept.");
        return Err(DeskError::new(Code::InvalidRequest, detail));
    }
    if text.contains('\0') {
        return Err(DeskError::new(
            Code::InvalidRequest,
            "A note holds no NUL character.",
        ));
    }
    Ok(redact_text(&text.replace("\r\n", "\n")))
}

impl Office {
    /// Adds a note. It is no change of the record: the revision stays.
    ///
    /// # Errors
    /// `invalid_request`, `role_required`, `not_found`, `idempotency_conflict`.
    pub async fn write_note(
        &self,
        caller: &Caller,
        operation: &OperationId,
        text: &str,
        key: &str,
    ) -> Answer<NoteView> {
        let kept = kept(text)?;
        check_key(key)?;
        require(caller, Permission::Note)?;
        let route = format!("/operations/{operation}/notes");
        let claim = Claim::new(caller, &route, key, &json!({ "text": text }));
        crate::again!(self.write_note_once(caller, operation, &kept, &claim).await)
    }

    async fn write_note_once(
        &self,
        caller: &Caller,
        operation: &OperationId,
        text: &str,
        claim: &Claim,
    ) -> Result<NoteView, Failure> {
        let mut order = match Order::begin(&self.database, operation, claim).await? {
            Begun::Before(answer) => return Ok(answer),
            Begun::Now(order) => order,
        };
        let note = notes::add(&mut order.tx, operation, caller, text).await?;
        let entry = order.entry(caller, "note").reason(text);
        order.end(claim, Some(entry), note).await
    }
}

#[async_trait]
impl Notes for OfficeDesk {
    async fn write_note(&self, operation: &OperationId, text: &str, key: &str) -> Answer<NoteView> {
        self.office
            .write_note(self.signed_in()?, operation, text, key)
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_present_short_and_redacted() {
        assert!(kept("  \n ").is_err());
        assert!(kept(&"ö".repeat(MAX_NOTE + 1)).is_err());
        assert!(kept("a\0b").is_err());
        assert_eq!(
            kept(" one\r\ntwo ").map_err(|error| error.code),
            Ok("one\ntwo".to_owned())
        );
        let secret = kept("see Authorization: Bearer abcdefghijklmnopqrstuvwxyz").expect("a note");
        assert!(!secret.contains("abcdefghijklmnop"), "{secret}");
    }
}
