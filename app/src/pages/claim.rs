//! Who is looking at an operation: one line below its title, and the buttons that hand it over.

use super::ordered;
use super::query::way_back;
use crate::components::form::{Returned, hidden, refused, send_back};
use crate::components::icon::icon;
use crate::components::text::person;
use crate::components::time::{ago, moment, when};
use crate::desk::{Answer, ClaimView, NoteView};
use crate::domain::ids::OperationId;
use crate::domain::permission::Permission;
use crate::domain::role::Caller;
use crate::edge::Edge;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

pub(super) const FORM: &str = "claim";

/// Says that the person is looking at the operation.
#[server(prefix = "/forms", endpoint = "operations/claim")]
pub async fn claim_operation(
    #[server(default)] operation: String,
    #[server(default)] key: String,
    #[server(default)] back: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let answer = desk.claim(&OperationId::from(operation.as_str()), &key).await;
    outcome(&edge, &operation, &back, answer.map(|_| "claimed"));
    Ok(())
}

/// Ends the claim, whoever holds it.
#[server(prefix = "/forms", endpoint = "operations/release")]
pub async fn release_operation(
    #[server(default)] operation: String,
    #[server(default)] key: String,
    #[server(default)] back: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let answer = desk.release(&OperationId::from(operation.as_str()), &key).await;
    outcome(
        &edge,
        &operation,
        &back,
        answer.map(|held| if held { "released" } else { "unclaimed" }),
    );
    Ok(())
}

fn outcome(edge: &Edge, operation: &str, back: &str, answer: Answer<&'static str>) {
    let page = href::operation(operation);
    let query = Query::of(&[("back", &way_back(&Query::of(&[("back", back)])).to_text())]);
    match answer {
        Ok(done) => edge.reply.redirect(&href::with(&page, &query.and("done", done))),
        Err(error) => send_back(edge, &page, &query, FORM, error.code, &[]),
    }
}

/// What the line needs of its page.
pub(super) struct Context<'a> {
    pub now: DateTime<Utc>,
    pub operation: &'a OperationId,
    pub claim: Option<&'a ClaimView>,
    /// Oldest first; they stand further below, and are announced here.
    pub notes: &'a [NoteView],
    pub caller: Option<&'a Caller>,
    pub key: String,
    pub back: String,
    pub returned: Option<&'a Returned>,
}

impl Context<'_> {
    fn button(&self, path: &'static str, name: &'static str, words: String) -> AnyView {
        view! {
            <form method="post" action=path data-action=name>
                {hidden("operation", self.operation.to_string())}
                {hidden("key", format!("{}-{name}", self.key))}
                {hidden("back", self.back.clone())}
                <button class="btn mini" type="submit">{words}</button>
            </form>
        }
        .into_any()
    }
}

/// The line, with the buttons that this person may press.
pub(super) fn claim_line(context: &Context<'_>) -> AnyView {
    let caller = context.caller.filter(|caller| caller.has(Permission::Claim));
    let name = caller.map(|caller| caller.name.as_str());
    let (words, buttons) = match context.claim {
        None => (
            view! { <span class="dim">"Nobody has claimed this."</span> }.into_any(),
            caller
                .map(|_| context.button(ClaimOperation::PATH, "claim", "Claim it".to_owned()))
                .into_iter()
                .collect::<Vec<_>>(),
        ),
        Some(held) => {
            let mine = name == Some(held.by.as_str());
            let who = if mine { "you".into_any() } else { person(&held.by) };
            let words = view! {
                <span>"Claimed by " <b>{who}</b> ", since " {moment(context.now, held.since)} " ("
                    {when(held.since, ago(context.now, held.since))} "); ends by itself at " {moment(context.now, held.until)} "."</span>
            }
            .into_any();
            let mut buttons = Vec::new();
            if mine {
                buttons.push(context.button(ClaimOperation::PATH, "claim", "Stay 30 min more".to_owned()));
                buttons.push(context.button(ReleaseOperation::PATH, "release", "Release it".to_owned()));
            } else if caller.is_some() {
                let from = crate::domain::person::written(&held.by);
                buttons.push(context.button(ClaimOperation::PATH, "claim", format!("Take over from {from}")));
            }
            (words, buttons)
        }
    };
    let by = context.claim.map(|held| held.by.clone());
    let notes = context.notes.last().map(|last| {
        let count = i64::try_from(context.notes.len()).unwrap_or(i64::MAX);
        view! {
            <span><a href="#notes">{crate::components::words::count(count, "note", "notes")}</a> ", the last by " {person(&last.by)} ", "
                {when(last.at, ago(context.now, last.at))} "."</span>
        }
    });
    view! {
        {refused(context.returned, FORM)}
        <div class="claim" data-claimed-by=by>{icon("user")} {words} {buttons} {notes}</div>
    }
    .into_any()
}
