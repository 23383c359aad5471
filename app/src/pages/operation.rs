//! `/operations/{id}`: the deep link. Two lanes side by side, what is known, the next action, and everything that happened.

use super::decision_form::{self, Context};
use super::error::Problem;
use super::operation_parts::{facts, messages, search_line};
use super::operation_text::{Copied, copied_text};
use super::outputs::outputs;
use super::query::way_back;
use super::review_stale::{self, Stale};
use super::timeline::{Story, timeline};
use super::{Page, Wanted, audit, claim, history, note, recoveries};
use crate::components::badge::{effect_tag, label_and_flag};
use crate::components::circuit::circuit;
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{Returned, finished};
use crate::components::frame::Section;
use crate::components::guards::blocked;
use crate::components::icon::icon;
use crate::components::lanes::lanes;
use crate::components::lanes_view::lanes_table;
use crate::components::live::{self, Events};
use crate::components::meta::meta;
use crate::components::notice::done;
use crate::components::plan::{card_tone, effect_head, evidence, order, written};
use crate::components::said::{ids_of_operation, ids_of_plan, said};
use crate::components::text::{outside, visible};
use crate::components::words;
use crate::desk::view::{Candidates, OperationView};
use crate::desk::{AuditFilter, PageRequest, Topic};
use crate::domain::audit::AuditEntry;
use crate::domain::ids::{DeadLetterId, OperationId};
use crate::domain::plan::Effect;
use crate::domain::role::Caller;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use futures::join;
use leptos::prelude::*;

/// Entries of the audit on this page; the rest is one link away.
const AUDIT_SHOWN: u32 = 20;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub operation: OperationView,
    /// Newest first.
    pub audit: Vec<AuditEntry>,
    pub caller: Option<Caller>,
    pub key: String,
    pub back: Query,
    /// The message that led here.
    pub message: Option<DeadLetterId>,
    /// What the provider's search found, when it was asked for.
    pub candidates: Option<Candidates>,
    pub returned: Option<Returned>,
    pub done: Option<String>,
    pub events: Events,
    /// Of a decision whose plan went stale.
    pub stale: Option<Stale>,
    /// Scheme and host, for the link in the Markdown.
    pub base: String,
}

impl Model {
    /// Keeps the way here for the pages that follow.
    pub(super) fn side(&self) -> Query {
        let message = self.message.map(|id| id.to_string()).unwrap_or_default();
        Query::of(&[("message", &message), ("back", &self.back.to_text())])
    }

    fn review(&self) -> String {
        href::with(&href::review(self.operation.id.as_str()), &self.side())
    }
}

fn plan_card(model: &Model) -> AnyView {
    let view = &model.operation;
    let plan = &view.plan;
    let message = model.message.map(|id| id.to_string());
    let recovers = plan.effect.makes_recovery();
    let button = if !recovers && plan.decisions.is_empty() {
        None
    } else if plan.allowed || !recovers {
        let words = if recovers {
            format!("Review: {}", order(plan, view.estimated_credits))
        } else {
            order(plan, None)
        };
        let href = if recovers {
            model.review()
        } else {
            "#decisions".to_owned()
        };
        Some(view! { <a class="btn" data-tone="go" data-review="" href=href>{said(&words, &ids_of_plan(plan))}</a> }.into_any())
    } else {
        let why = format!(
            "Blocked: {}",
            visible(blocked(&plan.guards).unwrap_or("a guard blocks this"))
        );
        let href = model.review();
        Some(
            view! {
                <span><button class="btn" disabled>{icon("block")} {said(&why, &ids_of_plan(plan))}</button> " "
                    <a data-review="" href=href>"Look at the review"</a></span>
            }
            .into_any(),
        )
    };
    let reads = plan
        .alternatives
        .iter()
        .map(|one| {
            let href = href::with(
                &href::review(view.id.as_str()),
                &model.side().and("observe", one.job_id.as_str()),
            );
            view! {
                " " <a data-alternative=one.action.as_str() data-job=one.job_id.to_string() href=href>
                    {one.action.as_str()} " " <span class="m">{outside(one.job_id.as_str())}</span></a>
            }
        })
        .collect::<Vec<_>>();
    // What reads never stands beside what costs.
    let spends = plan.effect == Effect::SubmitsNewGeneration;
    let reads = (!reads.is_empty())
        .then(|| view! { <span>"Always allowed:" {reads} " " {effect_tag(Effect::ReadsStatus)}</span> });
    let (beside, apart) = if spends { (None, reads) } else { (reads, None) };
    view! {
        <section class="block" id="next">
            <h2>"Next action" <small>{format!("decided at revision {}, row {} of the decision table", plan.revision, plan.row)}</small></h2>
            <div class="plan" data-tone=card_tone(plan.effect).as_str() data-plan=plan.action.as_str()
                data-effect=plan.effect.as_str() data-allowed=plan.allowed.to_string()>
                {effect_head(plan, None)}
                {evidence(plan, written(plan, message.as_deref(), view.estimated_credits))}
                <div class="acts">{button} {beside}</div>
            </div>
            {apart.map(|reads| view! { <p class="apart" data-reads="">{reads}</p> })}
            {search_line(model)}
        </section>
    }
    .into_any()
}

fn audit_block(model: &Model) -> AnyView {
    let all = href::with(
        href::AUDIT,
        &Query::of(&[("operation", model.operation.id.as_str())]),
    );
    let body = if model.audit.is_empty() {
        view! { <p class="dim">"Nobody has acted on this operation yet."</p> }.into_any()
    } else {
        audit::table(audit::rows(&model.audit, model.now, false), false).into_any()
    };
    view! {
        <section class="block"><h2>"Audit" <small>"newest first, " <a href=all>"all entries"</a></small></h2>{body}</section>
    }
    .into_any()
}

pub fn view(model: Model) -> AnyView {
    let view = &model.operation;
    let now = model.now;
    let id = view.id.to_string();
    let ids = ids_of_operation(view);
    let not_known = (!view.not_known.is_empty())
        .then(|| view! { <dt>"Not known"</dt><dd data-not-known="">{said(&view.not_known, &ids)}</dd> });
    let key = model.key.clone();
    let message = model.message.map(|id| id.to_string());
    let context = Context {
        now,
        operation: view,
        plan: &view.plan,
        caller: model.caller.as_ref(),
        key: &key,
        page: "operation",
        back: &model.back,
        message: message.as_deref(),
        returned: model.returned.as_ref(),
    };
    let recoveries = (!view.recoveries.is_empty()).then(|| {
        view! {
            <section class="block"><h2>"Recoveries" <small>"newest first"</small></h2>
                {recoveries::table(&view.recoveries, now, false)}</section>
        }
    });
    let back = model.back.to_text();
    let claiming = claim::Context {
        now,
        operation: &view.id,
        claim: view.claim.as_ref(),
        notes: &view.notes,
        caller: model.caller.as_ref(),
        key: model.key.clone(),
        back: back.clone(),
        returned: model.returned.as_ref(),
    };
    let noting = note::Context {
        now,
        operation: &view.id,
        notes: &view.notes,
        caller: model.caller.as_ref(),
        key: format!("{}-{}", model.key, note::FORM),
        back,
        returned: model.returned.as_ref(),
    };
    let story = Story {
        operation: &view.id,
        ids: ids.clone(),
        events: &view.timeline,
        notes: &view.notes,
        audit: &model.audit,
    };
    let copied = Copied {
        view,
        now,
        base: &model.base,
    };
    let next = format!("Next action: {}", words::action(view.plan.action).to_lowercase());
    view! {
        <main id="main" class="page" data-live="main" data-say=format!("{}, revision {}", view.label.words(), view.revision)
            data-operation=id.clone() data-label=view.label.as_str()
            data-revision=view.revision.to_string() data-phase=view.phase.as_str()>
            {live::strip(Some(crumbs(vec![
                Crumb::desk(&model.back),
                Crumb { is_id: true, ..Crumb::here(id.clone()) },
            ])), now, &model.events)}
            {model.done.clone().map(done)}
            <div class="title">
                <h1 class="m">{outside(&id)}</h1>
                <button class="btn mini" type="button" data-copy=id.clone() hidden>"Copy id"</button>
                {label_and_flag(view.label, view.refund_unresolved)}
                <div class="end"><a class="btn" href="#summary">"Copy as Markdown"</a> <a class="btn" data-tone="go" href="#next">{next}</a></div>
            </div>
            {claim::claim_line(&claiming)}
            {meta(facts(view))}
            {view.circuit.as_ref().map(|stated| circuit(stated, now))}
            // What comes later stands beside what comes first where there is room: the order is the same.
            <div class="spread">
                <div>
                    {lanes_table(lanes(view, now), now, &ids)}
                    <dl class="known">
                        <dt>"Known"</dt><dd data-known="">{said(&view.known, &ids)}</dd>
                        {not_known}
                    </dl>
                    {plan_card(&model)}
                    {model.stale.as_ref().map(|stale| review_stale::changed(stale, &view.plan, now))}
                    {decision_form::forms(&context)}
                    {timeline(&story, now)}
                </div>
                <div>
                    {outputs(view)}
                    {recoveries}
                    {note::notes(&noting)}
                    {messages(&model)}
                    {copied_text(&copied)}
                    {audit_block(&model)}
                </div>
            </div>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let id = edge.segment(1);
    if let Some(at) = edge.query.get("at").map(str::to_owned) {
        return history::load(Wanted { desk, edge }, id, &at).await;
    }
    let target = OperationId::from(id.as_str());
    // Following asks again and again; the provider's search is asked once.
    let events = match edge.query.get("candidates") {
        Some(_) => None,
        None => live::events(desk.as_ref(), &Topic::Operation(target.clone())).await,
    };
    let filter = AuditFilter {
        operation: Some(id.clone()),
        ..AuditFilter::default()
    };
    let newest = PageRequest {
        cursor: None,
        limit: AUDIT_SHOWN,
    };
    let (operation, audit) = join!(desk.operation(&target), desk.audit(&filter, &newest));
    let operation = operation.map_err(Problem::about("operation", &id))?;
    let candidates = match edge.query.get("candidates") {
        Some(_) => Some(desk.candidates(&target).await.unwrap_or_else(|error| Candidates {
            searched: false,
            job_ids: Vec::new(),
            detail: error.detail,
        })),
        None => None,
    };
    let returned = Returned::of(&edge.query);
    let stale = review_stale::load(desk.as_ref(), &target, &edge.query, returned.as_ref()).await;
    let title = format!("{id}: {}", operation.label.words());
    let model = Model {
        now: desk.now(),
        operation,
        audit: audit.map(|page| page.items).unwrap_or_default(),
        caller: desk.caller(),
        key: edge.key("operation"),
        back: way_back(&edge.query),
        message: edge.query.get("message").and_then(DeadLetterId::parse),
        candidates,
        returned,
        done: finished(&edge.query),
        events,
        stale,
        base: edge.around.base,
    };
    Ok(Page {
        title,
        section: Section::Operations,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    use super::samples;
    let make = |operation: OperationView, query: &str| {
        let query = Query::parse(query);
        Model {
            now,
            audit: samples::audit(now),
            caller: Some(samples::caller()),
            key: "k".to_owned(),
            back: way_back(&query),
            message: operation.dead_letters.first().map(|letter| letter.id),
            candidates: query.get("candidates").map(|_| samples::candidates()),
            returned: Returned::of(&query),
            done: finished(&query),
            events: Some(Topic::Operation(operation.id.clone()).events(Some("m1"))),
            stale: query.get(review_stale::SEEN).map(|_| Stale {
                view: samples::revision(now),
                was: None,
            }),
            base: "https://office.example.test".to_owned(),
            operation,
        }
    };
    vec![
        (
            "operation",
            make(samples::half_delivered(now), "back=disposition%3Dopen"),
        ),
        (
            "operation-contested",
            make(
                samples::contested(now),
                "refused=plan_stale&form=choose_job&seen=5&candidates=yes",
            ),
        ),
        (
            "operation-not-submitted",
            make(samples::not_submitted(now), "done=decided"),
        ),
        ("operation-blocked", make(samples::blocked(now), "")),
        (
            "operation-claimed",
            make(
                samples::claimed(now),
                "refused=invalid_request&form=note&typed.text=x",
            ),
        ),
        ("operation-mine", make(samples::mine(now), "done=noted")),
        ("operation-lost", make(samples::lost(now), "")),
        ("operation-twenty", make(samples::twenty(now), "")),
    ]
}
