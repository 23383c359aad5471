//! Errors as pages: what is wrong in words, its stable code, and a way back.

use crate::components::text::outside;
use crate::components::time::exact;
use crate::desk::{Code, DeskError};
use crate::href;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// What an error page says.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub code: Code,
    /// What was asked for, where it was one thing: `operation` and its id.
    pub about: Option<(&'static str, String)>,
    pub detail: String,
    /// Where the filters can be cleared, or the page tried again.
    pub again: Option<String>,
    pub reference: String,
    pub now: DateTime<Utc>,
}

/// What failed, before the request's reference and time are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub error: DeskError,
    pub about: Option<(&'static str, String)>,
}

impl From<DeskError> for Problem {
    fn from(error: DeskError) -> Self {
        Self { error, about: None }
    }
}

impl Problem {
    /// The error as one about a certain thing.
    pub fn about(noun: &'static str, id: &str) -> impl FnOnce(DeskError) -> Self {
        let id = id.to_owned();
        move |error| Self {
            error,
            about: Some((noun, id)),
        }
    }
}

const fn title(code: Code) -> &'static str {
    match code {
        Code::NotFound => "There is nothing at this address",
        Code::BadId => "That is not an id",
        Code::InvalidRequest | Code::InvalidRecord => "This address cannot be read",
        Code::Unauthenticated => "You are signed out",
        Code::SignInExpired => "That sign-in is over",
        Code::SignInRefused | Code::NameLooksAlike => "You were not let in",
        Code::IssuerUnavailable => "The sign-in service did not answer",
        Code::RoleRequired => "Your role does not allow this",
        Code::CrossSite => "This came from another site",
        Code::SlowDown => "Too many tries",
        Code::Unavailable => "This cannot be read now",
        Code::BodyTooLarge => "Too much was sent",
        Code::MissingIdempotencyKey
        | Code::UnsupportedMediaType
        | Code::MethodNotAllowed
        | Code::AlreadyExists
        | Code::RevisionMismatch
        | Code::PreconditionRequired
        | Code::PhaseRegression
        | Code::EvidenceRegression
        | Code::TerminalPhase
        | Code::IdempotencyConflict
        | Code::PlanStale
        | Code::RecoveryActive
        | Code::UseDecision
        | Code::ConfirmMismatch
        | Code::GuardBlocked
        | Code::NotAllowedHere
        | Code::JobNotConfirmed
        | Code::JobHeldElsewhere
        | Code::RecordExists
        | Code::RecordRequired => "This was refused",
        Code::Internal => "Something went wrong on our side",
    }
}

/// The page's title, without markup.
pub fn words(model: &Model) -> String {
    match (&model.about, model.code) {
        (Some((noun, id)), Code::NotFound) => format!("There is no {noun} {id}"),
        (Some(_) | None, code) => title(code).to_owned(),
    }
}

pub fn view(model: Model) -> AnyView {
    let code = model.code;
    let heading = match (&model.about, code) {
        (Some((noun, id)), Code::NotFound) => {
            view! { <h1>"There is no " {*noun} " " <span class="m">{outside(id)}</span></h1> }.into_any()
        }
        (Some(_) | None, code) => view! { <h1>{title(code)}</h1> }.into_any(),
    };
    let again = model.again.map(|href| {
        let words = if code == Code::InvalidRequest {
            "Clear the filters"
        } else if code.status() >= 500 {
            "Try again"
        } else {
            "Back to the list"
        };
        view! { <p><a href=href>{words}</a></p> }
    });
    view! {
        <main id="main" class="page problem" data-code=code.as_str()>
            <p class="dim m">{code.status()} " " {code.as_str()}</p>
            {heading}
            <p>{outside(&model.detail)}</p>
            {again}
            <p>
                <a href=href::DEAD_LETTERS>"Back to the dead letters"</a>
                " " <span class="dim">"reference " <span class="m">{model.reference}</span> ", " {exact(model.now)}</span>
            </p>
        </main>
    }
    .into_any()
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let model = |code, about, detail: &str, again: Option<&str>| Model {
        code,
        about,
        detail: detail.to_owned(),
        again: again.map(str::to_owned),
        reference: "01JDY8Q4".to_owned(),
        now,
    };
    vec![
        (
            "not-found",
            model(
                Code::NotFound,
                Some(("operation", "op_7f3b<b>\u{202e}".to_owned())),
                "It may be mistyped, or belong to another office.",
                Some(href::OPERATIONS),
            ),
        ),
        (
            "unavailable",
            model(
                Code::Unavailable,
                None,
                "The database did not answer.",
                Some("/queues"),
            ),
        ),
        (
            "bad-filter",
            model(
                Code::InvalidRequest,
                None,
                "The filter label has a value that it does not know.",
                Some("/dead-letters"),
            ),
        ),
    ]
}
