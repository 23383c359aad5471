//! Saved views: beside the filters of a list, one's own and those that others share; saving the filters of this page, and
//! deleting what is one's own.

use super::{ordered, query};
use crate::components::form::{ANCHOR, Returned, hidden, refused, send_back};
use crate::components::icon::icon;
use crate::components::text::{outside, person};
use crate::desk::{Code, Desk, MAX_VIEW_NAME, MAX_VIEWS, SavedView, ViewOrder, ViewedList};
use crate::domain::permission::Permission;
use crate::domain::role::Caller;
use crate::edge::Edge;
use crate::href::{self, Query};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

const FORM: &str = "view";

/// The filters that a view of this list may hold.
const fn names(list: ViewedList) -> &'static [(&'static str, &'static str)] {
    match list {
        ViewedList::DeadLetters => query::DEAD_LETTER_NAMES,
        ViewedList::Operations => query::OPERATION_NAMES,
    }
}

/// Saves the filters of the page under a name.
#[server(prefix = "/forms", endpoint = "views/save")]
pub async fn save_view(
    #[server(default)] list: String,
    #[server(default)] query: String,
    #[server(default)] name: String,
    #[server(default)] shared: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let list = list.parse().unwrap_or(ViewedList::DeadLetters);
    let filters = query::filters_only(&Query::parse(&query), names(list));
    let order = ViewOrder {
        name: name.trim().to_owned(),
        list,
        query: filters.to_text(),
        shared: !shared.is_empty(),
    };
    match desk.save_view(order).await {
        Ok(()) => edge
            .reply
            .redirect(&href::with(list.path(), &filters.and("done", "view_saved"))),
        Err(error) => send_back(&edge, list.path(), &filters, FORM, error.code, &[("name", &name)]),
    }
    Ok(())
}

/// Deletes one of the person's own views.
#[server(prefix = "/forms", endpoint = "views/delete")]
pub async fn delete_view(
    #[server(default)] list: String,
    #[server(default)] query: String,
    #[server(default)] view: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let list = list.parse().unwrap_or(ViewedList::DeadLetters);
    let filters = query::filters_only(&Query::parse(&query), names(list));
    match desk.delete_view(view.parse().unwrap_or_default()).await {
        Ok(gone) => {
            let done = if gone { "view_deleted" } else { "absent_view" };
            edge.reply
                .redirect(&href::with(list.path(), &filters.and("done", done)));
        }
        Err(error) => send_back(&edge, list.path(), &filters, FORM, error.code, &[]),
    }
    Ok(())
}

/// What stands beside a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    pub list: ViewedList,
    pub views: Vec<SavedView>,
    pub filters: Query,
    pub caller: Option<Caller>,
    pub returned: Option<Returned>,
}

impl Beside {
    /// Nothing is saved.
    pub const fn none(list: ViewedList) -> Self {
        Self {
            list,
            views: Vec::new(),
            filters: Query(Vec::new()),
            caller: None,
            returned: None,
        }
    }

    /// Reads the views of a list. Unreadable ones are none: the list itself says what is wrong.
    pub(super) async fn load(desk: &dyn Desk, edge: &Edge, list: ViewedList) -> Self {
        Self {
            list,
            views: desk.views(list).await.unwrap_or_default(),
            filters: query::filters_only(&edge.query, names(list)),
            caller: desk.caller(),
            returned: Returned::of(&edge.query),
        }
    }

    fn is_mine(&self, view: &SavedView) -> bool {
        self.caller
            .as_ref()
            .is_some_and(|caller| caller.name == view.owner)
    }
}

fn link(beside: &Beside, view: &SavedView) -> AnyView {
    let query = Query::parse(&view.query);
    let current = (query == beside.filters).then_some("true");
    let href = href::with(beside.list.path(), &query);
    let owner = (!beside.is_mine(view)).then(|| view! { " " <small>{person(&view.owner)}</small> });
    let shared = view
        .shared
        .then(|| view! { <span class="n" title="Shared with everybody">"shared"</span> });
    view! {
        <li><a href=href data-view=view.id.to_string() aria-current=current>
            {icon("stale")}<span>{outside(&view.name)}{owner}</span>{shared}</a></li>
    }
    .into_any()
}

/// Why it was not saved; what is asked for here is not what other forms ask for.
fn trouble(returned: Option<&Returned>) -> Option<AnyView> {
    let back = returned?;
    if back.code != Code::InvalidRequest {
        return refused(returned, FORM);
    }
    let words = format!(
        "A view has a name of at most {MAX_VIEW_NAME} characters, and one person has at most {MAX_VIEWS}."
    );
    Some(
        view! {
            <p class="notice" data-tone="refuse" role="alert" id=ANCHOR tabindex="-1" data-code=back.code.as_str()>{words}</p>
        }
        .into_any(),
    )
}

fn save_form(beside: &Beside) -> AnyView {
    let returned = beside.returned.as_ref().filter(|back| back.form == FORM);
    let may_share = beside
        .caller
        .as_ref()
        .is_some_and(|caller| caller.has(Permission::ShareView));
    let share = may_share.then(|| {
        view! {
            <label class="check"><input type="checkbox" name="shared" value="yes"/><span>"Share it with everybody"</span></label>
        }
    });
    view! {
        <form class="form" method="post" action=SaveView::PATH data-action="save-view">
            {trouble(returned)}
            {hidden("list", beside.list.as_str().to_owned())}
            {hidden("query", beside.filters.to_text())}
            <label class="field"><span>"Name for these filters"</span>
                <input name="name" required maxlength=MAX_VIEW_NAME.to_string() autocomplete="off"
                    value=Returned::typed(returned, "name")/></label>
            {share}
            <button class="btn" type="submit">"Save this view"</button>
        </form>
    }
    .into_any()
}

fn delete_form(beside: &Beside, view: &SavedView) -> AnyView {
    view! {
        <form method="post" action=DeleteView::PATH data-action="delete-view">
            {hidden("list", beside.list.as_str().to_owned())}
            {hidden("query", beside.filters.to_text())}
            {hidden("view", view.id.to_string())}
            <button class="linkish" type="submit">"Delete " {outside(&view.name)}</button>
        </form>
    }
    .into_any()
}

/// The views as a part of the list's rail; `None` while there is none and nothing to save.
pub(super) fn saved(beside: &Beside) -> Option<AnyView> {
    let filtered = !beside.filters.0.is_empty();
    if beside.views.is_empty() && !filtered {
        return None;
    }
    let links = beside
        .views
        .iter()
        .map(|view| link(beside, view))
        .collect::<Vec<_>>();
    let links = (!links.is_empty()).then(|| view! { <ul>{links}</ul> });
    let mine = beside
        .views
        .iter()
        .filter(|view| beside.is_mine(view))
        .map(|view| delete_form(beside, view))
        .collect::<Vec<_>>();
    let open = beside.returned.as_ref().is_some_and(|back| back.form == FORM);
    let save = if filtered {
        save_form(beside)
    } else {
        view! { <p class="dim">"Choose filters first; then they can be saved here."</p> }.into_any()
    };
    Some(
        view! {
            <h2>"Saved views"</h2>
            {links}
            <details class="views" open=open>
                <summary>"Save or delete a view"</summary>
                {save}
                {mine}
            </details>
        }
        .into_any(),
    )
}
