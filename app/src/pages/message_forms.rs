//! What can be done with a message alone: acknowledge, link, replay. Their forms and their server functions; and the way
//! to the question before a purge.

use super::message::Model;
use super::ordered;
use crate::components::form::{
    Returned, hidden, is_invalid, reason, reason_field, refused, send_back, text_field,
};
use crate::components::text::short;
use crate::components::warnings::warnings;
use crate::desk::{Code, DeskError};
use crate::domain::dead_letter::Disposition;
use crate::domain::ids::OperationId;
use crate::domain::label::Label;
use crate::domain::permission::Permission;
use crate::domain::plan::Action;
use crate::domain::role::Role;
use crate::href::{self, Query};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

/// The forms of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Acknowledge,
    Link,
    Replay,
}

impl Form {
    const fn name(self) -> &'static str {
        match self {
            Self::Acknowledge => "acknowledge",
            Self::Link => "link",
            Self::Replay => "replay",
        }
    }

    const fn role(self) -> Role {
        match self {
            Self::Acknowledge => Permission::Acknowledge.least(),
            Self::Link => Permission::Link.least(),
            Self::Replay => Permission::Replay.least(),
        }
    }

    const fn question(self) -> &'static str {
        match self {
            Self::Acknowledge => "Acknowledge this message?",
            Self::Link => "Link it to an operation?",
            Self::Replay => "Replay it as it is?",
        }
    }

    const fn consequence(self) -> &'static str {
        match self {
            Self::Acknowledge => "It is marked as dealt with. Nothing is sent and nothing is deleted.",
            Self::Link => "It becomes evidence of that operation, whose plan decides what comes next.",
            Self::Replay => {
                "A new job with the same name and arguments is queued, and its consumer does whatever that job does. Only where the policy allows messages without a record to be replayed."
            }
        }
    }

    const fn path(self) -> &'static str {
        match self {
            Self::Acknowledge => AcknowledgeMessage::PATH,
            Self::Link => LinkMessage::PATH,
            Self::Replay => ReplayMessage::PATH,
        }
    }

    fn button(self, id: &str) -> String {
        let id = short(id);
        match self {
            Self::Acknowledge => format!("Acknowledge message {id}"),
            Self::Link => format!("Link message {id}"),
            Self::Replay => format!("Replay message {id}"),
        }
    }
}

/// Where a message's form goes when it is done or refused.
fn outcome<T>(
    edge: &crate::edge::Edge,
    (form, id, back): (Form, &str, &str),
    result: Result<T, DeskError>,
    after: impl FnOnce(T) -> (String, &'static str),
    typed: &[(&str, &str)],
) {
    let query = Query::of(&[("back", back)]);
    match result {
        Ok(value) => {
            let (page, said) = after(value);
            edge.reply.redirect(&href::with(&page, &query.and("done", said)));
        }
        Err(error) => send_back(
            edge,
            &href::dead_letter(id),
            &query,
            form.name(),
            error.code,
            typed,
        ),
    }
}

/// Marks the message as dealt with.
#[server(prefix = "/forms", endpoint = "dead-letters/acknowledge")]
pub async fn acknowledge_message(
    #[server(default)] id: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
    #[server(default)] back: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async { desk.acknowledge(&id, self::reason(&reason)?, &key).await }.await;
    let after = |()| (href::dead_letter(&id), "acknowledged");
    outcome(
        &edge,
        (Form::Acknowledge, &id, &back),
        result,
        after,
        &[("reason", &reason)],
    );
    Ok(())
}

/// Makes the message evidence of an operation.
#[server(prefix = "/forms", endpoint = "dead-letters/link")]
pub async fn link_message(
    #[server(default)] id: String,
    #[server(default)] operation: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
    #[server(default)] back: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async {
        let operation = OperationId::parse(operation.trim())
            .ok_or_else(|| DeskError::new(Code::InvalidRequest, "That is not an operation id."))?;
        desk.link(&id, &operation, self::reason(&reason)?, &key).await
    }
    .await;
    let after = |()| (href::dead_letter(&id), "linked");
    let typed = [("reason", reason.as_str()), ("operation", operation.as_str())];
    outcome(&edge, (Form::Link, &id, &back), result, after, &typed);
    Ok(())
}

/// Replays a message that has no record, as it is.
#[server(prefix = "/forms", endpoint = "dead-letters/replay")]
pub async fn replay_message(
    #[server(default)] id: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
    #[server(default)] back: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async { desk.replay(&id, self::reason(&reason)?, &key).await }.await;
    let after = |_| (href::dead_letter(&id), "replayed");
    outcome(
        &edge,
        (Form::Replay, &id, &back),
        result,
        after,
        &[("reason", &reason)],
    );
    Ok(())
}

fn form(model: &Model, form: Form) -> AnyView {
    let id = model.letter.id.to_string();
    let returned = model.returned.as_ref().filter(|back| back.form == form.name());
    let may = model
        .caller
        .as_ref()
        .is_some_and(|caller| caller.may(form.role()));
    let words = if may {
        form.button(&id)
    } else {
        format!("{} needs the {} role", form.name(), form.role())
    };
    let told = match form {
        Form::Replay => warnings(model.letter.warnings.as_deref().unwrap_or_default()),
        Form::Acknowledge | Form::Link => None,
    };
    let extra = match form {
        Form::Link => Some(
            text_field(
                "operation",
                "Operation id".into_any(),
                "",
                Returned::typed(returned, "operation"),
                true,
            )
            .into_any(),
        ),
        Form::Acknowledge | Form::Replay => None,
    };
    view! {
        <details open=returned.is_some()>
            <summary><b>{form.question()}</b></summary>
            <form method="post" action=form.path() data-action=form.name()>
                {refused(returned, form.name())}
                <p>{form.consequence()}</p>
                {told}
                {hidden("id", id)}
                {hidden("key", format!("{}-{}", model.key, form.name()))}
                {hidden("back", model.back.to_text())}
                {reason_field(Returned::typed(returned, "reason"), is_invalid(returned))}
                {extra}
                <div class="acts">
                    <a class="btn" href=href::with(href::DEAD_LETTERS, &model.back)>"Cancel"</a>
                    <button class="btn" data-tone="go" type="submit" disabled=!may>{words}</button>
                </div>
            </form>
        </details>
    }
    .into_any()
}

pub(super) fn forms(model: &Model) -> AnyView {
    let letter = &model.letter;
    let alone = letter.label == Label::NoOperationRecord;
    let obsolete = alone || letter.next_action == Some(Action::Acknowledge);
    let mut list = Vec::new();
    if letter.disposition == Disposition::Open && obsolete {
        list.push(form(model, Form::Acknowledge));
    }
    if alone {
        list.push(form(model, Form::Link));
        list.push(form(model, Form::Replay));
    }
    let id = letter.id.to_string();
    let purge = href::with(&href::purge(&id), &Query::of(&[("back", &model.back.to_text())]));
    view! {
        <section class="block decisions"><h2>"What can be done with the message"</h2>
            {list}
            <p><a href=purge data-purge="">"Purge message " {short(&id)} "…"</a></p>
        </section>
    }
    .into_any()
}
