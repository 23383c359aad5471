//! The operation's outputs: which are ours, and a preview of those, from our own store only.

use super::operation_text::copied;
use super::outputs_rows::{Row, folded, is_folded, row};
use crate::components::ledger::{Breadth, column, figures, ledger};
use crate::components::text::visible;
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::indexes::grouped;
use crate::domain::remote::{CopyState, OutputCopy};
use crate::href;
use leptos::prelude::*;

/// Previews beyond these are folded.
const SHOWN: usize = 8;

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
                <figcaption><a href=path>"Output " {copy.index}</a> " " {(kind == Preview::Video).then(|| view! { <small>"video"</small> })}</figcaption>
            </figure>
        }
        .into_any(),
    )
}

fn previews(view: &OperationView) -> Option<AnyView> {
    let mut all: Vec<AnyView> = view
        .outputs
        .iter()
        .filter_map(|copy| preview(view, copy))
        .collect();
    if all.is_empty() {
        return None;
    }
    let rest = all.split_off(all.len().min(SHOWN));
    let more = (!rest.is_empty()).then(|| {
        let words = words::count(
            i64::try_from(rest.len()).unwrap_or(i64::MAX),
            "more copy",
            "more copies",
        );
        view! { <details class="alike"><summary>{words}</summary><div class="previews">{rest}</div></details> }
    });
    Some(view! { <div class="previews" data-previews="">{all}</div> {more} }.into_any())
}

/// The table of some of the outputs.
pub(super) fn table(rows: &[Row<'_>]) -> AnyView {
    let rows = rows.iter().map(row).collect::<Vec<_>>();
    ledger(
        "Outputs",
        "outputs",
        Breadth::Few,
        [
            column("Index"),
            column("Type"),
            column("Our copy"),
            figures("Bytes"),
            column("sha256"),
        ],
        rows,
    )
}

/// Every index that is listed, expected or copied; `None` when there is none. Many that are alike are folded: what differs
/// is what somebody looks for.
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
    let rows: Vec<Row<'_>> = indexes
        .into_iter()
        .map(|index| {
            let output = listed.iter().find(|output| output.index == index);
            Row::of(
                view,
                index,
                output.and_then(|output| output.content_type.as_deref()),
            )
        })
        .collect();
    let groups = grouped(rows.iter().map(|row| (row.index, row.alike())));
    let (many, few): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(indexes, _)| is_folded(indexes));
    let shown: Vec<Row<'_>> = rows
        .iter()
        .copied()
        .filter(|row| few.iter().any(|(_, alike)| *alike == row.alike()))
        .collect();
    let folds = many
        .iter()
        .map(|(_, alike)| {
            let rows: Vec<Row<'_>> = rows.iter().copied().filter(|row| row.alike() == *alike).collect();
            folded(&rows, *alike, shown.is_empty())
        })
        .collect::<Vec<_>>();
    Some(
        view! {
            <section class="block" id="outputs"><h2>"Outputs" <small>{format!("{ours} of {all} copied; shown from our own store")}</small></h2>
                {previews(view)}
                {(!shown.is_empty()).then(|| table(&shown))}
                {folds}
            </section>
        }
        .into_any(),
    )
}
