//! Every table: its head, its rows, and the container by whose width it stacks. Roles are written out, because a table
//! that stacks is laid out as a grid, and some browsers forget then that it is a table.

use leptos::prelude::*;

/// The head of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    words: &'static str,
    is_figure: bool,
}

/// A column of words.
pub const fn column(words: &'static str) -> Column {
    Column {
        words,
        is_figure: false,
    }
}

/// A column of figures, which stand at the end of their cells.
pub const fn figures(words: &'static str) -> Column {
    Column {
        words,
        is_figure: true,
    }
}

/// How early a table stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    Few,
    /// Many columns need more room.
    Many,
}

/// A table named for whom cannot see it, with a class of its own.
pub fn ledger(
    label: &'static str,
    class: &str,
    breadth: Breadth,
    columns: impl IntoIterator<Item = Column>,
    rows: impl IntoAny,
) -> AnyView {
    let heads = columns
        .into_iter()
        .map(|one| {
            let class = one.is_figure.then_some("r");
            view! { <th role="columnheader" scope="col" class=class>{one.words}</th> }
        })
        .collect::<Vec<_>>();
    let many = match breadth {
        Breadth::Few => None,
        Breadth::Many => Some("many"),
    };
    view! {
        <div class="sheet" data-columns=many>
            <table class=format!("ledger {class}") role="table" aria-label=label>
                <thead role="rowgroup"><tr role="row">{heads}</tr></thead>
                <tbody role="rowgroup">{rows.into_any()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
