//! Saved views: filters that a person gave a name, their own or shared with everybody.

use super::Answer;
use crate::href;
use async_trait::async_trait;

/// The longest name of a view, in characters.
pub const MAX_VIEW_NAME: usize = 60;
/// The most views of one person.
pub const MAX_VIEWS: i64 = 50;

crate::slugs! {
    /// The lists that have saved views.
    pub enum ViewedList ("list") {
        DeadLetters => "dead-letters",
        Operations => "operations",
    }
}

impl ViewedList {
    /// The list's page.
    pub const fn path(self) -> &'static str {
        match self {
            Self::DeadLetters => href::DEAD_LETTERS,
            Self::Operations => href::OPERATIONS,
        }
    }
}

/// A view to be saved. The query holds filters of its list and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewOrder {
    /// 1 to [`MAX_VIEW_NAME`] characters.
    pub name: String,
    pub list: ViewedList,
    pub query: String,
    /// Seen by everybody (approver).
    pub shared: bool,
}

/// A saved view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    pub id: i64,
    pub owner: String,
    pub name: String,
    pub list: ViewedList,
    pub query: String,
    pub shared: bool,
}

/// What may be asked and ordered about saved views.
#[async_trait]
pub trait Views: Send + Sync {
    /// The caller's own on this list, then what others share.
    async fn views(&self, list: ViewedList) -> Answer<Vec<SavedView>>;
    /// Saves one; one of the same name of the same person is replaced.
    ///
    /// # Errors
    /// `invalid_request` without a name, or when there are too many; `role_required` to share.
    async fn save_view(&self, order: ViewOrder) -> Answer<()>;
    /// Deletes one's own; `false` when it is not there.
    async fn delete_view(&self, id: i64) -> Answer<bool>;
}
