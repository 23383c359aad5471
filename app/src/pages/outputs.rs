//! The operation's outputs: which are ours, and a preview of those, from our own store only.

use super::operation_text::copied;
use crate::components::badge::{Face, Tone, tag};
use crate::components::ledger::{Breadth, column, figures, ledger};
use crate::components::text::{ABSENT, outside, short, visible};
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::remote::{CopyState, OutputCopy};
use crate::href;
use leptos::prelude::*;

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

/// How a copy is shown: by the ending of its name in our store, which says what its bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Preview {
    Image,
    Video,
    /// Only to be saved.
    Other,
}

impl Preview {
    fn of(copy: &OutputCopy) -> Option<Self> {
        let key = copy.storage_key.as_deref()?;
        if copy.state != CopyState::Delivered {
            return None;
        }
        let ending = key.rsplit_once('.').map_or("", |(_, ending)| ending);
        Some(match ending {
            "png" | "jpg" | "gif" | "webp" | "avif" => Self::Image,
            "mp4" | "webm" => Self::Video,
            _ => Self::Other,
        })
    }
}

fn preview(view: &OperationView, copy: &OutputCopy) -> Option<AnyView> {
    let kind = Preview::of(copy)?;
    let path = href::output(view.id.as_str(), copy.index);
    let words = format!("Output {} of {}", copy.index, visible(view.id.as_str()));
    let shown = match kind {
        Preview::Image => view! {
            <a href=path.clone()><img src=path.clone() alt=words.clone() loading="lazy" decoding="async"/></a>
        }
        .into_any(),
        // Nobody makes pictures of videos here. The browser reads the beginning of our copy, and shows what it finds a tenth
        // of a second in.
        Preview::Video => view! {
            <video src=format!("{path}#t=0.1") controls preload="metadata" playsinline aria-label=words.clone()></video>
        }
        .into_any(),
        Preview::Other => view! { <p class="none">"No preview of this type."</p> }.into_any(),
    };
    Some(
        view! {
            <figure data-preview=copy.index.to_string()>
                {shown}
                <figcaption><a href=path>{words}</a> " " {(kind == Preview::Video).then(|| view! { <small>"video"</small> })}</figcaption>
            </figure>
        }
        .into_any(),
    )
}

fn row(view: &OperationView, index: u32, kind: Option<&str>) -> AnyView {
    let copy = view.outputs.iter().find(|copy| copy.index == index);
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
    let bytes = copy
        .and_then(|copy| copy.bytes)
        .map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    let hash = copy.and_then(|copy| copy.sha256.clone());
    let ours = copy.is_some_and(|copy| copy.state == CopyState::Delivered);
    view! {
        <tr role="row" data-output=index.to_string() data-copied=ours.to_string()>
            <td role="cell" data-l="Index">{index}</td>
            <td role="cell" data-l="Type">{kind.map_or_else(|| ABSENT.into_any(), outside)}</td>
            <td role="cell" data-l="Our copy" class="w">{state}</td>
            <td role="cell" data-l="Bytes" class="r n">{bytes.map_or_else(|| ABSENT.to_owned(), words::thousands)}</td>
            <td role="cell" data-l="sha256">{hash.map_or_else(|| ABSENT.into_any(), |hash| {
                view! { <span class="m" title=hash.clone()>{short(&hash)} "…"</span> }.into_any()
            })}</td>
        </tr>
    }
    .into_any()
}

/// Every index that is listed, expected or copied; `None` when there is none.
pub(super) fn outputs(view: &OperationView) -> Option<AnyView> {
    let listed = view.remote.axes.outputs.clone().unwrap_or_default();
    let expected = view.remote.axes.outputs_expected.unwrap_or(0);
    let mut indexes: Vec<u32> = listed.iter().map(|output| output.index).collect();
    indexes.extend(view.outputs.iter().map(|output| output.index));
    indexes.extend(0..expected.min(crate::desk::filter::MAX_LIMIT));
    indexes.sort_unstable();
    indexes.dedup();
    if indexes.is_empty() {
        return None;
    }
    let (ours, all) = copied(view);
    let rows = indexes
        .into_iter()
        .map(|index| {
            let output = listed.iter().find(|output| output.index == index);
            row(
                view,
                index,
                output.and_then(|output| output.content_type.as_deref()),
            )
        })
        .collect::<Vec<_>>();
    let previews = view
        .outputs
        .iter()
        .filter_map(|copy| preview(view, copy))
        .collect::<Vec<_>>();
    let previews =
        (!previews.is_empty()).then(|| view! { <div class="previews" data-previews="">{previews}</div> });
    Some(
        view! {
            <section class="block" id="outputs"><h2>"Outputs" <small>{format!("{ours} of {all} copied; shown from our own store")}</small></h2>
                {previews}
                {ledger("Outputs", "", Breadth::Few, [column("Index"), column("Type"), column("Our copy"), figures("Bytes"), column("sha256")], rows)}
            </section>
        }
        .into_any(),
    )
}
