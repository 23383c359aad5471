//! Rows of the operation's outputs, and what makes some of them alike.

use super::outputs::table;
use crate::components::badge::{Face, Tone, tag};
use crate::components::text::{absent, outside, short, visible};
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::indexes;
use crate::domain::operation::ErrorCategory;
use crate::domain::remote::{CopyState, OutputCopy};
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

/// So many rows that are alike are still read one by one.
const READ_ONE_BY_ONE: usize = 5;

/// How our copy of an output stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ours {
    Copied,
    Lost,
    /// It was tried, and why it failed where that is known.
    Failed(Option<ErrorCategory>),
    NotTried,
}

impl Ours {
    fn words(self) -> String {
        match self {
            Self::Copied => "copied and verified".to_owned(),
            Self::Lost => "declared lost".to_owned(),
            Self::Failed(Some(category)) => format!("not copied, {category}"),
            Self::Failed(None) => "not copied".to_owned(),
            Self::NotTried => "not copied, not tried".to_owned(),
        }
    }

    fn view(self) -> AnyView {
        match self {
            Self::Copied => "copied and verified".into_any(),
            Self::Lost => tag(LOST),
            Self::Failed(category) => view! {
                {tag(NOT_COPIED)} " " {category.map(|category| view! { <span class="m">{category.as_str()}</span> })}
            }
            .into_any(),
            Self::NotTried => view! { {tag(NOT_COPIED)} " not tried" }.into_any(),
        }
    }
}

/// What rows have in common that are alike: their type, and how our copy stands.
pub(super) type Alike<'a> = (Option<&'a str>, Ours);

/// One output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub index: u32,
    kind: Option<&'a str>,
    ours: Ours,
    copy: Option<&'a OutputCopy>,
}

impl<'a> Row<'a> {
    pub fn of(view: &'a OperationView, index: u32, kind: Option<&'a str>) -> Self {
        let copy = view.outputs.iter().find(|copy| copy.index == index);
        let ours = match copy.map(|copy| (copy.state, copy.category)) {
            Some((CopyState::Delivered, _)) => Ours::Copied,
            Some((CopyState::Pending | CopyState::Failed, _)) | None
                if view.lost_outputs.contains(&index) =>
            {
                Ours::Lost
            }
            Some((CopyState::Pending | CopyState::Failed, category)) => Ours::Failed(category),
            None => Ours::NotTried,
        };
        Self {
            index,
            kind,
            ours,
            copy,
        }
    }

    pub const fn alike(&self) -> Alike<'a> {
        (self.kind, self.ours)
    }
}

pub(super) const fn is_folded(indexes: &[u32]) -> bool {
    indexes.len() > READ_ONE_BY_ONE
}

fn bytes(row: &Row<'_>) -> Option<i64> {
    let bytes = row.copy.and_then(|copy| copy.bytes)?;
    Some(i64::try_from(bytes).unwrap_or(i64::MAX))
}

pub(super) fn row(one: &Row<'_>) -> AnyView {
    let hash = one.copy.and_then(|copy| copy.sha256.clone());
    view! {
        <tr role="row" data-output=one.index.to_string() data-copied=(one.ours == Ours::Copied).to_string()>
            <td role="cell" data-l="Index">{one.index}</td>
            <td role="cell" data-l="Type">{one.kind.map_or_else(absent, outside)}</td>
            <td role="cell" data-l="Our copy" class="w">{one.ours.view()}</td>
            <td role="cell" data-l="Bytes" class="r n">{bytes(one).map_or_else(absent, |bytes| words::thousands(bytes).into_any())}</td>
            <td role="cell" data-l="sha256">{hash.map_or_else(absent, |hash| {
                view! { <span class="m" title=hash.clone()>{short(&hash)} "…"</span> }.into_any()
            })}</td>
        </tr>
    }
    .into_any()
}

/// How many, which, and what they have in common: `18 outputs alike: 0 to 17, image/png, copied and verified`.
fn in_common(rows: &[Row<'_>], (kind, ours): Alike<'_>, is_all: bool) -> (String, String) {
    let indexes: Vec<u32> = rows.iter().map(|row| row.index).collect();
    let how_many = if is_all {
        format!("All {} outputs are alike", indexes.len())
    } else {
        format!("{} outputs are alike", indexes.len())
    };
    let total = rows
        .iter()
        .filter_map(bytes)
        .fold(None, |sum: Option<i64>, one| {
            Some(sum.unwrap_or(0).saturating_add(one))
        })
        .map(|sum| format!("{} bytes together", words::thousands(sum)));
    let common = [
        Some(indexes::ranges(&indexes)),
        kind.map(visible),
        Some(ours.words()),
        total,
    ];
    let common = common.into_iter().flatten().collect::<Vec<_>>().join(", ");
    (how_many, common)
}

pub(super) fn folded(rows: &[Row<'_>], alike: Alike<'_>, is_all: bool) -> AnyView {
    let (how_many, common) = in_common(rows, alike, is_all);
    view! {
        <details class="alike" data-alike=rows.len().to_string()>
            <summary><b>{how_many}</b> <small>{common}</small></summary>
            {table(rows)}
        </details>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::samples;

    #[test]
    fn a_fold_says_how_many_and_what_they_have_in_common() {
        let mut view = samples::half_delivered(samples::now());
        view.lost_outputs.clear();
        view.outputs = (0..19)
            .map(|index| OutputCopy {
                index,
                bytes: Some(1000),
                ..view.outputs[0].clone()
            })
            .collect();
        assert!(view.outputs.iter().all(|copy| copy.state == CopyState::Delivered));
        let rows: Vec<Row<'_>> = (0..20)
            .map(|index| Row::of(&view, index, Some("image/png")))
            .collect();
        assert_ne!(rows[18].alike(), rows[19].alike());
        assert_eq!(
            in_common(&rows[..19], rows[0].alike(), false),
            (
                "19 outputs are alike".to_owned(),
                "0 to 18, image/png, copied and verified, 19\u{202f}000 bytes together".to_owned()
            )
        );
        assert_eq!(
            in_common(&rows[19..], rows[19].alike(), true).1,
            "19, image/png, not copied, not tried"
        );
        assert!(!is_folded(&[0, 1, 2, 3, 4]) && is_folded(&[0, 1, 2, 3, 4, 5]));
        let html = folded(&rows[..19], rows[0].alike(), false).to_html();
        assert!(html.contains("<details") && !html.contains(" open"), "{html}");
        assert_eq!(html.matches("data-output=").count(), 19);
    }
}
