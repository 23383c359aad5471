//! `/dead-letters/{id}/purge`: the question before a dead letter is deleted for ever, and its server function.

use super::error::Problem;
use super::query::way_back;
use super::{Page, Wanted, ordered};
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{
    Returned, hidden, is_invalid, reason, reason_field, refused, send_back, text_field,
};
use crate::components::frame::Section;
use crate::components::icon::icon;
use crate::components::live::{self, Events};
use crate::components::notice::caution;
use crate::components::text::{outside, short, tail};
use crate::components::time::exact;
use crate::desk::view::DeadLetterView;
use crate::desk::{LetterFound, PageRequest, RecoveryFilter, Topic};
use crate::domain::ids::OperationId;
use crate::domain::label::Label;
use crate::domain::permission::Permission;
use crate::domain::recovery::Recovery;
use crate::domain::role::Caller;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

const FORM: &str = "purge";

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    /// Canonical.
    pub id: String,
    pub letter: LetterFound,
    /// A recovery of its operation that is under way: the purge is refused until it ends.
    pub active: Option<Recovery>,
    pub caller: Option<Caller>,
    pub key: String,
    pub back: Query,
    pub returned: Option<Returned>,
    pub events: Events,
}

/// Deletes the message, finally.
#[server(prefix = "/forms", endpoint = "dead-letters/purge")]
pub async fn purge_message(
    #[server(default)] id: String,
    #[server(default)] confirm: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
    #[server(default)] back: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async {
        desk.purge(&id, self::reason(&reason)?, confirm.trim(), &key)
            .await
    }
    .await;
    match result {
        Ok(purged) => {
            let said = if purged { "purged" } else { "absent" };
            let list = way_back(&Query::of(&[("back", &back)])).and("done", said);
            edge.reply.redirect(&href::with(href::DEAD_LETTERS, &list));
        }
        Err(error) => {
            let typed = [("reason", reason.as_str()), ("confirm", confirm.as_str())];
            send_back(
                &edge,
                &href::purge(&id),
                &Query::of(&[("back", &back)]),
                FORM,
                error.code,
                &typed,
            );
        }
    }
    Ok(())
}

/// What goes, in a sentence.
fn about(letter: &DeadLetterView) -> AnyView {
    let operation = match (&letter.operation_id, letter.label) {
        (Some(id), label) if label != Label::NoOperationRecord => {
            view! { ". Operation " <a class="m" href=href::operation(id.as_str())>{outside(id.as_str())}</a> " stays, and so do its record and its plan." }
                .into_any()
        }
        (Some(_) | None, _) => view! { ". It belongs to no operation that is on record here." }.into_any(),
    };
    view! {
        <p>"It is a " <span class="m">{outside(&letter.job_name)}</span> " of the queue "
            <span class="m">{outside(&letter.queue)}</span> ", dead since " {exact(letter.moved_to_dead_letter_at)} {operation}</p>
    }
    .into_any()
}

/// What the question was asked about: the message as it stood, and whether anything kept it from being purged.
fn holds(model: &Model) -> String {
    let active = model.active.as_ref().map(|one| one.id.to_string());
    let letter = match &model.letter {
        LetterFound::Readable(letter) => format!(
            "{} {} {} {}",
            letter.disposition.as_str(),
            letter.label.as_str(),
            letter.resurrection_count,
            letter.operation_id.as_ref().map_or("", OperationId::as_str),
        ),
        LetterFound::Unreadable(_) => "unreadable".to_owned(),
    };
    format!("{letter} {}", active.unwrap_or_default())
}

pub fn view(model: Model) -> AnyView {
    let id = model.id.clone();
    let returned = model.returned.as_ref();
    let may = model
        .caller
        .as_ref()
        .is_some_and(|caller| caller.has(Permission::Purge));
    let held = model.active.is_some();
    let words = match (may, held) {
        (false, _) => "Purging needs the approver role".to_owned(),
        (true, true) => "Blocked: a recovery of its operation is under way".to_owned(),
        (true, false) => format!("Purge message {}", short(&id)),
    };
    let cancel = href::with(
        &href::dead_letter(&id),
        &Query::of(&[("back", &model.back.to_text())]),
    );
    let active = model.active.as_ref().map(|recovery| {
        let id = recovery.id.to_string();
        caution(
            "A recovery of its operation is under way.",
            view! { "The message is its evidence: let recovery "
                <a class="m" href=href::recovery(&id) title=id.clone()>{tail(&id)}</a> " end, or cancel it, first." }
            .into_any(),
        )
    });
    let about = match &model.letter {
        LetterFound::Readable(letter) => about(letter),
        LetterFound::Unreadable(letter) => view! { <p>{outside(&letter.detail)}</p> }.into_any(),
    };
    let label = view! { "Type " <code>{id.clone()}</code> " to confirm" }.into_any();
    view! {
        <main id="main" class="page" data-message=id.clone() data-purge="" data-holds=holds(&model)>
            {live::strip(Some(crumbs(vec![
                Crumb::desk(&model.back),
                Crumb::link(format!("message {}", short(&id)), cancel.clone()),
                Crumb::here("purge"),
            ])), model.now, &model.events)}
            {live::news()}
            <div class="title"><h1>"Purge message " <span class="m">{short(&id)}</span> "?"</h1></div>
            {refused(returned, FORM)}
            {active}
            <form class="plan" data-tone="destroy" method="post" action=PurgeMessage::PATH data-action=FORM aria-label="Purge">
                <div class="effect">
                    {icon("remote-failed")}
                    <div>
                        <p>"Deletes this dead letter for ever." <br/> "It cannot be replayed or read again."</p>
                        <span>"Its arguments and its error text are lost. What it knew (operation, job id, action, attempts, error category) is kept as evidence, and the audit says who purged it and why. No job is touched."</span>
                    </div>
                    <a class="btn" href=cancel.clone() autofocus>"Cancel"</a>
                </div>
                <div class="cols">
                    {about}
                    {hidden("id", id.clone())}
                    {hidden("key", model.key.clone())}
                    {hidden("back", model.back.to_text())}
                    {reason_field(Returned::typed(returned, "reason"), is_invalid(returned))}
                    {text_field("confirm", label, "", Returned::typed(returned, "confirm"), true)}
                </div>
                <div class="acts">
                    <a class="btn" href=cancel>"Cancel"</a>
                    <button class="btn" data-tone="destroy" type="submit" disabled=!may || held>{words}</button>
                </div>
            </form>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let asked = edge.segment(1);
    // Of the desk: the message, its operation and a recovery of it may all change the answer.
    let events = live::events(desk.as_ref(), &Topic::Desk).await;
    let letter = desk
        .dead_letter(&asked)
        .await
        .map_err(Problem::about("message", &asked))?;
    let (id, operation) = match &letter {
        LetterFound::Readable(letter) => (letter.id.to_string(), letter.operation_id.clone()),
        LetterFound::Unreadable(letter) => (letter.what.id.clone(), None),
    };
    let active = match operation {
        // Not by the record: the page shows nothing else of it, and so is no look at it.
        Some(operation) => {
            let of_it = RecoveryFilter {
                only_active: true,
                operation: Some(operation.to_string()),
                ..RecoveryFilter::default()
            };
            let found = desk
                .recoveries(
                    &of_it,
                    &PageRequest {
                        cursor: None,
                        limit: 1,
                    },
                )
                .await?;
            found.items.into_iter().next()
        }
        None => None,
    };
    let model = Model {
        now: desk.now(),
        id: id.clone(),
        letter,
        active,
        caller: desk.caller(),
        key: edge.key(FORM),
        back: way_back(&edge.query),
        returned: Returned::of(&edge.query),
        events,
    };
    Ok(Page {
        title: format!("Purge message {}", short(&id)),
        section: Section::DeadLetters,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    use super::samples;
    let letter = samples::dead_letters(now).remove(0);
    let make = |letter: LetterFound, id: String, active: Option<Recovery>, query: &str| {
        let query = Query::parse(query);
        Model {
            now,
            id,
            letter,
            active,
            caller: Some(samples::caller()),
            key: "k-purge".to_owned(),
            back: way_back(&query),
            returned: Returned::of(&query),
            events: Some(Topic::Desk.events(Some("m1"))),
        }
    };
    let id = letter.id.to_string();
    let broken = samples::unreadable_letter();
    let refused =
        "refused=confirm_mismatch&form=purge&typed.reason=spam&typed.confirm=8d02&back=label%3Dclosed";
    vec![
        (
            "purge",
            make(
                LetterFound::Readable(Box::new(letter.clone())),
                id.clone(),
                None,
                refused,
            ),
        ),
        (
            "purge-held",
            make(
                LetterFound::Readable(Box::new(letter)),
                id,
                samples::recoveries(now)
                    .into_iter()
                    .find(|one| one.state.is_active()),
                "",
            ),
        ),
        (
            "purge-unreadable",
            make(LetterFound::Unreadable(broken.clone()), broken.what.id, None, ""),
        ),
    ]
}
