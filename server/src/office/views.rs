//! Saved views of the lists.

use super::desk::OfficeDesk;
use super::kept::Moment;
use super::{Office, require};
use crate::storage::views;
use app::desk::{Answer, Code, DeskError, MAX_VIEW_NAME, MAX_VIEWS, SavedView, ViewOrder, ViewedList, Views};
use app::domain::permission::Permission;
use app::domain::role::Caller;
use async_trait::async_trait;

/// The longest query that is saved, in bytes.
const MAX_QUERY: usize = 2000;

impl Office {
    /// The caller's own views of this list, then what others share.
    ///
    /// # Errors
    /// `role_required`, `unavailable`.
    pub async fn views(&self, moment: &Moment, caller: &Caller, list: ViewedList) -> Answer<Vec<SavedView>> {
        require(caller, Permission::Read)?;
        let asked = (caller.name.clone(), list);
        let read = views::list(&self.database, &caller.name, list);
        let kept = self.saved.answer(moment, &self.database, asked, read);
        Ok(Vec::clone(&*kept.await?))
    }

    /// Saves a view for the caller; sharing asks for the approver role.
    ///
    /// # Errors
    /// `invalid_request`, `role_required`, `unavailable`.
    pub async fn save_view(&self, caller: &Caller, order: &ViewOrder) -> Answer<()> {
        let invalid = |detail: String| Err(DeskError::new(Code::InvalidRequest, detail));
        let length = order.name.chars().count();
        if order.name.trim().is_empty() || length > MAX_VIEW_NAME || order.name.chars().any(char::is_control)
        {
            return invalid(format!("A view's name has 1 to {MAX_VIEW_NAME} characters."));
        }
        if order.query.is_empty() || order.query.len() > MAX_QUERY {
            return invalid("A view holds at least one filter, and not too many.".to_owned());
        }
        require(
            caller,
            if order.shared {
                Permission::ShareView
            } else {
                Permission::Prefer
            },
        )?;
        if views::count(&self.database, &caller.name).await? >= MAX_VIEWS {
            return invalid(format!("You have {MAX_VIEWS} views. Delete one to save another."));
        }
        Ok(views::save(&self.database, caller, order).await?)
    }

    /// Deletes one of the caller's own.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn delete_view(&self, caller: &Caller, id: i64) -> Answer<bool> {
        Ok(views::delete(&self.database, caller, id).await?)
    }
}

#[async_trait]
impl Views for OfficeDesk {
    async fn views(&self, list: ViewedList) -> Answer<Vec<SavedView>> {
        self.office.views(&self.moment, self.signed_in()?, list).await
    }

    async fn save_view(&self, order: ViewOrder) -> Answer<()> {
        self.office.save_view(self.signed_in()?, &order).await
    }

    async fn delete_view(&self, id: i64) -> Answer<bool> {
        self.office.delete_view(self.signed_in()?, id).await
    }
}
