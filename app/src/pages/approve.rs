//! `/recoveries/{id}/approve`: where the second person reads a creation that waits for them, and says yes. It has a link
//! of its own, to be sent to that person.

use super::error::Problem;
use super::{Page, Wanted, ordered, recovery};
use crate::components::badge::{effect, recovery_tag};
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{Returned, hidden, is_invalid, reason_field, refused};
use crate::components::frame::Section;
use crate::components::icon::icon;
use crate::components::live::{self, Events};
use crate::components::notice::caution;
use crate::components::plan::{evidence, written};
use crate::components::text::{outside, person, tail, visible};
use crate::components::time::{ago, when};
use crate::components::words;
use crate::desk::Topic;
use crate::desk::view::OperationView;
use crate::domain::permission::Permission;
use crate::domain::recovery::{Recovery, RecoveryState};
use crate::domain::role::Caller;
use crate::href;
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

pub(super) const FORM: &str = "approve";

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub recovery: Recovery,
    /// The operation as it stands now; `None` when it cannot be read.
    pub operation: Option<OperationView>,
    pub caller: Option<Caller>,
    pub key: String,
    pub returned: Option<Returned>,
    pub events: Events,
}

/// The second person's yes to a creation.
#[server(prefix = "/forms", endpoint = "recoveries/approve")]
pub async fn approve_recovery(
    #[server(default)] recovery: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async {
        let id = recovery::known(&recovery)?;
        let reason = crate::components::form::reason(&reason)?;
        desk.approve(id, reason, &key).await
    }
    .await;
    let page = href::approve(&recovery);
    recovery::outcome(&edge, &recovery, &page, result, (FORM, "approved"), &reason);
    Ok(())
}

/// Why this person cannot be the second one; `None` when they can.
fn cannot(model: &Model) -> Option<&'static str> {
    let Some(caller) = &model.caller else {
        return Some("Sign in to approve");
    };
    if caller.name == model.recovery.requested_by {
        Some("You requested it: another person must approve")
    } else if !caller.has(Permission::Approve) {
        Some("Approving needs the approver role")
    } else {
        None
    }
}

/// The consequence, large, before anything else.
fn head(model: &Model) -> AnyView {
    let recovery = &model.recovery;
    let operation = model.operation.as_ref();
    let provider = operation.map_or_else(|| "the provider".to_owned(), |one| visible(&one.provider));
    let price = match operation.and_then(|one| one.estimated_credits) {
        Some(price) => format!("Estimated cost {}. This cannot be undone.", words::credits(price)),
        None => "Its cost is not known. This cannot be undone.".to_owned(),
    };
    let cancel = href::recovery(&recovery.id.to_string());
    view! {
        <div class="effect">
            {icon(effect(recovery.effect).icon)}
            <div>
                <p>{format!("Submits a NEW generation to {provider}.")}<br/>{price}</p>
                <span>"When you approve, plan and guards are checked again, the job is queued, and the request is sent."</span>
            </div>
            <a class="btn" href=cancel autofocus>"Not now"</a>
        </div>
    }
    .into_any()
}

fn form(model: &Model) -> AnyView {
    let recovery = &model.recovery;
    let returned = model.returned.as_ref().filter(|back| back.form == FORM);
    let refusal = cannot(model);
    let operation = visible(recovery.operation_id.as_str());
    let words = refusal.map_or_else(|| format!("Approve creating {operation}"), str::to_owned);
    let evidence = model.operation.as_ref().map(|one| {
        let message = recovery.dead_letter_id.map(|id| id.to_string());
        evidence(
            &one.plan,
            written(&one.plan, message.as_deref(), one.estimated_credits),
        )
    });
    let cancel = href::recovery(&recovery.id.to_string());
    view! {
        <form class="plan" method="post" action=ApproveRecovery::PATH data-action="approve" data-tone="spend"
            aria-label="Approve this new generation">
            {head(model)}
            <p class="who-asks">{person(&recovery.requested_by)} " asks for it, "
                {when(recovery.created_at, ago(model.now, recovery.created_at))} ", at revision " {recovery.revision_before}
                ", and gave as reason: “" {outside(&recovery.reason)} "”"</p>
            {evidence}
            <div class="cols">
                {hidden("recovery", recovery.id.to_string())}
                {hidden("key", model.key.clone())}
                {reason_field(Returned::typed(returned, "reason"), is_invalid(returned))}
            </div>
            <div class="acts">
                <a class="btn" href=cancel>"Not now"</a>
                <button class="btn" data-tone="spend" type="submit" disabled=refusal.is_some()>{icon("e-submit")} " " {words}</button>
            </div>
        </form>
    }
    .into_any()
}

/// The record moved since: approving would be refused.
fn moved(model: &Model) -> Option<AnyView> {
    let operation = model.operation.as_ref()?;
    let before = model.recovery.revision_before;
    (operation.revision != before).then(|| {
        let href = href::revision(operation.id.as_str(), before);
        let text = view! {
            {format!("It was asked for at revision {before}; the record stands at {}. ", operation.revision)}
            <a href=href>"What changed since"</a>
        };
        caution("The record has changed since.", text.into_any())
    })
}

/// The yes that the page asks for: of this recovery, at this plan.
fn holds(model: &Model) -> String {
    let plan = model.operation.as_ref().map(|one| live::holds(&one.plan));
    format!("{} {}", model.recovery.state.as_str(), plan.unwrap_or_default())
}

pub fn view(model: Model) -> AnyView {
    let recovery = &model.recovery;
    let id = recovery.id.to_string();
    let operation = recovery.operation_id.as_str().to_owned();
    let waits = recovery.state == RecoveryState::AwaitingApproval;
    let body = if waits {
        let returned = model.returned.as_ref().filter(|back| back.form == FORM);
        view! {
            {refused(returned, FORM)}
            {moved(&model)}
            {form(&model)}
            <p class="dim">"It ends by itself when the record changes or nobody approves in time. Cancelling it is on "
                <a href=href::recovery(&id)>"its own page"</a> "."</p>
        }
        .into_any()
    } else {
        let page = href::recovery(&id);
        view! {
            <p>"This recovery does not wait for approval any more. " <a href=page>"See what became of it"</a> "."</p>
        }
        .into_any()
    };
    view! {
        <main id="main" class="page" data-recovery=id.clone() data-state=recovery.state.as_str() data-approval=waits.to_string()
            data-holds=holds(&model)>
            {live::strip(Some(crumbs(vec![
                Crumb::link("Recoveries", href::RECOVERIES),
                Crumb::id(tail(&id), href::recovery(&id)),
                Crumb::here("approval"),
            ])), model.now, &model.events)}
            {live::news()}
            <div class="title">
                <h1>"Approve a new generation for " <span class="m">{outside(&operation)}</span> "?"</h1>
                {recovery_tag(recovery.state)}
                <div class="end"><a class="btn" href=href::operation(&operation)>"Open the operation"</a></div>
            </div>
            {body}
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let id = edge.segment(1);
    // Its operation is followed, because its record decides too; so the recovery is read twice: once to know which.
    let about = || Problem::about("recovery", &id);
    let operation = desk.recovery(&id).await.map_err(about())?.operation_id;
    let events = live::events(desk.as_ref(), &Topic::Operation(operation)).await;
    let recovery = desk.recovery(&id).await.map_err(about())?;
    // Where nothing waits the page shows nothing of the record, and so is no look at it.
    let operation = if recovery.state == RecoveryState::AwaitingApproval {
        desk.operation(&recovery.operation_id).await.ok()
    } else {
        None
    };
    let model = Model {
        now: desk.now(),
        operation,
        caller: desk.caller(),
        key: edge.key(FORM),
        returned: Returned::of(&edge.query),
        events,
        recovery,
    };
    Ok(Page {
        title: format!("Approve {}?", model.recovery.operation_id),
        section: Section::Recoveries,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    use super::samples;
    use crate::href::Query;
    let operation = samples::not_submitted(now);
    let awaiting = Recovery {
        operation_id: operation.id.clone(),
        action: crate::domain::plan::Action::Dispatch,
        effect: crate::domain::plan::Effect::SubmitsNewGeneration,
        state: RecoveryState::AwaitingApproval,
        requested_by: "a.lindqvist".to_owned(),
        revision_before: operation.revision,
        remote_job_id: None,
        job_id: None,
        follow: false,
        ..samples::recoveries(now).remove(0)
    };
    let make = |recovery: Recovery, query: &str| Model {
        now,
        operation: Some(operation.clone()),
        caller: Some(samples::caller()),
        key: "k-approve".to_owned(),
        returned: Returned::of(&Query::parse(query)),
        events: None,
        recovery,
    };
    let moved = Recovery {
        revision_before: operation.revision - 1,
        ..awaiting.clone()
    };
    let own = Recovery {
        requested_by: samples::caller().name,
        ..awaiting.clone()
    };
    let ended = Recovery {
        state: RecoveryState::Cancelled,
        ..awaiting.clone()
    };
    vec![
        ("approve", make(awaiting, "")),
        (
            "approve-moved",
            make(moved, "refused=invalid_request&form=approve&typed.reason="),
        ),
        ("approve-own", make(own, "")),
        ("approve-ended", make(ended, "")),
    ]
}
