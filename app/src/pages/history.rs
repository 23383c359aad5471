//! `/operations/{id}?at=<revision>`: the record as it stood then, marked as history, and what differs now. It has no forms.

use super::error::Problem;
use super::query::way_back;
use super::timeline::{Story, timeline};
use super::{Page, Wanted};
use crate::components::changes::changes;
use crate::components::crumbs::{Crumb, crumbs};
use crate::components::frame::Section;
use crate::components::icon::icon;
use crate::components::live::{self, Events};
use crate::components::meta::meta;
use crate::components::notice::caution;
use crate::components::text::outside;
use crate::components::time::{ago, moment};
use crate::components::words;
use crate::desk::{Code, DeskError, FieldLine, RevisionView, Topic, compare};
use crate::domain::ids::{JobId, OperationId};
use crate::domain::operation::Operation;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub view: RevisionView,
    pub back: Query,
    pub events: Events,
}

/// The way to the kept neighbours of this revision, and to the record as it is.
fn steps(model: &Model) -> AnyView {
    let view = &model.view;
    let id = view.operation.as_str();
    let step = |revision: i64, words: String, rel: &'static str| {
        let href = href::revision(id, revision);
        view! { <a class="btn" rel=rel href=href>{words}</a> }
    };
    let last = view.now.revision;
    let before = (view.revision > 1).then(|| {
        step(
            view.revision - 1,
            format!("Revision {}", view.revision - 1),
            "prev",
        )
    });
    let after = (view.revision + 1 < last).then(|| {
        step(
            view.revision + 1,
            format!("Revision {}", view.revision + 1),
            "next",
        )
    });
    let current = href::with(
        &href::operation(id),
        &Query::of(&[("back", &model.back.to_text())]),
    );
    view! {
        <nav class="steps" aria-label="Revisions">
            {before} {after}
            <a class="btn" data-tone="go" href=current>{format!("As it stands now, revision {last}")}</a>
        </nav>
    }
    .into_any()
}

fn marked(model: &Model, then: &Operation, written_at: DateTime<Utc>) -> AnyView {
    let view = &model.view;
    let words = if view.revision == view.now.revision {
        "It stands at that revision still.".to_owned()
    } else {
        format!("It stands at revision {} now.", view.now.revision)
    };
    view! {
        <div class="notice" data-notice="history" data-tone="decide">
            {icon("stale")}
            <p><strong>"This is history. "</strong>
                {format!("The record as it stood at revision {}, written ", view.revision)}
                {moment(model.now, written_at)} " (" {ago(model.now, written_at)} "): phase "
                <b>{then.phase.as_str()}</b> ", evidence " {words::dispatch(then.dispatch)} ". " {words}
                " Nothing can be ordered here."</p>
        </div>
    }
    .into_any()
}

fn differences(model: &Model, lines: &[FieldLine]) -> AnyView {
    let view = &model.view;
    let then = format!("Revision {}", view.revision);
    let now = format!("Revision {}, now", view.now.revision);
    let (changed, same): (Vec<FieldLine>, Vec<FieldLine>) =
        lines.iter().cloned().partition(FieldLine::differs);
    let same: Vec<FieldLine> = same.into_iter().filter(|line| !line.then.is_empty()).collect();
    let count = words::count(
        i64::try_from(changed.len()).unwrap_or(i64::MAX),
        "field differs",
        "fields differ",
    );
    let table = if changed.is_empty() {
        view! { <p class="dim">"Nothing of the record differs."</p> }.into_any()
    } else {
        changes("What differs now", then, now, &changed)
    };
    view! {
        <section class="block" data-diff=changed.len().to_string()><h2>"What differs now" <small>{count}</small></h2>{table}</section>
        <section class="block"><h2>"What is the same" <small>"fields that are set"</small></h2>
            {meta(same.iter().map(|line| (line.field, outside(&line.then))).collect())}</section>
    }
    .into_any()
}

fn kept(model: &Model) -> AnyView {
    let view = &model.view;
    let items = view
        .kept
        .iter()
        .map(|(revision, at)| {
            let current = (*revision == view.revision).then_some("true");
            let href = href::revision(view.operation.as_str(), *revision);
            view! {
                <li><a href=href aria-current=current>{format!("Revision {revision}")}</a> " "
                    <span class="dim">{moment(model.now, *at)}</span></li>
            }
        })
        .collect::<Vec<_>>();
    view! {
        <section class="block"><h2>"Kept revisions" <small>"newest first"</small></h2><ul class="revisions">{items}</ul></section>
    }
    .into_any()
}

pub fn view(model: Model) -> AnyView {
    let view = &model.view;
    let id = view.operation.to_string();
    let now_href = href::with(
        &href::operation(&id),
        &Query::of(&[("back", &model.back.to_text())]),
    );
    let body = match &view.then {
        Some((then, written_at)) => {
            let lines = compare(then, &view.now);
            view! { {marked(&model, then, *written_at)} {differences(&model, &lines)} }.into_any()
        }
        None => {
            let text = format!(
                "Revision {} of the record is not kept: it was written before this office kept them. The timeline below tells what was written down then.",
                view.revision
            );
            view! { <div data-not-kept="">{caution("Not kept.", text.into_any())}</div> }.into_any()
        }
    };
    let story = Story {
        operation: &view.operation,
        ids: view.now.job_id.iter().map(JobId::as_str).collect(),
        events: &view.timeline,
        notes: &[],
        audit: &[],
    };
    view! {
        <main id="main" class="page" data-operation=id.clone() data-history=view.revision.to_string()
            data-live="main" data-revision=view.now.revision.to_string()>
            {live::strip(Some(crumbs(vec![
                Crumb::desk(&model.back),
                Crumb::id(id.clone(), now_href),
                Crumb::here(format!("revision {}", view.revision)),
            ])), model.now, &model.events)}
            <div class="title">
                <h1><span class="m">{outside(&id)}</span> {format!(" at revision {}", view.revision)}</h1>
                <span class="tag" data-tone="decide">"History"</span>
            </div>
            {steps(&model)}
            <div class="spread">
                <div>{body}</div>
                <div>{timeline(&story, model.now)} {kept(&model)}</div>
            </div>
        </main>
    }
    .into_any()
}

/// The operation's page with `?at=`.
pub(super) async fn load(wanted: Wanted, id: String, at: &str) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let revision: i64 = at
        .parse()
        .map_err(|_| DeskError::new(Code::InvalidRequest, "A revision is a number: ?at=7."))?;
    let target = OperationId::from(id.as_str());
    let events = live::events(desk.as_ref(), &Topic::Operation(target.clone())).await;
    let view = desk.revision(&target, revision).await?;
    let model = Model {
        now: desk.now(),
        view,
        back: way_back(&edge.query),
        events,
    };
    Ok(Page {
        title: format!("{id} at revision {revision}"),
        section: Section::Operations,
        status: 200,
        body: self::view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let view = super::samples::revision(now);
    let make = |view: RevisionView| Model {
        now,
        view,
        back: Query::of(&[("label", "closed")]),
        events: None,
    };
    let current = RevisionView {
        revision: view.now.revision,
        then: Some((view.now.clone(), now)),
        ..view.clone()
    };
    let not_kept = RevisionView {
        revision: 2,
        then: None,
        ..view.clone()
    };
    vec![
        ("history", make(view)),
        ("history-current", make(current)),
        ("history-not-kept", make(not_kept)),
    ]
}
