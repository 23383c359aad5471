//! `/operations/{id}/review`: the plan, its effect in plain words and its guards, above what confirms or decides it.

use super::decision_form::{self, Context};
use super::error::Problem;
use super::query::way_back;
use super::review_confirm::{FORM, confirm_form};
use super::review_stale::{self, Stale};
use super::{Page, Wanted};
use crate::components::badge::{effect_tag, label_and_flag};
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{Returned, refused};
use crate::components::frame::Section;
use crate::components::live::{self, Events};
use crate::components::plan::{card_tone, effect_head, evidence, question, written};
use crate::components::text::{outside, short, visible};
use crate::components::time::zoned;
use crate::components::words;
use crate::desk::Topic;
use crate::desk::view::OperationView;
use crate::domain::ids::{DeadLetterId, JobId, OperationId};
use crate::domain::plan::Plan;
use crate::domain::role::Caller;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub operation: OperationView,
    /// The plan under review: the operation's, or that of an alternative read.
    pub plan: Plan,
    /// The alternative read that was asked for.
    pub observe: Option<JobId>,
    /// The message that led here.
    pub message: Option<DeadLetterId>,
    pub caller: Option<Caller>,
    pub key: String,
    pub back: Query,
    pub returned: Option<Returned>,
    pub events: Events,
    /// Of a plan that went stale: what the person had read.
    pub stale: Option<Stale>,
}

impl Model {
    /// Back to the operation, as the person came from there.
    pub(super) fn cancel(&self) -> String {
        let message = self.message.map(|id| id.to_string()).unwrap_or_default();
        let query = Query::of(&[("back", &self.back.to_text()), ("message", &message)]);
        href::with(&href::operation(self.operation.id.as_str()), &query)
    }
}

fn decision_card(model: &Model) -> AnyView {
    let plan = &model.plan;
    let message = model.message.map(|id| id.to_string());
    view! {
        <div class="plan" data-tone=card_tone(plan.effect).as_str() data-plan=plan.action.as_str()>
            {effect_head(plan, None)}
            {evidence(plan, written(plan, message.as_deref(), None))}
        </div>
    }
    .into_any()
}

pub fn view(model: Model) -> AnyView {
    let plan = &model.plan;
    let id = model.operation.id.to_string();
    let (head, about) = question(plan);
    let message = model.message.map(|message| message.to_string());
    let led_by = message
        .as_deref()
        .map(|message| format!("message {}, ", short(message)));
    let known = format!(
        "{}revision {}, owner {}, planned ",
        led_by.unwrap_or_default(),
        plan.revision,
        visible(&model.operation.owner),
    );
    let context = Context {
        now: model.now,
        operation: &model.operation,
        plan,
        caller: model.caller.as_ref(),
        key: &model.key,
        page: "review",
        back: &model.back,
        message: message.as_deref(),
        returned: model.returned.as_ref(),
    };
    let recovers = plan.effect.makes_recovery();
    // Controls that cost money never stand beside others: a paid plan's decisions are on the operation's page.
    let decisions = if recovers {
        None
    } else {
        decision_form::forms(&context)
    };
    let body = if recovers {
        confirm_form(&model)
    } else {
        decision_card(&model)
    };
    let stale = model
        .stale
        .as_ref()
        .map(|stale| review_stale::changed(stale, plan, model.now));
    view! {
        <main id="main" class="page" data-holds=live::holds(plan) data-operation=id.clone() data-revision=plan.revision.to_string()
            data-plan=plan.action.as_str()>
            {live::strip(Some(crumbs(vec![
                Crumb::desk(&model.back),
                Crumb::id(id.clone(), model.cancel()),
                Crumb::here("review"),
            ])), model.now, &model.events)}
            {live::news()}
            <div class="title"><h1>{head} " " <span class="m">{outside(&about)}</span> "?"</h1></div>
            <div class="chips">
                {label_and_flag(plan.label, plan.refund_unresolved)}
                {effect_tag(plan.effect)}
                <span class="dim">{outside(&known)} {zoned(plan.planned_at)}</span>
            </div>
            {refused(model.returned.as_ref(), FORM)}
            {stale.map(|changed| view! { {changed} <h2 class="new-plan">"The plan that holds now"</h2> })}
            {body}
            {decisions}
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let id = edge.segment(1);
    let target = OperationId::from(id.as_str());
    let message = edge.query.get("message").and_then(DeadLetterId::parse);
    let observe = edge.query.get("observe").and_then(JobId::parse);
    let events = live::events(desk.as_ref(), &Topic::Operation(target.clone())).await;
    let operation = desk
        .operation(&target)
        .await
        .map_err(Problem::about("operation", &id))?;
    let plan = desk.plan(&target, observe.as_ref(), message).await?;
    let returned = Returned::of(&edge.query);
    let stale = review_stale::load(desk.as_ref(), &target, &edge.query, returned.as_ref()).await;
    let model = Model {
        now: desk.now(),
        operation,
        plan,
        observe,
        message,
        caller: desk.caller(),
        key: edge.key(FORM),
        back: way_back(&edge.query),
        returned,
        events,
        stale,
    };
    let title = format!("Review {id}: {}", words::action(model.plan.action).to_lowercase());
    Ok(Page {
        title,
        section: Section::Operations,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    use super::review_stale::{SEEN, WAS};
    use super::samples;
    let make = |operation: OperationView, observe: Option<&str>, query: &str| {
        let query = Query::parse(query);
        let plan = observe.map_or_else(
            || operation.plan.clone(),
            |job| samples::observe_plan(&operation, job),
        );
        Model {
            now,
            message: operation.dead_letters.first().map(|letter| letter.id),
            observe: observe.map(JobId::from),
            plan,
            operation,
            caller: Some(samples::caller()),
            key: "k-confirm".to_owned(),
            back: way_back(&query),
            returned: Returned::of(&query),
            events: None,
            stale: query.get(SEEN).map(|_| Stale {
                view: samples::revision(now),
                was: query.get(WAS).and_then(|text| text.parse().ok()),
            }),
        }
    };
    let back = "back=from%3D2026-11-28";
    let stale =
        "refused=plan_stale&form=confirm&seen=5&was=observe&typed.reason=the%20disk%20has%20room%20again";
    vec![
        ("review-dispatch", make(samples::not_submitted(now), None, back)),
        ("review-deliver", make(samples::half_delivered(now), None, stale)),
        ("review-blocked", make(samples::blocked(now), None, back)),
        (
            "review-observe",
            make(samples::half_delivered(now), Some("gj_48211"), back),
        ),
        (
            "review-reconcile",
            make(
                samples::contested(now),
                None,
                "refused=job_held_elsewhere&form=choose_job&typed.reason=x",
            ),
        ),
    ]
}
