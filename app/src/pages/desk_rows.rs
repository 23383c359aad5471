//! A row of the desk: identity in bold, both sides, the label, the next action with its effect.
//! The id is the link; nothing lies over the text, so that it can be selected.

use crate::components::badge::{effect_tag, label_and_flag};
use crate::components::state;
use crate::components::text::{absent, outside, short};
use crate::components::time::{ago, moment, since, when};
use crate::components::words;
use crate::desk::view::{DeadLetterRow, DeadLetterView, Inconsistency};
use crate::domain::label::Label;
use crate::domain::operation::{Dispatch, ErrorCategory, Phase};
use crate::domain::remote::{Execution, Fetch};
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// What a row of a list says of the remote render.
pub struct RemoteCell<'a> {
    pub dispatch: Option<Dispatch>,
    pub execution: Option<Execution>,
    pub fetch: Option<Fetch>,
    pub observed_at: Option<DateTime<Utc>>,
    pub raw_status: Option<&'a str>,
    pub has_job: bool,
}

impl RemoteCell<'_> {
    /// The age of the observation and how it went.
    fn observation(&self, now: DateTime<Utc>) -> String {
        match (self.fetch, self.observed_at) {
            (Some(fetch), Some(at)) => format!("{} {}", words::fetch(fetch), ago(now, at)),
            (None, Some(at)) => format!("reported {}", ago(now, at)),
            (Some(fetch), None) => words::fetch(fetch).to_owned(),
            (None, None) if self.has_job => "never read".to_owned(),
            (None, None) if self.dispatch == Some(Dispatch::ConfirmedNotSent) => "never sent".to_owned(),
            (None, None) => "no job id".to_owned(),
        }
    }

    pub fn view(&self, now: DateTime<Utc>) -> AnyView {
        let execution = match self.execution {
            Some(execution) => state::execution(execution).into_any(),
            None => absent(),
        };
        // The provider's own word is shown where ours says nothing.
        let raw = self
            .raw_status
            .filter(|_| self.execution == Some(Execution::Unknown))
            .map(|raw| view! { <small class="raw">"“" {outside(raw)} "”"</small> });
        view! { {execution} <small data-side="remote:">{self.observation(now)}</small> {raw} }.into_any()
    }
}

/// Phase over evidence.
pub fn our_side(phase: Phase, dispatch: Option<Dispatch>) -> AnyView {
    view! {
        {state::phase(phase)}
        {dispatch.map(|dispatch| view! { <small data-side="ours:">{words::dispatch(dispatch)}</small> })}
    }
    .into_any()
}

/// The category, which may break after its underscores only.
pub fn error(category: Option<ErrorCategory>) -> AnyView {
    let Some(category) = category else {
        return absent();
    };
    let parts = category
        .as_str()
        .split_inclusive('_')
        .map(|part| view! { {part} <wbr/> })
        .collect::<Vec<_>>();
    view! { <span class="m">{parts}</span> }.into_any()
}

pub fn row(row: &DeadLetterRow, now: DateTime<Utc>, back: &str) -> AnyView {
    match row {
        DeadLetterRow::Readable(letter) => readable(letter, now, back),
        DeadLetterRow::Unreadable(broken) => unreadable(broken, 8),
    }
}

/// A row that cannot be what it says, shown in its place.
pub fn unreadable(broken: &Inconsistency, columns: u32) -> AnyView {
    let what = format!("{}.{}", broken.table, broken.column);
    view! {
        <tr role="row" class="odd-row" data-inconsistent=what.clone()>
            <td role="cell" class="w" colspan=columns.to_string()>
                <strong>"This row cannot be read."</strong>
                " " <code>{what.clone()}</code> " of " <span class="m">{outside(&broken.id)}</span>
                " holds an impossible value. The others are not affected."
            </td>
        </tr>
    }
    .into_any()
}

fn identity(letter: &DeadLetterView, back: &str) -> AnyView {
    let message = letter.id.to_string();
    let query = Query::of(&[("back", back)]);
    let to_message = href::with(&href::dead_letter(&message), &query);
    let on_record = letter.label != Label::NoOperationRecord;
    let link = match (&letter.operation_id, on_record) {
        (Some(id), true) => {
            let href = href::with(&href::operation(id.as_str()), &query.and("message", &message));
            view! { <a class="id" href=href>{outside(id.as_str())}</a> }.into_any()
        }
        (Some(id), false) => {
            let to_message = to_message.clone();
            view! { <a class="id" href=to_message><span class="dim">{outside(id.as_str())}</span></a> }
                .into_any()
        }
        (None, _) => {
            let to_message = to_message.clone();
            view! { <a class="id" href=to_message><span class="dim">"no operation"</span></a> }.into_any()
        }
    };
    view! {
        {link}
        <small class="m"><a href=to_message title=message.clone()>{short(&message)}</a> " " {outside(&letter.job_name)}</small>
    }
    .into_any()
}

fn next(letter: &DeadLetterView) -> AnyView {
    match (letter.next_action, letter.effect) {
        (Some(action), Some(effect)) => {
            view! { <strong>{words::action(action)}</strong> {effect_tag(effect)} }.into_any()
        }
        (Some(action), None) => view! { <strong>{words::action(action)}</strong> }.into_any(),
        (None, _) => view! { {absent()} <small>"link it, or acknowledge"</small> }.into_any(),
    }
}

fn readable(letter: &DeadLetterView, now: DateTime<Utc>, back: &str) -> AnyView {
    let died = letter.moved_to_dead_letter_at;
    let ours = match letter.phase {
        Some(phase) => our_side(phase, letter.dispatch),
        None => absent(),
    };
    let remote = match letter.phase {
        Some(_) => RemoteCell {
            dispatch: letter.dispatch,
            execution: letter.remote_execution,
            fetch: letter.remote_fetch,
            observed_at: letter.remote_observed_at,
            raw_status: letter.remote_raw_status.as_deref(),
            has_job: letter.job_id.is_some(),
        }
        .view(now),
        None => absent(),
    };
    let acknowledged = (letter.disposition == crate::domain::dead_letter::Disposition::Acknowledged)
        .then(|| view! { <small>"acknowledged"</small> });
    view! {
        <tr role="row" data-operation=letter.operation_id.as_ref().map(ToString::to_string)
            data-message=letter.id.to_string() data-label=letter.label.as_str()
            data-action=letter.next_action.map(|action| action.as_str())>
            <th role="rowheader" scope="row" class="a-op">{identity(letter, back)}</th>
            <td role="cell" class="a-ours" data-l="Our side">{ours}</td>
            <td role="cell" class="a-remote" data-l="Remote render">{remote}</td>
            <td role="cell" class="a-label" data-l="Label">
                {label_and_flag(letter.label, letter.refund_unresolved)} {acknowledged}
            </td>
            <td role="cell" class="a-act" data-l="Next action">{next(letter)}</td>
            <td role="cell" class="a-err" data-l="Error">{error(letter.error_category)}</td>
            <td role="cell" class="r a-rep" data-l="Replays" data-unit=if letter.resurrection_count == 1 { "replay" } else { "replays" }>{letter.resurrection_count}</td>
            <td role="cell" class="r n a-since" data-l="Dead since">
                {when(died, since(now, died))} <small>{moment(now, died)}</small>
            </td>
        </tr>
    }
    .into_any()
}
