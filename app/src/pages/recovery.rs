//! `/recoveries/{id}`: one confirmed plan, and cancelling it.

use super::error::Problem;
use super::recoveries::duration;
use super::{Edge, Page, Wanted, ordered};
use crate::components::badge::{self, effect_tag, recovery_tag};
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{
    Returned, finished, hidden, is_invalid, reason, reason_field, refused, send_back,
};
use crate::components::frame::Section;
use crate::components::live::{self, Events};
use crate::components::meta::{meta, mono};
use crate::components::notice::done;
use crate::components::said::{ids_of_recovery, said};
use crate::components::text::{absent, outside, person, short, tail, visible};
use crate::components::time::{ago, exact, when};
use crate::components::words;
use crate::desk::{Code, DeskError, Topic};
use crate::domain::ids::RecoveryId;
use crate::domain::permission::Permission;
use crate::domain::recovery::{Recovery, RecoveryState};
use crate::domain::role::Caller;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

const CANCEL: &str = "cancel";

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub recovery: Recovery,
    pub caller: Option<Caller>,
    /// Of the form that cancels.
    pub key: String,
    pub returned: Option<Returned>,
    pub done: Option<String>,
    pub events: Events,
}

/// Cancels a recovery that has not ended.
#[server(prefix = "/forms", endpoint = "recoveries/cancel")]
pub async fn cancel_recovery(
    #[server(default)] recovery: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async { desk.cancel(known(&recovery)?, self::reason(&reason)?, &key).await }.await;
    let page = href::recovery(&recovery);
    outcome(&edge, &recovery, &page, result, (CANCEL, "cancelled"), &reason);
    Ok(())
}

pub(super) fn known(recovery: &str) -> Result<RecoveryId, DeskError> {
    RecoveryId::parse(recovery).ok_or_else(|| DeskError::new(Code::BadId, "That is not an id."))
}

/// To the recovery's page with what was `done`, or back to the form's page as it was filled in, and why it was refused.
pub(super) fn outcome<T>(
    edge: &Edge,
    recovery: &str,
    form_page: &str,
    result: Result<T, DeskError>,
    (form, done): (&'static str, &'static str),
    reason: &str,
) {
    let page = href::recovery(recovery);
    match result {
        Ok(_) => edge
            .reply
            .redirect(&href::with(&page, &Query::of(&[("done", done)]))),
        Err(error) => send_back(
            edge,
            form_page,
            &Query::default(),
            form,
            error.code,
            &[("reason", reason)],
        ),
    }
}

/// What the state means, in a sentence.
const fn meaning(state: RecoveryState) -> &'static str {
    match state {
        RecoveryState::AwaitingApproval => {
            "A second person must approve it. Nothing is queued and nothing is sent before."
        }
        RecoveryState::Requested => {
            "Its job is queued. Before anything leaves, plan and guards are checked once more."
        }
        RecoveryState::Running => "The worker holds its lease and is carrying it out.",
        RecoveryState::Succeeded => "It was carried out, and this is what was observed.",
        RecoveryState::AlreadyDone => "The work was found done. Nothing had to be done.",
        RecoveryState::StillRunning => "The provider was still at work when the time to wait was over.",
        RecoveryState::Refused => "The plan or a guard had changed before anything left. Nothing was sent.",
        RecoveryState::Failed => "It could not be carried out. The operation can be recovered again.",
        RecoveryState::Cancelled => "It was cancelled. The record is untouched.",
        RecoveryState::OutcomeUnknown => {
            "A request may have left, and no answer says what became of it. Nothing is sent again by itself."
        }
    }
}

/// What was asked, in a sentence.
fn asked(recovery: &Recovery) -> AnyView {
    let job = recovery.remote_job_id.as_ref().map(|job| {
        view! { ", by reading " <span class="m">{outside(job.as_str())}</span> }
    });
    let approved = recovery
        .approved_by
        .as_deref()
        .map(|name| view! { ", approved by " {person(name)} });
    view! {
        {person(&recovery.requested_by)} " asked to " {words::action(recovery.action).to_lowercase()} " "
        <a class="m" href=href::operation(recovery.operation_id.as_str())>{outside(recovery.operation_id.as_str())}</a>
        {job} " at revision " {recovery.revision_before} {approved} ": “" {outside(&recovery.reason)} "”"
    }
    .into_any()
}

/// What it made of the record, once it ended.
fn resulted(recovery: &Recovery) -> AnyView {
    let (before, after) = (recovery.revision_before, recovery.revision_after);
    match (recovery.state.is_active(), after) {
        (true, _) => view! { <span class="dim">"Not ended yet."</span> }.into_any(),
        (false, Some(after)) if after > before => {
            view! { "Revision " <strong data-resulted="">{after}</strong> " of the record, after " {before} "." }.into_any()
        }
        (false, _) => view! { "The record stands as it did, at revision " {after.unwrap_or(before)} "." }.into_any(),
    }
}

/// The way to the page where the second person decides.
fn approval(model: &Model) -> Option<AnyView> {
    let recovery = &model.recovery;
    (recovery.state == RecoveryState::AwaitingApproval).then(|| {
        view! {
            <section class="block" id="approve" data-awaits="">
                <h2>"It waits for a second person"</h2>
                <p>{person(&recovery.requested_by)} " asks for a new, paid generation. Send this link to an approver: "
                    <a data-approve="" href=href::approve(&recovery.id.to_string())>"read it and decide"</a> "."</p>
            </section>
        }
        .into_any()
    })
}

fn cancel_form(model: &Model) -> Option<AnyView> {
    let recovery = &model.recovery;
    if !recovery.state.is_active() {
        return None;
    }
    let id = recovery.id.to_string();
    let returned = model.returned.as_ref().filter(|back| back.form == CANCEL);
    let may = model
        .caller
        .as_ref()
        .is_some_and(|caller| caller.has(Permission::Cancel));
    let words = if may {
        format!("Cancel recovery {}", tail(&id))
    } else {
        "Cancelling needs the operator role".to_owned()
    };
    let typed = Returned::typed(returned, "reason");
    let open = returned.is_some();
    Some(
        view! {
            <section class="block decisions">
                <details open=open>
                    <summary>"Cancel this recovery?"</summary>
                    <form method="post" action=CancelRecovery::PATH data-action="cancel">
                        {refused(returned, CANCEL)}
                        <p>"A queued job of it is cancelled. What has already been sent cannot be called back."</p>
                        {hidden("recovery", id)}
                        {hidden("key", model.key.clone())}
                        {reason_field(typed, is_invalid(returned))}
                        <div class="acts">
                            <a class="btn" href=href::RECOVERIES>"Keep it"</a>
                            <button class="btn" data-tone="destroy" type="submit" disabled=!may>{words}</button>
                        </div>
                    </form>
                </details>
            </section>
        }
        .into_any(),
    )
}

pub fn view(model: Model) -> AnyView {
    let recovery = &model.recovery;
    let now = model.now;
    let id = recovery.id.to_string();
    let operation = recovery.operation_id.as_str().to_owned();
    let revision = match recovery.revision_after {
        Some(after) => format!("{} → {after}", recovery.revision_before),
        None => recovery.revision_before.to_string(),
    };
    let message = recovery.dead_letter_id.map(|message| message.to_string());
    let message = match message {
        Some(message) => {
            view! { <a class="m" href=href::dead_letter(&message) title=message.clone()>{short(&message)}</a> }.into_any()
        }
        None => absent(),
    };
    let job = recovery.job_id.map(|job| job.to_string());
    let facts = vec![
        (
            "Operation",
            view! { <a class="m" href=href::operation(&operation)>{outside(&operation)}</a> }.into_any(),
        ),
        (
            "Action",
            view! { {words::action(recovery.action)} " " {effect_tag(recovery.effect)} }.into_any(),
        ),
        (
            "Provider's job",
            mono(recovery.remote_job_id.as_ref().map(|job| job.as_str())),
        ),
        ("Message", message),
        ("Requested by", person(&recovery.requested_by)),
        (
            "Approved by",
            recovery.approved_by.as_deref().map_or_else(absent, outside),
        ),
        (
            "Requested",
            when(recovery.created_at, ago(now, recovery.created_at)).into_any(),
        ),
        (
            "Ended",
            match recovery.finished_at {
                Some(end) => when(end, format!("{}, {}", ago(now, end), duration(recovery, now))).into_any(),
                None => format!("not yet, {}", duration(recovery, now)).into_any(),
            },
        ),
        ("Revision", revision.into_any()),
        (
            "Queue job",
            job.as_deref().map_or_else(absent, |job| {
                view! { <span class="m" title=job.to_owned()>{tail(job)}</span> }.into_any()
            }),
        ),
    ];
    // With the script the page follows by itself.
    let again = recovery.state.is_active().then(|| {
        view! { <noscript><a href=href::recovery(&id)>"Load again"</a></noscript> }
    });
    let announced = format!(
        "{} {}: {}. {}",
        words::action(recovery.action),
        recovery.operation_id,
        badge::recovery(recovery.state).words,
        recovery.outcome.as_deref().unwrap_or_default()
    );
    let outcome = recovery.outcome.as_deref().map_or_else(
        || "Not ended yet.".into_any(),
        |text| said(text, &ids_of_recovery(recovery)),
    );
    view! {
        <main id="main" class="page" data-live="main" data-say=visible(&announced) data-recovery=id.clone()
            data-state=recovery.state.as_str() data-every=recovery.state.is_active().then_some(live::OFTEN)>
            {live::strip(Some(crumbs(vec![Crumb::link("Recoveries", href::RECOVERIES), Crumb::here(tail(&id))])), now, &model.events)}
            {model.done.clone().map(done)}
            <div class="title">
                <h1>{words::action(recovery.action)} " " <span class="m">{outside(&operation)}</span></h1>
                {recovery_tag(recovery.state)}
                <div class="end"><a class="btn" href=href::operation(&operation)>"Open the operation"</a></div>
            </div>
            <div class="spread">
                {meta(facts)}
                <div>
                    <dl class="known">
                        <dt>"Asked"</dt><dd>{asked(recovery)}</dd>
                        <dt>"State"</dt><dd>{meaning(recovery.state)} " " {again}</dd>
                        <dt>"Observed"</dt><dd data-outcome="">{outcome}</dd>
                        <dt>"Resulted"</dt><dd>{resulted(recovery)}</dd>
                    </dl>
                    <p class="dim">"Recovery " <span class="m">{id.clone()}</span> ", requested " {exact(recovery.created_at)}
                        {recovery.follow.then_some(", follows the render until it ends or the time is over")}</p>
                    {approval(&model)}
                    {cancel_form(&model)}
                </div>
            </div>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let id = edge.segment(1);
    let events = match RecoveryId::parse(&id) {
        Some(known) => live::events(desk.as_ref(), &Topic::Recovery(known)).await,
        None => None,
    };
    let recovery = desk
        .recovery(&id)
        .await
        .map_err(Problem::about("recovery", &id))?;
    let title = format!(
        "{} {}: {}",
        words::action(recovery.action),
        recovery.operation_id,
        badge::recovery(recovery.state).words
    );
    let model = Model {
        now: desk.now(),
        recovery,
        caller: desk.caller(),
        key: edge.key(CANCEL),
        returned: Returned::of(&edge.query),
        done: finished(&edge.query),
        events,
    };
    Ok(Page {
        title,
        section: Section::Recoveries,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let mut all = super::samples::recoveries(now).into_iter();
    let make = |recovery: Recovery, query: &str| Model {
        now,
        recovery,
        caller: Some(super::samples::caller()),
        key: "k-cancel".to_owned(),
        returned: Returned::of(&Query::parse(query)),
        done: finished(&Query::parse(query)),
        events: None,
    };
    let (Some(active), Some(ended)) = (all.next(), all.next()) else {
        return Vec::new();
    };
    let awaiting = Recovery {
        action: crate::domain::plan::Action::Dispatch,
        effect: crate::domain::plan::Effect::SubmitsNewGeneration,
        state: RecoveryState::AwaitingApproval,
        requested_by: "a.lindqvist".to_owned(),
        remote_job_id: None,
        job_id: None,
        follow: false,
        ..active.clone()
    };
    vec![
        ("recovery-awaiting", make(awaiting, "")),
        (
            "recovery-active",
            make(active, "refused=role_required&form=cancel&typed.reason=no%20more"),
        ),
        ("recovery-ended", make(ended, "done=cancelled")),
    ]
}
