//! `/providers`: where creation is allowed, and the switch that stops it. Reading and delivering go on either way.

use super::error::Problem;
use super::{Page, Wanted, ordered};
use crate::components::badge::{Face, Tone, tag};
use crate::components::empty::{Empty, empty};
use crate::components::form::{
    Returned, finished, hidden, is_invalid, reason, reason_field, refused, send_back,
};
use crate::components::frame::Section;
use crate::components::live::{self, Events};
use crate::components::notice::done;
use crate::components::text::{absent, outside, person, visible};
use crate::components::time::{ago, when};
use crate::components::words;
use crate::desk::{Answer, DeskError, ProviderView, Topic};
use crate::domain::permission::Permission;
use crate::domain::role::Caller;
use crate::edge::Edge;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub providers: Vec<ProviderView>,
    pub caller: Option<Caller>,
    pub key: String,
    pub returned: Option<Returned>,
    pub done: Option<String>,
    pub events: Events,
}

const ALLOWED: Face = Face {
    words: "creation allowed",
    icon: "pass",
    tone: Tone::Rest,
    place: None,
};
const PAUSED: Face = Face {
    words: "creation paused",
    icon: "block",
    tone: Tone::Refuse,
    place: None,
};

/// Stops creation at a provider.
#[server(prefix = "/forms", endpoint = "providers/pause")]
pub async fn pause_provider(
    #[server(default)] provider: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let answer = async {
        desk.pause(&provider, self::reason(&reason)?, &key).await?;
        Ok::<_, DeskError>("paused")
    };
    outcome(&edge, &provider, answer.await, &reason);
    Ok(())
}

/// Allows creation again.
#[server(prefix = "/forms", endpoint = "providers/resume")]
pub async fn resume_provider(
    #[server(default)] provider: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let answer = async {
        let changed = desk.resume(&provider, self::reason(&reason)?, &key).await?;
        Ok::<_, DeskError>(if changed { "resumed" } else { "was_not_paused" })
    };
    outcome(&edge, &provider, answer.await, &reason);
    Ok(())
}

/// The name of a provider's form.
fn form_of(provider: &str) -> String {
    format!("provider-{provider}")
}

fn outcome(edge: &Edge, provider: &str, answer: Answer<&'static str>, reason: &str) {
    match answer {
        Ok(done) => edge
            .reply
            .redirect(&href::with(href::PROVIDERS, &Query::of(&[("done", done)]))),
        Err(error) => send_back(
            edge,
            href::PROVIDERS,
            &Query::default(),
            &form_of(provider),
            error.code,
            &[("reason", reason)],
        ),
    }
}

fn switch(model: &Model, one: &ProviderView) -> AnyView {
    let name = form_of(&one.name);
    let returned = model.returned.as_ref().filter(|back| back.form == name);
    let may = model
        .caller
        .as_ref()
        .is_some_and(|caller| caller.has(Permission::Manage));
    let paused = one.pause.is_some();
    let (path, action, verb) = if paused {
        (ResumeProvider::PATH, "resume", "Allow creation again at")
    } else {
        (PauseProvider::PATH, "pause", "Pause creation at")
    };
    let provider = visible(&one.name);
    let button = if may {
        format!("{verb} {provider}")
    } else {
        "This needs the admin role".to_owned()
    };
    let what = if paused {
        "New generations may be submitted there again, each after its own review."
    } else {
        "No new generation is submitted there until it is allowed again. What is under way goes on; reading and delivering too."
    };
    let tone = if paused { "go" } else { "destroy" };
    view! {
        <details open=returned.is_some()>
            <summary>{verb} " " {provider} "?"</summary>
            <form class="form" method="post" action=path data-action=action data-provider=one.name.clone()>
                {refused(returned, &name)}
                <p>{what}</p>
                {hidden("provider", one.name.clone())}
                {hidden("key", format!("{}-{}-{action}", model.key, one.name))}
                {reason_field(Returned::typed(returned, "reason"), is_invalid(returned))}
                <div class="acts">
                    <a class="btn" href=href::PROVIDERS>"Cancel"</a>
                    <button class="btn" data-tone=tone type="submit" disabled=!may>{button}</button>
                </div>
            </form>
        </details>
    }
    .into_any()
}

fn provider(model: &Model, one: &ProviderView) -> AnyView {
    let state = tag(if one.pause.is_some() { PAUSED } else { ALLOWED });
    let paused = one.pause.as_ref().map(|pause| {
        view! {
            <p>"Paused by " <b>{person(&pause.by)}</b> " " {when(pause.at, ago(model.now, pause.at))} ": “" {outside(&pause.reason)} "”"</p>
        }
    });
    let address = if one.configured {
        view! { <span class="m">{outside(&one.host)}</span> }.into_any()
    } else {
        "not configured any more".into_any()
    };
    let account = if one.account.is_empty() {
        absent()
    } else {
        outside(&one.account)
    };
    let waiting = href::with(
        href::OPERATIONS,
        &Query::of(&[("action", "dispatch"), ("provider", &one.name)]),
    );
    view! {
        <section class="block" data-provider=one.name.clone() data-paused=one.pause.is_some().to_string()>
            <h2><span class="m">{outside(&one.name)}</span> {state}</h2>
            <dl class="meta">
                <div><dt>"Address"</dt><dd>{address}</dd></div>
                <div><dt>"Account"</dt><dd>{account}</dd></div>
                <div><dt>"Prepared and waiting"</dt><dd><a href=waiting>{words::count(one.waiting, "operation", "operations")}</a></dd></div>
            </dl>
            {paused}
            {switch(model, one)}
        </section>
    }
    .into_any()
}

pub fn view(model: Model) -> AnyView {
    let list = if model.providers.is_empty() {
        empty(Empty::Never {
            title: "No provider is configured".to_owned(),
            text: "The configuration names providers, their addresses and accounts.".to_owned(),
        })
        .into_any()
    } else {
        model
            .providers
            .iter()
            .map(|one| provider(&model, one))
            .collect::<Vec<_>>()
            .into_any()
    };
    view! {
        <main id="main" class="page" data-live="main">
            {live::strip(None, model.now, &model.events)}
            <h1>"Providers"</h1>
            {model.done.clone().map(done)}
            <p class="dim">"Where new generations are submitted. A pause stops them at once: at the plan, at the confirmation, and at the moment of sending."</p>
            {list}
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let events = live::events(desk.as_ref(), &Topic::Desk).await;
    let model = Model {
        now: desk.now(),
        providers: desk.providers().await?,
        caller: desk.caller(),
        key: edge.key("providers"),
        returned: Returned::of(&edge.query),
        done: finished(&edge.query),
        events,
    };
    Ok(Page {
        title: "Providers".to_owned(),
        section: Section::Providers,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let make = |role: crate::domain::role::Role, providers: Vec<ProviderView>, query: &str| Model {
        now,
        providers,
        caller: Some(Caller {
            role,
            ..super::samples::caller()
        }),
        key: "k".to_owned(),
        returned: Returned::of(&Query::parse(query)),
        done: finished(&Query::parse(query)),
        events: None,
    };
    let refused = "refused=invalid_request&form=provider-genace&typed.reason=";
    vec![
        (
            "providers",
            make(
                crate::domain::role::Role::Admin,
                super::samples::providers(now),
                refused,
            ),
        ),
        (
            "providers-viewer",
            make(
                crate::domain::role::Role::Viewer,
                super::samples::providers(now),
                "done=paused",
            ),
        ),
        (
            "providers-none",
            make(crate::domain::role::Role::Admin, Vec::new(), ""),
        ),
    ]
}

/// Where creation is paused in the samples.
#[cfg(test)]
pub fn sample_pause(now: DateTime<Utc>) -> crate::desk::PauseView {
    crate::desk::PauseView {
        provider: "genace".to_owned(),
        reason: "their 502s <b>bill</b> us".to_owned(),
        by: "j.ferreira".to_owned(),
        at: now - chrono::TimeDelta::minutes(12),
    }
}
