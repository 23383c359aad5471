//! Parts of the operation's page: its facts, its timeline, its outputs, its messages.

use super::message;
use super::operation::Model;
use super::operation_text::copied;
use crate::components::badge::{Face, Tone, tag};
use crate::components::meta::mono;
use crate::components::text::{ABSENT, outside, short, visible};
use crate::components::time::{ago, clock, when};
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::ids::OperationId;
use crate::domain::remote::CopyState;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
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
        ("Revision", view.revision.into_any()),
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

pub(super) fn timeline(view: &OperationView, now: DateTime<Utc>) -> AnyView {
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

const NOT_COPIED: Face = Face {
    words: "not copied",
    icon: "local-failure",
    tone: Tone::Act,
    place: None,
};
const LOST: Face = Face {
    words: "declared lost",
    icon: "remote-failed",
    tone: Tone::Rest,
    place: None,
};

pub(super) fn outputs(view: &OperationView) -> Option<AnyView> {
    let listed = view.remote.axes.outputs.clone().unwrap_or_default();
    let mut indexes: Vec<u32> = listed.iter().map(|output| output.index).collect();
    indexes.extend(view.outputs.iter().map(|output| output.index));
    indexes.extend(
        0..view
            .remote
            .axes
            .outputs_expected
            .unwrap_or(0)
            .min(crate::desk::filter::MAX_LIMIT),
    );
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

pub(super) fn messages(model: &Model) -> Vec<AnyView> {
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
