//! The desk's rail: labels with live counts in the order of the operation's life, then queues.

use super::desk::Model;
use super::views::saved;
use crate::components::badge;
use crate::components::icon::icon;
use crate::components::piece::piece;
use crate::components::text::outside;
use crate::components::words;
use crate::desk::Shelf;
use crate::desk::view::Summary;
use crate::domain::label::Label;
use crate::href::{self, Query};
use leptos::prelude::*;

/// The rail's groups repeat on whose side things stand.
const GROUPS: [(&str, &[Label]); 5] = [
    (
        "Before sending",
        &[
            Label::NotSubmitted,
            Label::SubmissionRejected,
            Label::SubmissionOutcomeUnknown,
        ],
    ),
    (
        "At the provider",
        &[
            Label::RenderInProgress,
            Label::RemoteStateUnclear,
            Label::RemoteRenderFailed,
        ],
    ),
    ("On our side", &[Label::LocalDeliveryFailure]),
    ("Finished", &[Label::AlreadyDelivered, Label::Closed]),
    ("Outside the books", &[Label::NoOperationRecord]),
];

/// What a label's link leads to: in the chosen queue, where one is chosen.
fn of_label(model: &Model, label: Label) -> i64 {
    let summary = &model.summary;
    match model.filter.queue.as_deref() {
        Some(queue) => of_both(summary, label, queue),
        None => summary
            .labels
            .iter()
            .find(|one| one.label == label)
            .map_or(0, |one| one.count),
    }
}

/// What a queue's link leads to: under the chosen label, where one is chosen.
fn of_queue(model: &Model, queue: &str, all: i64) -> i64 {
    model
        .filter
        .label
        .map_or(all, |label| of_both(&model.summary, label, queue))
}

pub(super) fn of_both(summary: &Summary, label: Label, queue: &str) -> i64 {
    let found = summary
        .both
        .iter()
        .filter(|(own, name, _)| *own == label && name == queue);
    found.map(|(_, _, count)| count).sum()
}

fn label_link(label: Label, count: i64, capped: bool, filters: &Query, current: bool) -> AnyView {
    let face = badge::label(label);
    let href = href::with(href::DEAD_LETTERS, &filters.and("label", label.as_str()));
    view! {
        <li>
            <a href=href data-tone=face.tone.as_str() data-place=face.place.map(badge::Place::as_str)
                data-rail-label=label.as_str() aria-current=current.then_some("true")>
                {icon(face.icon)}<span>{face.words}</span><span class="n">{words::counted(count, capped)}</span>
            </a>
        </li>
    }
    .into_any()
}

/// The rail: what everybody sees is a piece, saved views are the reader's own.
pub(super) fn side(model: &Model, shelf: Option<&dyn Shelf>, moment: &str) -> AnyView {
    view! {
        <nav class="side" aria-label="Labels and queues" data-live="side">
            <details>
                <summary>"Labels and queues"</summary>
                {piece(shelf, format!("rail {moment}"), || counts(model))}
                {saved(&model.beside)}
            </details>
        </nav>
    }
    .into_any()
}

fn counts(model: &Model) -> AnyView {
    let filters = &model.address;
    let all = href::with(href::DEAD_LETTERS, &filters.without("label").without("queue"));
    let nothing_chosen = model.filter.label.is_none() && model.filter.queue.is_none();
    let groups = GROUPS
        .iter()
        .map(|(head, labels)| {
            let links = labels
                .iter()
                .map(|label| {
                    label_link(
                        *label,
                        of_label(model, *label),
                        model.summary.capped,
                        filters,
                        model.filter.label == Some(*label),
                    )
                })
                .collect::<Vec<_>>();
            view! { <h2>{*head}</h2> <ul>{links}</ul> }
        })
        .collect::<Vec<_>>();
    let queues = model
        .summary
        .queues
        .iter()
        .map(|(queue, count)| {
            let href = href::with(href::DEAD_LETTERS, &filters.and("queue", queue));
            let current = model.filter.queue.as_deref() == Some(queue.as_str());
            view! {
                <li>
                    <a href=href data-rail-queue=queue.clone() aria-current=current.then_some("true")>
                        {icon("queue")}<span class="m">{outside(queue)}</span>
                        <span class="n">{words::counted(of_queue(model, queue, *count), model.summary.capped)}</span>
                    </a>
                </li>
            }
        })
        .collect::<Vec<_>>();
    let queues = (!queues.is_empty()).then(|| view! { <h2>"Queues"</h2> <ul>{queues}</ul> });
    view! {
        <ul>
            <li>
                <a href=all aria-current=nothing_chosen.then_some("true")>
                    {icon("all")}<span>"All dead letters"</span>
                    <span class="n">{words::counted(model.summary.total, model.summary.capped)}</span>
                </a>
            </li>
        </ul>
        {groups}
        {queues}
    }
    .into_any()
}
