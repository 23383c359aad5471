//! `/dead-letters/{id}`: one message that a consumer gave up on, as it came, redacted; and what can be done with it alone.

use super::error::Problem;
use super::lineage::{came_from, lineage};
use super::message_forms::forms;
use super::query::way_back;
use super::{Page, Wanted};
use super::{reveal, unreadable};
use crate::components::badge::{effect_tag, label_and_flag};
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{Returned, finished};
use crate::components::frame::Section;
use crate::components::live::{self, Events};
use crate::components::meta::{meta, mono};
use crate::components::notice::done;
use crate::components::text::{ABSENT, absent, outside, short};
use crate::components::time::{ago, exact, when};
use crate::components::words;
use crate::desk::view::DeadLetterView;
use crate::desk::{LetterFound, Topic};
use crate::domain::label::Label;
use crate::domain::redact::reveal::Field;
use crate::domain::role::Caller;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub letter: DeadLetterView,
    pub caller: Option<Caller>,
    /// Each form adds its name.
    pub key: String,
    /// The filters of the list that led here.
    pub back: Query,
    pub returned: Option<Returned>,
    pub done: Option<String>,
    pub events: Events,
    /// Hidden fields that the reader may ask for.
    pub revealable: Vec<Field>,
}

/// The way to the operation's plan, which decides; a message never does.
fn plan_line(model: &Model) -> AnyView {
    let letter = &model.letter;
    match (&letter.operation_id, letter.next_action, letter.effect) {
        (Some(id), Some(action), Some(effect)) => {
            let query = Query::of(&[
                ("message", &letter.id.to_string()),
                ("back", &model.back.to_text()),
            ]);
            let review = href::with(&href::review(id.as_str()), &query);
            view! {
                <dl class="known">
                    <dt>"Next"</dt>
                    <dd>
                        <strong>{words::action(action)}</strong> " " {effect_tag(effect)} " "
                        <a href=review data-review="">"Review it"</a>
                        ". The operation’s record decides, not this message."
                    </dd>
                </dl>
            }
            .into_any()
        }
        _ => view! {
            <dl class="known">
                <dt>"Known"</dt>
                <dd>"This message names no operation that is on record here, so there is no plan for it."</dd>
            </dl>
        }
        .into_any(),
    }
}

fn pretty(value: &serde_json::Value) -> AnyView {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    view! { <pre tabindex="0" role="region" aria-label="Arguments, redacted">{outside(&text)}</pre> }
        .into_any()
}

/// Error, arguments and tags of a message, as they came, redacted; also for the operation's page.
pub(super) fn content(letter: &DeadLetterView) -> AnyView {
    let error = letter.error_text.as_deref().map(|text| {
        view! { <h3>"Last error"</h3> <pre tabindex="0" role="region" aria-label="Last error, redacted">{outside(text)}</pre> }
    });
    let hidden = (letter.hidden_values > 0).then(|| {
        let words = words::count(i64::from(letter.hidden_values), "value hidden", "values hidden");
        view! { <p class="dim">{words}</p> }
    });
    let tags = (!letter.tags.is_null()).then(|| view! { <h3>"Tags"</h3> {pretty(&letter.tags)} });
    view! { {error} <h3>"Arguments"</h3> {pretty(&letter.args)} {hidden} {tags} }.into_any()
}

pub fn view(model: Model) -> AnyView {
    let letter = &model.letter;
    let now = model.now;
    let id = letter.id.to_string();
    let on_record = letter.label != Label::NoOperationRecord;
    let operation = match &letter.operation_id {
        Some(id) if on_record => {
            view! { <a class="m" href=href::operation(id.as_str())>{outside(id.as_str())}</a> }.into_any()
        }
        Some(id) => view! { <span class="m">{outside(id.as_str())}</span> " (not on record)" }.into_any(),
        None => absent(),
    };
    let mut facts = vec![
        ("Operation", operation),
        ("Job name", mono(Some(&letter.job_name))),
        ("Queue", mono(Some(&letter.queue))),
        ("Priority", letter.priority.into_any()),
        ("Died of", outside(&letter.reason.replace('_', " "))),
        (
            "Attempts",
            format!("{} of {}", letter.attempts, letter.max_attempts).into_any(),
        ),
        (
            "Error",
            mono(letter.error_category.map(|category| category.as_str())),
        ),
        (
            "It wanted to",
            letter.action.map_or(ABSENT, words::action).into_any(),
        ),
        (
            "It knew job",
            mono(letter.job_id.as_ref().map(|job| job.as_str())),
        ),
        (
            "Created",
            when(letter.original_created_at, ago(now, letter.original_created_at)).into_any(),
        ),
        (
            "Dead since",
            when(
                letter.moved_to_dead_letter_at,
                ago(now, letter.moved_to_dead_letter_at),
            )
            .into_any(),
        ),
        ("Replayed", replays(letter, now).into_any()),
        ("Disposition", letter.disposition.as_str().into_any()),
    ];
    let before = letter
        .lineage
        .as_ref()
        .and_then(|lineage| lineage.came_from.as_ref());
    if before.is_some() {
        facts.push(("Itself a replay of", came_from(before, now)));
    }
    view! {
        <main id="main" class="page" data-live="main" data-say=letter.label.words() data-message=id.clone() data-label=letter.label.as_str()>
            {live::strip(Some(crumbs(vec![
                Crumb::desk(&model.back),
                Crumb::here(format!("message {}", short(&id))),
            ])), now, &model.events)}
            {model.done.clone().map(done)}
            <div class="title">
                <h1>"Message " <span class="m">{short(&id)}</span></h1>
                {label_and_flag(letter.label, letter.refund_unresolved)}
            </div>
            <div class="spread">
                {meta(facts)}
                <div>
                    {plan_line(&model)}
                    {lineage(letter, now)}
                    <section class="block"><h2>"As it came" <small>"redacted"</small></h2>{content(letter)}</section>
                </div>
                <div>
                    {reveal::forms(&model)}
                    {forms(&model)}
                    <p class="dim">"Message " <span class="m">{id.clone()}</span> ", died " {exact(letter.moved_to_dead_letter_at)}</p>
                </div>
            </div>
        </main>
    }
    .into_any()
}

fn replays(letter: &DeadLetterView, now: DateTime<Utc>) -> String {
    let times = words::count(letter.resurrection_count, "time", "times");
    match letter.last_resurrection_at {
        Some(at) if letter.resurrection_count > 0 => {
            format!("{times}, {} by us, last {}", letter.replays, ago(now, at))
        }
        Some(_) | None => times,
    }
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let id = edge.segment(1);
    let events = live::events(desk.as_ref(), &Topic::Desk).await;
    let letter = desk
        .dead_letter(&id)
        .await
        .map_err(Problem::about("message", &id))?;
    let letter = match letter {
        LetterFound::Readable(letter) => *letter,
        LetterFound::Unreadable(letter) => {
            let title = format!("Message {}", short(&id));
            let back = way_back(&edge.query);
            return Ok(Page {
                title,
                section: Section::DeadLetters,
                status: 200,
                body: unreadable::view(unreadable::Model { letter, back }).into_any(),
            });
        }
    };
    let model = Model {
        now: desk.now(),
        letter,
        caller: desk.caller(),
        key: edge.key("message"),
        back: way_back(&edge.query),
        returned: Returned::of(&edge.query),
        done: finished(&edge.query),
        events,
        revealable: desk.revealable(&id).await?,
    };
    let title = format!("Message {}: {}", short(&id), model.letter.label.words());
    Ok(Page {
        title,
        section: Section::DeadLetters,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let letters = super::samples::dead_letters(now);
    let make = |letter: Option<&DeadLetterView>, query: &str| {
        let query = Query::parse(query);
        letter.map(|letter| Model {
            now,
            letter: letter.clone(),
            caller: Some(super::samples::caller()),
            key: "k".to_owned(),
            back: way_back(&query),
            returned: Returned::of(&query),
            done: finished(&query),
            events: None,
            revealable: Vec::new(),
        })
    };
    let alone = letters
        .iter()
        .find(|letter| letter.label == Label::NoOperationRecord);
    let refused = "refused=not_found&form=replay&typed.reason=again&back=label%3Dclosed";
    let warned = alone.map(|letter| DeadLetterView {
        lineage: Some(super::samples::lineage(letter.moved_to_dead_letter_at)),
        warnings: Some(super::samples::warnings()),
        ..letter.clone()
    });
    let revealable = make(
        letters.first(),
        "refused=invalid_request&form=reveal&typed.field=args.1",
    )
    .map(|model| Model {
        revealable: vec![
            Field {
                number: None,
                path: "the error text".to_owned(),
            },
            Field {
                number: Some(1),
                path: "prompt".to_owned(),
            },
        ],
        ..model
    });
    [
        ("message-revealable", revealable),
        ("message", make(letters.first(), "back=label%3Dclosed")),
        ("message-alone", make(alone, "done=replayed")),
        ("message-warned", make(warned.as_ref(), refused)),
    ]
    .into_iter()
    .filter_map(|(name, model)| Some((name, model?)))
    .collect()
}
