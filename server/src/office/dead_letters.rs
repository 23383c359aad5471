//! Dead letters as a caller reads them.

use super::kept::{Kept, Moment};
use super::{Office, require};
use crate::storage::dead_letters::{self, Cursor, Lead};
use app::desk::filter::MAX_LIMIT;
use app::desk::{Code, DeadLetterFilter, DeadLetterRow, DeskError, LetterFound, PageOf, PageRequest};
use app::domain::ids::DeadLetterId;
use app::domain::permission::Permission;
use app::domain::role::Caller;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Pages of the list, by filter, place and length.
pub(super) type Lists = Kept<(DeadLetterFilter, PageRequest), PageOf<DeadLetterRow>>;

/// Pages that are kept.
pub(super) const LISTS: usize = 32;
/// Pages with longer texts than this, in bytes, are read each time.
const MAX_TEXTS: usize = 256 * 1024;

/// Whether a page is small enough to be kept.
fn is_small(rows: &[DeadLetterRow]) -> bool {
    let mut left = MAX_TEXTS;
    rows.iter().all(|row| match row {
        DeadLetterRow::Readable(letter) => {
            let text = letter.error_text.as_ref().map_or(0, String::len);
            left.checked_sub(text)
                .and_then(|left| fits(&letter.args, left))
                .and_then(|left| fits(&letter.tags, left))
                .map(|rest| left = rest)
                .is_some()
        }
        DeadLetterRow::Unreadable(_) => true,
    })
}

/// What is left of the room after this value.
fn fits(value: &Value, left: usize) -> Option<usize> {
    let left = left.checked_sub(size_of::<Value>())?;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(left),
        Value::String(text) => left.checked_sub(text.len()),
        Value::Array(items) => items.iter().try_fold(left, |left, item| fits(item, left)),
        Value::Object(fields) => fields.iter().try_fold(left, |left, (name, item)| {
            left.checked_sub(name.len()).and_then(|left| fits(item, left))
        }),
    }
}

/// The id of a dead letter in any spelling of a UUID.
///
/// # Errors
/// `bad_id` for what is none.
pub fn dead_letter_id(text: &str) -> Result<DeadLetterId, DeskError> {
    DeadLetterId::parse(text)
        .ok_or_else(|| DeskError::new(Code::BadId, "This is not the id of a dead letter: it is no UUID."))
}

/// The refusal of an id that names nothing here.
pub fn no_such_dead_letter() -> DeskError {
    DeskError::new(Code::NotFound, "There is no dead letter of that id.")
}

/// Refuses a range that ends before it begins.
pub(super) fn check_range(filter: &DeadLetterFilter) -> Result<(), DeskError> {
    match (filter.from, filter.to) {
        (Some(from), Some(to)) if from > to => Err(DeskError::new(
            Code::InvalidRequest,
            "The range ends before it begins.",
        )),
        (Some(_) | None, Some(_) | None) => Ok(()),
    }
}

impl Office {
    /// The dead letters, newest first. A row that cannot be read stands in its place.
    pub async fn dead_letters(
        &self,
        caller: &Caller,
        filter: &DeadLetterFilter,
        page: &PageRequest,
    ) -> Result<Arc<PageOf<DeadLetterRow>>, DeskError> {
        self.dead_letters_at(&Moment::current(), caller, filter, page)
            .await
    }

    /// As [`Self::dead_letters`], for a reader who has asked for the state already.
    pub(super) async fn dead_letters_at(
        &self,
        moment: &Moment,
        caller: &Caller,
        filter: &DeadLetterFilter,
        page: &PageRequest,
    ) -> Result<Arc<PageOf<DeadLetterRow>>, DeskError> {
        check_range(filter)?;
        let not_ours = || {
            DeskError::new(
                Code::InvalidRequest,
                "The cursor is not one that this list gave out.",
            )
        };
        let after = page
            .cursor
            .as_deref()
            .map(|text| Cursor::decode(text).ok_or_else(not_ours))
            .transpose()?;
        require(caller, Permission::Read)?;
        let limit = page.limit.clamp(1, MAX_LIMIT);
        let is_large = AtomicBool::new(false);
        let read = async {
            match Lead::of(filter) {
                // What only the projection knows must be projected first.
                Lead::Messages => self.catch_up().await,
                Lead::Dead => {}
            }
            let mut tx = self.database.read().await?;
            let messages = &self.config.messages;
            let listed =
                dead_letters::list(&mut tx, messages, &self.redactor, filter, after.as_ref(), limit).await?;
            is_large.store(!is_small(&listed.rows), Ordering::Relaxed);
            Ok::<_, DeskError>(PageOf {
                items: listed.rows,
                next_cursor: listed.next.map(|place| place.encode()),
            })
        };
        let asked = (filter.clone(), page.clone());
        let found = self
            .lists
            .answer(moment, &self.database, asked.clone(), read)
            .await?;
        if is_large.into_inner() {
            self.lists.forget(&asked);
        }
        Ok(found)
    }

    /// One dead letter with its lineage and the warnings before a replay; an impossible row with what is readable of it.
    ///
    /// # Errors
    /// `bad_id`, `role_required`, `not_found`.
    pub async fn dead_letter(&self, caller: &Caller, id: &str) -> Result<LetterFound, DeskError> {
        let id = dead_letter_id(id)?;
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        let found = dead_letters::get(&mut tx, &self.config.messages, &self.redactor, id).await?;
        found.ok_or_else(no_such_dead_letter)
    }
}
