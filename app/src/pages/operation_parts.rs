//! Parts of the operation's page: its facts, the search for its job, and its messages.

use super::message;
use super::operation::Model;
use crate::components::meta::mono;
use crate::components::notice::caution;
use crate::components::said::said;
use crate::components::text::{outside, short, visible};
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::ids::OperationId;
use crate::domain::plan::Action;
use crate::href::{self, Query};
use leptos::prelude::*;

pub(super) fn facts(view: &OperationView) -> Vec<(&'static str, AnyView)> {
    let specification = match view.specification_current {
        Some(current) if current != view.specification.revision => {
            format!(" r{}, now r{current}", view.specification.revision)
        }
        Some(_) | None => format!(" r{}", view.specification.revision),
    };
    let account = if view.account.is_empty() {
        String::new()
    } else {
        format!(", account {}", view.account)
    };
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
        (
            "Revision",
            match view.revision {
                1 => view.revision.into_any(),
                revision => {
                    let before = href::revision(view.id.as_str(), revision - 1);
                    view! { {revision} " " <a href=before>"what it was before"</a> }.into_any()
                }
            },
        ),
    ];
    if let Some(error) = &view.error {
        let detail = error
            .detail
            .as_deref()
            .map(|detail| view! { ": " {outside(detail)} });
        list.push((
            "Reported error",
            view! { <span class="m">{error.category.as_str()}</span> {detail} }.into_any(),
        ));
    }
    let link = |id: &OperationId| view! { <a class="m" href=href::operation(id.as_str())>{outside(id.as_str())}</a> " " };
    if let Some(parent) = &view.parent {
        list.push(("Parent", link(parent).into_any()));
    }
    if !view.children.is_empty() {
        list.push((
            "Children",
            view.children.iter().map(link).collect::<Vec<_>>().into_any(),
        ));
    }
    list
}

/// The provider's search for a lost job: what it found, or the way to ask it.
pub(super) fn search_line(model: &Model) -> Option<AnyView> {
    let view = &model.operation;
    if let Some(found) = &model.candidates {
        let ids = found
            .job_ids
            .iter()
            .map(|job| view! { " " <span class="m">{outside(job.as_str())}</span> })
            .collect::<Vec<_>>();
        let title = match (found.searched, found.job_ids.is_empty()) {
            (false, _) => "The provider has no answer.",
            (true, true) => "The provider found nothing.",
            (true, false) => "The provider found candidates. Evidence only:",
        };
        let text = view! { {ids} " " {said(&found.detail, &[])} }.into_any();
        return Some(view! { <div data-candidates="">{caution(title, text)}</div> }.into_any());
    }
    let lost = view.plan.action == Action::Reconcile && view.remote.job_id.is_none();
    lost.then(|| {
        let href = href::with(&href::operation(view.id.as_str()), &model.side().and("candidates", "yes"));
        view! { <p><a href=href>"Ask the provider’s search for this operation’s job"</a> ". It creates nothing." </p> }.into_any()
    })
}

pub(super) fn messages(model: &Model) -> Vec<AnyView> {
    let back = model.back.to_text();
    model
        .operation
        .dead_letters
        .iter()
        .map(|letter| {
            let id = letter.id.to_string();
            let href = href::with(&href::dead_letter(&id), &Query::of(&[("back", &back)]));
            let hidden = match letter.hidden_values {
                0 => String::new(),
                number => format!("{}; ", words::count(i64::from(number), "value hidden", "values hidden")),
            };
            let about = format!(
                "{hidden}{}, queue {}, {} of {} attempts",
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
