//! The form that confirms a plan under review: its fields, its order, and its card.

use super::ordered;
use super::query::way_back;
use super::review::Model;
use super::review_stale::{SEEN, WAS};
use crate::components::badge::effect;
use crate::components::form::{Returned, hidden, is_invalid, reason, reason_field, send_back, text_field};
use crate::components::guards::blocked;
use crate::components::icon::icon;
use crate::components::plan::{card_tone, effect_head, evidence, order, written};
use crate::components::said::{ids_of_plan, said};
use crate::components::text::{outside, visible};
use crate::components::warnings::warnings;
use crate::components::words;
use crate::desk::{Code, DeskError, RecoveryOrder};
use crate::domain::ids::{DeadLetterId, JobId, OperationId};
use crate::domain::plan::{Action, Effect, Plan};
use crate::edge::Edge;
use crate::href::{self, Query};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use serde::{Deserialize, Serialize};

pub(super) const FORM: &str = "confirm";

fn wrong(what: &str) -> DeskError {
    DeskError::new(
        Code::InvalidRequest,
        format!("The {what} is missing or malformed."),
    )
}

/// The fields of the confirming form, as they come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConfirmForm {
    pub operation: String,
    pub revision: String,
    pub action: String,
    /// For `observe`: which id.
    pub job_id: String,
    /// The alternative read that the page was asked for, for the way back.
    pub observe: String,
    pub message: String,
    pub reason: String,
    /// The operation id, typed.
    pub confirm: String,
    pub follow: String,
    pub key: String,
    pub back: String,
}

impl ConfirmForm {
    fn order(&self) -> Result<(OperationId, RecoveryOrder), DeskError> {
        let target = OperationId::parse(&self.operation).ok_or_else(|| wrong("operation id"))?;
        let job_id = match self.job_id.as_str() {
            "" => None,
            text => Some(JobId::parse(text).ok_or_else(|| wrong("job id"))?),
        };
        let dead_letter_id = match self.message.as_str() {
            "" => None,
            text => Some(DeadLetterId::parse(text).ok_or_else(|| wrong("message id"))?),
        };
        let order = RecoveryOrder {
            revision: self.revision.parse().map_err(|_| wrong("revision"))?,
            action: self.action.parse().map_err(|_| wrong("action"))?,
            reason: reason(&self.reason)?.to_owned(),
            job_id,
            dead_letter_id,
            confirm: Some(self.confirm.trim().to_owned()).filter(|text| !text.is_empty()),
            follow: !self.follow.is_empty(),
        };
        Ok((target, order))
    }

    /// Back to the review, with what was typed. Creation is typed anew for each plan.
    fn refused(&self, edge: &Edge, code: Code) {
        let back = way_back(&Query::of(&[("back", &self.back)])).to_text();
        let mut query = Query::of(&[
            ("back", &back),
            ("message", &self.message),
            ("observe", &self.observe),
        ]);
        if code == Code::PlanStale {
            query = query.and(SEEN, &self.revision).and(WAS, &self.action);
        }
        let confirm = if code == Code::PlanStale {
            ""
        } else {
            self.confirm.as_str()
        };
        let kept = [
            ("reason", self.reason.as_str()),
            ("confirm", confirm),
            ("follow", self.follow.as_str()),
        ];
        send_back(edge, &href::review(&self.operation), &query, FORM, code, &kept);
    }
}

/// Confirms the plan that the person saw: intends one recovery.
#[server(prefix = "/forms", endpoint = "recoveries/confirm")]
pub async fn confirm_recovery(#[server(flatten)] form: ConfirmForm) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async {
        let (target, order) = form.order()?;
        desk.confirm(&target, order, &form.key).await
    };
    match result.await {
        Ok(ordered) => {
            let page = href::recovery(&ordered.recovery_id.to_string());
            edge.reply
                .redirect(&href::with(&page, &Query::of(&[("done", "requested")])));
        }
        Err(error) => form.refused(&edge, error.code),
    }
    Ok(())
}

/// The reason on the button that cannot be pressed.
fn why_disabled(plan: &Plan) -> Option<String> {
    if plan.allowed {
        return None;
    }
    let why = blocked(&plan.guards).unwrap_or("a guard blocks this");
    Some(format!("Blocked: {}", visible(why)))
}

pub(super) fn confirm_form(model: &Model) -> AnyView {
    let plan = &model.plan;
    let returned = model.returned.as_ref();
    let estimate = model.operation.estimated_credits;
    let id = model.operation.id.to_string();
    let message = model.message.map(|id| id.to_string());
    let spends = plan.effect == Effect::SubmitsNewGeneration;
    let tone = if spends { "spend" } else { "go" };
    let disabled = why_disabled(plan);
    let icon_name = if disabled.is_some() {
        "block"
    } else {
        effect(plan.effect).icon
    };
    let words = disabled.clone().unwrap_or_else(|| order(plan, estimate));
    let cancel = model.cancel();
    let aside = view! { <a class="btn" href=cancel.clone() autofocus=spends>"Cancel"</a> }.into_any();
    let head = if spends {
        paid_head(model, aside).into_any()
    } else {
        effect_head(plan, Some(aside)).into_any()
    };
    let typed = spends.then(|| {
        let label = view! { "Type " <code>{outside(&id)}</code> " to confirm" }.into_any();
        let hint = "The confirmation is good for a limited time. Nothing is sent twice.";
        text_field("confirm", label, hint, Returned::typed(returned, "confirm"), true)
    });
    let follow = (plan.action == Action::Observe).then(|| {
        let checked = !Returned::typed(returned, "follow").is_empty();
        view! {
            <label class="check">
                <input type="checkbox" name="follow" value="yes" checked=checked/>
                <span>"Follow it: read again, with growing pauses, until it ends or the time to wait is over."</span>
            </label>
        }
    });
    let invalid = is_invalid(returned);
    view! {
        <form class="plan" method="post" action=ConfirmRecovery::PATH data-tone=card_tone(plan.effect).as_str()
            data-action=plan.action.as_str() data-effect=plan.effect.as_str() aria-label=words::action(plan.action)>
            {head}
            {warnings(&plan.warnings)}
            {evidence(plan, written(plan, message.as_deref(), estimate))}
            <div class="cols">
                {hidden("operation", id)}
                {hidden("revision", plan.revision.to_string())}
                {hidden("action", plan.action.as_str().to_owned())}
                {hidden("job_id", plan.job_id.as_ref().map(ToString::to_string).filter(|_| plan.action == Action::Observe).unwrap_or_default())}
                {hidden("observe", model.observe.as_ref().map(ToString::to_string).unwrap_or_default())}
                {hidden("message", message.unwrap_or_default())}
                {hidden("key", model.key.clone())}
                {hidden("back", model.back.to_text())}
                {reason_field(Returned::typed(returned, "reason"), invalid)}
                {typed}
                {follow}
            </div>
            <div class="acts">
                <a class="btn" href=cancel>"Cancel"</a>
                <button class="btn" data-tone=tone type="submit" disabled=disabled.is_some()>{icon(icon_name)} {said(&words, &ids_of_plan(plan))}</button>
            </div>
        </form>
    }
    .into_any()
}

/// The consequence in two lines, large: a new generation, its price.
fn paid_head(model: &Model, cancel: AnyView) -> AnyView {
    let price = match model.operation.estimated_credits {
        Some(price) => format!("Estimated cost {}. This cannot be undone.", words::credits(price)),
        None => "Its cost is not known. This cannot be undone.".to_owned(),
    };
    let provider = visible(&model.operation.provider);
    // What the large lines say is not said again.
    let summary = model.plan.summary.as_str();
    let why = summary
        .split_once("cannot be undone. ")
        .map_or(summary, |(_, why)| why);
    view! {
        <div class="effect">
            {icon(effect(model.plan.effect).icon)}
            <div>
                <p>{format!("Submits a NEW generation to {provider}.")}<br/>{price}</p>
                <span class="why-now" data-summary="">{said(why, &ids_of_plan(&model.plan))}</span>
            </div>
            {cancel}
        </div>
    }
    .into_any()
}
