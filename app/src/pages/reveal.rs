//! `/dead-letters/{id}/revealed`: one hidden field, once; and the forms on the message's page that ask for it. The value is
//! on this page alone: it is no live region, it is not kept, and loading it again shows nothing.

use super::error::Problem;
use super::message::Model as Message;
use super::{Page, Wanted, ordered};
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{Returned, hidden, is_invalid, reason, reason_field, refused, send_back};
use crate::components::frame::Section;
use crate::components::text::{outside, short};
use crate::desk::Revealed;
use crate::domain::redact::reveal::Field;
use crate::href::{self, Query};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

const FORM: &str = "reveal";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The message's.
    pub id: String,
    pub revealed: Revealed,
}

/// Says why, and goes to the one look.
#[server(prefix = "/forms", endpoint = "dead-letters/reveal")]
pub async fn reveal_field(
    #[server(default)] id: String,
    #[server(default)] field: String,
    #[server(default)] reason: String,
    #[server(default)] back: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let ticket = async { desk.reveal(&id, &field, self::reason(&reason)?).await }.await;
    match ticket {
        Ok(ticket) => {
            let query = Query::of(&[("ticket", &ticket)]);
            edge.reply.redirect(&href::with(&href::revealed(&id), &query));
        }
        Err(error) => send_back(
            &edge,
            &href::dead_letter(&id),
            &Query::of(&[("back", &back)]),
            FORM,
            error.code,
            &[("reason", &reason), ("field", &field)],
        ),
    }
    Ok(())
}

fn form(message: &Message, field: &Field) -> AnyView {
    let id = message.letter.id.to_string();
    let name = field.name();
    let returned = message.returned.as_ref().filter(|back| back.form == FORM);
    let returned = returned.filter(|back| Returned::typed(Some(back), "field") == name);
    view! {
        <details open=returned.is_some() data-field=name.clone()>
            <summary>"Show " <b>{outside(&field.path)}</b></summary>
            <form method="post" action=RevealField::PATH data-action=FORM>
                {refused(returned, FORM)}
                <p>"You see this one value, once. The audit keeps that you did, and why. Keys and tokens stay hidden."</p>
                {hidden("id", id)}
                {hidden("field", field.name())}
                {hidden("back", message.back.to_text())}
                {reason_field(Returned::typed(returned, "reason"), is_invalid(returned))}
                <div class="acts"><button class="btn" type="submit">"Show this value"</button></div>
            </form>
        </details>
    }
    .into_any()
}

/// The forms that ask for hidden fields; nothing where none may be shown.
pub(super) fn forms(message: &Message) -> Option<AnyView> {
    if message.revealable.is_empty() {
        return None;
    }
    let forms: Vec<AnyView> = message
        .revealable
        .iter()
        .map(|field| form(message, field))
        .collect();
    let block = view! { <section class="block decisions"><h2>"Hidden values"</h2>{forms}</section> };
    Some(block.into_any())
}

pub fn view(model: Model) -> AnyView {
    let id = model.id.clone();
    view! {
        <main id="main" class="page" data-message=id.clone() data-revealed=model.revealed.field.name()>
            {crumbs(vec![
                Crumb::link("Dead letters", href::DEAD_LETTERS.to_owned()),
                Crumb::link(format!("message {}", short(&id)), href::dead_letter(&id)),
                Crumb::here("revealed"),
            ])}
            <div class="title"><h1>"Revealed: " {outside(&model.revealed.field.path)}</h1></div>
            <p>"This page shows it once: loading it again shows nothing. Keys and tokens in it stay hidden."</p>
            <pre tabindex="0" role="region" aria-label="The revealed value">{outside(&model.revealed.text)}</pre>
            <p><a class="btn" href=href::dead_letter(&id)>"Back to message " {short(&id)}</a></p>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let id = edge.segment(1);
    let ticket = edge.query.get("ticket").unwrap_or_default();
    let revealed = desk
        .revealed(&id, ticket)
        .await
        .map_err(Problem::about("value", "to be shown here"))?;
    Ok(Page {
        title: format!("Hidden value of message {}", short(&id)),
        section: Section::DeadLetters,
        status: 200,
        body: view(Model { id, revealed }),
    })
}

#[cfg(test)]
pub fn samples() -> Vec<(&'static str, Model)> {
    let field = Field {
        number: Some(3),
        path: "body.prompt".to_owned(),
    };
    vec![(
        "revealed",
        Model {
            id: "00000000-0000-4000-8000-000000000007".to_owned(),
            revealed: Revealed {
                field,
                text: "a red fox <b>at dusk</b>, in the rain".to_owned(),
            },
        },
    )]
}
