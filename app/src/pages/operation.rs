//! `/operations/{id}`: the deep link. Two lanes side by side, what is known, the next action, and everything that happened.

use super::decision_form::{self, Context};
use super::error::Problem;
use super::operation_text::{copied, markdown};
use super::query::way_back;
use super::{Page, Wanted, audit, message, recoveries};
use crate::components::badge::{Face, Tone, effect_tag, label_and_flag, tag};
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::form::{Returned, finished};
use crate::components::frame::Section;
use crate::components::guards::blocked;
use crate::components::icon::icon;
use crate::components::lanes::lanes;
use crate::components::lanes_view::lanes_table;
use crate::components::meta::{meta, mono};
use crate::components::notice::{caution, done};
use crate::components::plan::{card_tone, effect_head, evidence, order, written};
use crate::components::text::{ABSENT, outside, short, visible};
use crate::components::time::{ago, clock, when};
use crate::components::words;
use crate::desk::view::{Candidates, OperationView};
use crate::desk::{AuditFilter, PageRequest};
use crate::domain::audit::AuditEntry;
use crate::domain::ids::{DeadLetterId, OperationId};
use crate::domain::plan::Action;
use crate::domain::remote::CopyState;
use crate::domain::role::Caller;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
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
}

impl Model {
    /// Keeps the way here for the pages that follow.
    fn side(&self) -> Query {
        let message = self.message.map(|id| id.to_string()).unwrap_or_default();
        Query::of(&[("message", &message), ("back", &self.back.to_text())])
    }

    fn review(&self) -> String {
        href::with(&href::review(self.operation.id.as_str()), &self.side())
    }
}

fn facts(view: &OperationView) -> Vec<(&'static str, AnyView)> {
    let specification = match view.specification_current {
        Some(current) if current != view.specification.revision => {
            format!(" r{}, now r{current}", view.specification.revision)
        }
        Some(_) | None => format!(" r{}", view.specification.revision),
    };
    let account = if view.account.is_empty() { String::new() } else { format!(", account {}", view.account) };
    let mut list = vec![
        ("Provider", outside(&format!("{}{account}", view.provider))),
        ("Job", mono(view.remote.job_id.as_ref().map(|job| job.as_str()))),
        ("Model", mono(view.model.as_deref())),
        (
            "Specification",
            view! { <span class="m">{outside(&view.specification.id)}</span> {specification} }.into_any(),
        ),
        ("Owner", mono(Some(&view.owner))),
        ("Charge", words::charge(&view.charge).into_any()),
        ("Evidence of sending", words::dispatch(view.dispatch).into_any()),
        ("Revision", view.revision.into_any()),
    ];
    if let Some(error) = &view.error {
        let detail = error.detail.as_deref().map(|detail| view! { ": " {outside(detail)} });
        list.push(("Reported error", view! { <span class="m">{error.category.as_str()}</span> {detail} }.into_any()));
    }
    let link = |id: &OperationId| view! { <a class="m" href=href::operation(id.as_str())>{outside(id.as_str())}</a> " " };
    if let Some(parent) = &view.parent {
        list.push(("Parent", link(parent).into_any()));
    }
    if !view.children.is_empty() {
        list.push(("Children", view.children.iter().map(link).collect::<Vec<_>>().into_any()));
    }
    list
}

fn plan_card(model: &Model) -> AnyView {
    let view = &model.operation;
    let plan = &view.plan;
    let message = model.message.map(|id| id.to_string());
    let recovers = plan.effect.makes_recovery();
    let button = if !recovers && plan.decisions.is_empty() {
        None
    } else if plan.allowed || !recovers {
        let words = if recovers { format!("Review: {}", order(plan, view.estimated_credits)) } else { order(plan, None) };
        let href = if recovers { model.review() } else { "#decisions".to_owned() };
        Some(view! { <a class="btn" data-tone="go" data-review="" href=href>{words}</a> }.into_any())
    } else {
        let why = format!("Blocked: {}", visible(blocked(&plan.guards).unwrap_or("a guard blocks this")));
        let href = model.review();
        Some(
            view! {
                <span><button class="btn" disabled>{icon("block")} {why}</button> " "
                    <a data-review="" href=href>"Look at the review"</a></span>
            }
            .into_any(),
        )
    };
    let reads = plan
        .alternatives
        .iter()
        .map(|one| {
            let href = href::with(&href::review(view.id.as_str()), &model.side().and("observe", one.job_id.as_str()));
            view! {
                " " <a data-alternative=one.action.as_str() data-job=one.job_id.to_string() href=href>
                    {one.action.as_str()} " " <span class="m">{outside(one.job_id.as_str())}</span></a>
            }
        })
        .collect::<Vec<_>>();
    let reads = (!reads.is_empty()).then(|| {
        view! { <span>"Always allowed:" {reads} " " {effect_tag(crate::domain::plan::Effect::ReadsStatus)}</span> }
    });
    view! {
        <section class="block" id="next">
            <h2>"Next action" <small>{format!("decided at revision {}, row {} of the decision table", plan.revision, plan.row)}</small></h2>
            <div class="plan" data-tone=card_tone(plan.effect).as_str() data-plan=plan.action.as_str()
                data-effect=plan.effect.as_str() data-allowed=plan.allowed.to_string()>
                {effect_head(plan, None)}
                {evidence(plan, written(plan, message.as_deref(), view.estimated_credits))}
                <div class="acts">{button} {reads}</div>
            </div>
        </section>
    }
    .into_any()
}

fn timeline(view: &OperationView, now: DateTime<Utc>) -> AnyView {
    let rows = view
        .timeline
        .iter()
        .rev()
        .map(|event| {
            let dash = || ABSENT.into_any();
            view! {
                <tr role="row" data-event=event.kind.as_str()>
                    <td role="cell" data-l="When">{when(event.at, clock(now, event.at))} " " <span class="dim">{ago(now, event.at)}</span></td>
                    <td role="cell" data-l="What"><strong>{event.kind.as_str().replace('_', " ")}</strong></td>
                    <td role="cell" data-l="Evidence" class="w">{outside(&event.title)}
                        {(!event.detail.is_empty()).then(|| view! { ": " {outside(&event.detail)} })}</td>
                    <td role="cell" data-l="Source">{outside(&event.source)}</td>
                    <td role="cell" data-l="Money" class="r n">{event.money.as_deref().map_or_else(dash, outside)}</td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    view! {
        <section class="block"><h2>"Timeline" <small>"newest first"</small></h2>
            <div class="sheet"><table class="ledger" role="table" aria-label="Timeline">
                <thead role="rowgroup"><tr role="row">
                    <th role="columnheader" scope="col">"When"</th>
                    <th role="columnheader" scope="col">"What"</th>
                    <th role="columnheader" scope="col">"Evidence"</th>
                    <th role="columnheader" scope="col">"Source"</th>
                    <th role="columnheader" scope="col" class="r">"Money"</th>
                </tr></thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table></div>
        </section>
    }
    .into_any()
}

const NOT_COPIED: Face = Face { words: "not copied", icon: "local-failure", tone: Tone::Act, place: None };
const LOST: Face = Face { words: "declared lost", icon: "remote-failed", tone: Tone::Rest, place: None };

fn outputs(view: &OperationView) -> Option<AnyView> {
    let listed = view.remote.axes.outputs.clone().unwrap_or_default();
    let mut indexes: Vec<u32> = listed.iter().map(|output| output.index).collect();
    indexes.extend(view.outputs.iter().map(|output| output.index));
    indexes.extend(0..view.remote.axes.outputs_expected.unwrap_or(0).min(crate::desk::filter::MAX_LIMIT));
    indexes.sort_unstable();
    indexes.dedup();
    if indexes.is_empty() {
        return None;
    }
    let (ours, all) = copied(view);
    let rows = indexes
        .into_iter()
        .map(|index| {
            let copy = view.outputs.iter().find(|copy| copy.index == index);
            let kind = listed.iter().find(|output| output.index == index).and_then(|output| output.content_type.clone());
            let lost = view.lost_outputs.contains(&index);
            let category = copy.and_then(|copy| copy.category);
            let state = match copy.map(|copy| copy.state) {
                Some(CopyState::Delivered) => "copied and verified".into_any(),
                Some(CopyState::Pending | CopyState::Failed) | None if lost => tag(LOST).into_any(),
                Some(CopyState::Pending | CopyState::Failed) => view! {
                    {tag(NOT_COPIED)} " " {category.map(|category| view! { <span class="m">{category.as_str()}</span> })}
                }
                .into_any(),
                None => view! { {tag(NOT_COPIED)} " not tried" }.into_any(),
            };
            let bytes = copy.and_then(|copy| copy.bytes).map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
            let hash = copy.and_then(|copy| copy.sha256.clone());
            view! {
                <tr role="row" data-output=index.to_string() data-copied=copy.is_some_and(|copy| copy.state == CopyState::Delivered).to_string()>
                    <td role="cell" data-l="Index">{index}</td>
                    <td role="cell" data-l="Type">{kind.as_deref().map_or_else(|| ABSENT.into_any(), outside)}</td>
                    <td role="cell" data-l="Our copy" class="w">{state}</td>
                    <td role="cell" data-l="Bytes" class="r n">{bytes.map_or_else(|| ABSENT.to_owned(), words::thousands)}</td>
                    <td role="cell" data-l="sha256">{hash.map_or_else(|| ABSENT.into_any(), |hash| {
                        view! { <span class="m" title=hash.clone()>{short(&hash)} "…"</span> }.into_any()
                    })}</td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    Some(
        view! {
            <section class="block"><h2>"Outputs" <small>{format!("{ours} of {all} copied")}</small></h2>
                <div class="sheet"><table class="ledger" role="table" aria-label="Outputs">
                    <thead role="rowgroup"><tr role="row">
                        <th role="columnheader" scope="col">"Index"</th>
                        <th role="columnheader" scope="col">"Type"</th>
                        <th role="columnheader" scope="col">"Our copy"</th>
                        <th role="columnheader" scope="col" class="r">"Bytes"</th>
                        <th role="columnheader" scope="col">"sha256"</th>
                    </tr></thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table></div>
            </section>
        }
        .into_any(),
    )
}

fn messages(model: &Model) -> Vec<AnyView> {
    let back = model.back.to_text();
    model
        .operation
        .dead_letters
        .iter()
        .map(|letter| {
            let id = letter.id.to_string();
            let href = href::with(&href::dead_letter(&id), &Query::of(&[("back", &back)]));
            let about = format!(
                "redacted; {}, queue {}, {} of {} attempts",
                visible(&letter.job_name),
                visible(&letter.queue),
                letter.attempts,
                letter.max_attempts
            );
            view! {
                <section class="block" data-message=id.clone()>
                    <details>
                        <summary>"Dead message " <span class="m">{short(&id)}</span> <small>{about}</small></summary>
                        <p><a href=href>"Open the message"</a></p>
                        {message::content(letter)}
                    </details>
                </section>
            }
            .into_any()
        })
        .collect()
}

fn search_line(model: &Model) -> Option<AnyView> {
    let view = &model.operation;
    if let Some(found) = &model.candidates {
        let ids = found.job_ids.iter().map(|job| view! { " " <span class="m">{outside(job.as_str())}</span> }).collect::<Vec<_>>();
        let title = match (found.searched, found.job_ids.is_empty()) {
            (false, _) => "The provider has no answer.",
            (true, true) => "The provider found nothing.",
            (true, false) => "The provider found candidates. Evidence only:",
        };
        let text = view! { {ids} " " {outside(&found.detail)} }.into_any();
        return Some(view! { <div data-candidates="">{caution(title, text)}</div> }.into_any());
    }
    let lost = view.plan.action == Action::Reconcile && view.remote.job_id.is_none();
    lost.then(|| {
        let href = href::with(&href::operation(view.id.as_str()), &model.side().and("candidates", "yes"));
        view! { <p><a href=href>"Ask the provider’s search for this operation’s job"</a> ". It creates nothing." </p> }.into_any()
    })
}

fn audit_block(model: &Model) -> AnyView {
    let all = href::with(href::AUDIT, &Query::of(&[("operation", model.operation.id.as_str())]));
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
    let not_known = (!view.not_known.is_empty())
        .then(|| view! { <dt>"Not known"</dt><dd data-not-known="">{outside(&view.not_known)}</dd> });
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
    let next = format!("Next action: {}", words::action(view.plan.action).to_lowercase());
    view! {
        <main id="main" class="page" data-operation=id.clone() data-label=view.label.as_str()
            data-revision=view.revision.to_string() data-phase=view.phase.as_str()>
            {crumbs(vec![
                Crumb::link("Dead letters", href::with(href::DEAD_LETTERS, &model.back)),
                Crumb { is_id: true, ..Crumb::here(id.clone()) },
            ])}
            {model.done.clone().map(done)}
            <div class="title">
                <h1 class="m">{outside(&id)}</h1>
                {label_and_flag(view.label, view.refund_unresolved)}
                <div class="end"><a class="btn" data-tone="go" href="#next">{next}</a></div>
            </div>
            {meta(facts(view))}
            {lanes_table(lanes(view, now), now)}
            <dl class="known">
                <dt>"Known"</dt><dd data-known="">{outside(&view.known)}</dd>
                {not_known}
            </dl>
            {plan_card(&model)}
            {search_line(&model)}
            {decision_form::forms(&context)}
            {timeline(view, now)}
            {outputs(view)}
            {recoveries}
            {messages(&model)}
            <section class="block">
                <details>
                    <summary>"As Markdown" <small>"for the incident channel"</small></summary>
                    <pre tabindex="0" role="region" aria-label="Markdown">{outside(&markdown(view, now))}</pre>
                </details>
            </section>
            {audit_block(&model)}
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let id = edge.segment(1);
    let target = OperationId::from(id.as_str());
    let operation = desk.operation(&target).await.map_err(Problem::about("operation", &id))?;
    let filter = AuditFilter { operation: Some(id.clone()), ..AuditFilter::default() };
    let audit = desk.audit(&filter, &PageRequest { cursor: None, limit: AUDIT_SHOWN }).await;
    let candidates = match edge.query.get("candidates") {
        Some(_) => Some(desk.candidates(&target).await.unwrap_or_else(|error| Candidates {
            searched: false,
            job_ids: Vec::new(),
            detail: error.detail,
        })),
        None => None,
    };
    let model = Model {
        now: desk.now(),
        operation,
        audit: audit.map(|page| page.items).unwrap_or_default(),
        caller: desk.caller(),
        key: edge.key("operation"),
        back: way_back(&edge.query),
        message: edge.query.get("message").and_then(DeadLetterId::parse),
        candidates,
        returned: Returned::of(&edge.query),
        done: finished(&edge.query),
    };
    Ok(Page { title: id, section: Section::Operations, status: 200, body: view(model).into_any() })
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
            operation,
        }
    };
    vec![
        ("operation", make(samples::half_delivered(now), "back=disposition%3Dopen")),
        ("operation-contested", make(samples::contested(now), "refused=plan_stale&form=choose_job&candidates=yes")),
        ("operation-not-submitted", make(samples::not_submitted(now), "done=decided")),
        ("operation-blocked", make(samples::blocked(now), "")),
        ("operation-lost", make(samples::lost(now), "")),
    ]
}
