//! `/recoveries/{id}`: one confirmed plan, and cancelling it.

use super::error::Problem;
use super::recoveries::duration;
use super::{Page, Wanted, ordered};
use crate::components::badge::{effect_tag, recovery_tag};
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{
    Returned, finished, hidden, is_invalid, reason, reason_field, refused, send_back,
};
use crate::components::frame::Section;
use crate::components::meta::{meta, mono};
use crate::components::notice::done;
use crate::components::text::{ABSENT, outside, short, tail};
use crate::components::time::{ago, exact, when};
use crate::components::words;
use crate::desk::{Code, DeskError};
use crate::domain::ids::RecoveryId;
use crate::domain::recovery::{Recovery, RecoveryState};
use crate::domain::role::{Caller, Role};
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
    pub key: String,
    pub returned: Option<Returned>,
    pub done: Option<String>,
}

/// Cancels a recovery that has not ended.
#[server(prefix = "/forms", endpoint = "recoveries/cancel")]
pub async fn cancel_recovery(
    #[server(default)] recovery: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let page = href::recovery(&recovery);
    let ordered = async {
        let id =
            RecoveryId::parse(&recovery).ok_or_else(|| DeskError::new(Code::BadId, "That is not an id."))?;
        desk.cancel(id, self::reason(&reason)?, &key).await
    };
    match ordered.await {
        Ok(_) => edge
            .reply
            .redirect(&href::with(&page, &Query::of(&[("done", "cancelled")]))),
        Err(error) => send_back(
            &edge,
            &page,
            &Query::default(),
            CANCEL,
            error.code,
            &[("reason", &reason)],
        ),
    }
    Ok(())
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

fn cancel_form(model: &Model) -> Option<AnyView> {
    let recovery = &model.recovery;
    if !recovery.state.is_active() {
        return None;
    }
    let id = recovery.id.to_string();
    let returned = model.returned.as_ref();
    let may = model
        .caller
        .as_ref()
        .is_some_and(|caller| caller.may(Role::Operator));
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
        None => ABSENT.into_any(),
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
        ("Requested by", outside(&recovery.requested_by)),
        (
            "Approved by",
            recovery
                .approved_by
                .as_deref()
                .map_or_else(|| ABSENT.into_any(), outside),
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
            job.as_deref().map_or_else(
                || ABSENT.into_any(),
                |job| view! { <span class="m" title=job.to_owned()>{tail(job)}</span> }.into_any(),
            ),
        ),
    ];
    let again = recovery.state.is_active().then(|| {
        view! { <a href=href::recovery(&id)>"Load again"</a> }
    });
    let outcome = recovery
        .outcome
        .as_deref()
        .map_or_else(|| "Not ended yet.".into_any(), outside);
    view! {
        <main id="main" class="page" data-recovery=id.clone() data-state=recovery.state.as_str()>
            {crumbs(vec![Crumb::link("Recoveries", href::RECOVERIES), Crumb::here(tail(&id))])}
            {model.done.clone().map(done)}
            <div class="title">
                <h1>{words::action(recovery.action)} " " <span class="m">{outside(&operation)}</span></h1>
                {recovery_tag(recovery.state)}
                <div class="end"><a class="btn" href=href::operation(&operation)>"Open the operation"</a></div>
            </div>
            {meta(facts)}
            <dl class="known">
                <dt>"State"</dt><dd>{meaning(recovery.state)} " " {again}</dd>
                <dt>"Outcome"</dt><dd data-outcome="">{outcome}</dd>
                <dt>"Reason"</dt><dd>"“" {outside(&recovery.reason)} "”"</dd>
            </dl>
            <p class="dim">"Recovery " <span class="m">{id.clone()}</span> ", requested " {exact(recovery.created_at)}
                {recovery.follow.then_some(", follows the render until it ends or the time is over")}</p>
            {cancel_form(&model)}
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let id = edge.segment(1);
    let recovery = desk
        .recovery(&id)
        .await
        .map_err(Problem::about("recovery", &id))?;
    let title = format!("{} {}", words::action(recovery.action), recovery.operation_id);
    let model = Model {
        now: desk.now(),
        recovery,
        caller: desk.caller(),
        key: edge.key(CANCEL),
        returned: Returned::of(&edge.query),
        done: finished(&edge.query),
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
    };
    let (Some(active), Some(ended)) = (all.next(), all.next()) else {
        return Vec::new();
    };
    vec![
        (
            "recovery-active",
            make(active, "refused=role_required&form=cancel&typed.reason=no%20more"),
        ),
        ("recovery-ended", make(ended, "done=cancelled")),
    ]
}
