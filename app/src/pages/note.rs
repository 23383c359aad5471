//! Notes on the operation's page: what people wrote, and the form to write one.

use super::ordered;
use super::query::way_back;
use crate::components::form::{Returned, hidden, is_invalid, refused, send_back};
use crate::components::text::{outside, person};
use crate::components::time::{ago, moment};
use crate::desk::{MAX_NOTE, NoteView};
use crate::domain::ids::OperationId;
use crate::domain::permission::Permission;
use crate::domain::role::Caller;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

pub(super) const FORM: &str = "note";

/// Writes a note on an operation.
#[server(prefix = "/forms", endpoint = "operations/note")]
pub async fn write_note(
    #[server(default)] operation: String,
    #[server(default)] text: String,
    #[server(default)] key: String,
    #[server(default)] back: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let page = href::operation(&operation);
    let query = Query::of(&[("back", &way_back(&Query::of(&[("back", &back)])).to_text())]);
    let target = OperationId::from(operation.as_str());
    match desk.write_note(&target, &text, &key).await {
        Ok(_) => {
            let path = href::with(&page, &query.and("done", "noted"));
            edge.reply.redirect(&format!("{path}#notes"));
        }
        Err(error) => send_back(&edge, &page, &query, FORM, error.code, &[("text", &text)]),
    }
    Ok(())
}

/// What the section needs of its page.
pub(super) struct Context<'a> {
    pub now: DateTime<Utc>,
    pub operation: &'a OperationId,
    pub notes: &'a [NoteView],
    pub caller: Option<&'a Caller>,
    pub key: String,
    pub back: String,
    pub returned: Option<&'a Returned>,
}

fn one(note: &NoteView, now: DateTime<Utc>) -> AnyView {
    view! {
        <li data-note="">
            <p class="by"><b>{person(&note.by)}</b> " " <span class="dim">{note.role.as_str()} ", " {moment(now, note.at)}
                ", " {ago(now, note.at)}</span></p>
            <p class="said">{outside(&note.text)}</p>
        </li>
    }
    .into_any()
}

fn form(context: &Context<'_>) -> AnyView {
    let returned = context.returned.filter(|back| back.form == FORM);
    view! {
        <form class="form" method="post" action=WriteNote::PATH data-action="note">
            {refused(returned, FORM)}
            {hidden("operation", context.operation.to_string())}
            {hidden("key", context.key.clone())}
            {hidden("back", context.back.clone())}
            <label class="field">
                <span>"A note for whoever comes next"</span>
                <textarea name="text" rows="2" required maxlength=MAX_NOTE.to_string()
                    aria-invalid=is_invalid(returned).then_some("true")>{Returned::typed(returned, "text")}</textarea>
                <small>"Plain text, at most 2,000 characters, kept with your name. Keys and tokens in it are hidden."</small>
            </label>
            <div class="acts"><button class="btn" type="submit">"Write the note"</button></div>
        </form>
    }
    .into_any()
}

/// The notes, oldest first, and the form where this person may write.
pub(super) fn notes(context: &Context<'_>) -> AnyView {
    let may = context.caller.is_some_and(|caller| caller.has(Permission::Note));
    let list = if context.notes.is_empty() {
        view! { <p class="dim">"Nobody has written anything yet."</p> }.into_any()
    } else {
        let items = context
            .notes
            .iter()
            .map(|note| one(note, context.now))
            .collect::<Vec<_>>();
        view! { <ol class="notes">{items}</ol> }.into_any()
    };
    let form = if may {
        form(context)
    } else {
        view! { <p class="dim">"Writing a note needs the operator role."</p> }.into_any()
    };
    view! {
        <section class="block" id="notes"><h2>"Notes" <small>"oldest first"</small></h2>{list}{form}</section>
    }
    .into_any()
}
