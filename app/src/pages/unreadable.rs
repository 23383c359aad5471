//! `/dead-letters/{id}` of a row that cannot be what it says: everything of it that can be read all the same.

use crate::components::crumbs::{Crumb, crumbs};
use crate::components::ledger::{Breadth, column, ledger};
use crate::components::meta::mono;
use crate::components::notice::caution;
use crate::components::text::{outside, short};
use crate::desk::UnreadableLetter;
use crate::href::{self, Query};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub letter: UnreadableLetter,
    /// The filters of the list that led here.
    pub back: Query,
}

pub fn view(model: Model) -> AnyView {
    let Model { letter, back } = model;
    let what = format!("{}.{}", letter.what.table, letter.what.column);
    let id = letter.what.id.clone();
    let columns = letter
        .readable
        .iter()
        .map(|(name, text)| {
            view! {
                <tr role="row" data-column=name.clone()>
                    <th role="rowheader" scope="row">{mono(Some(name))}</th>
                    <td role="cell" class="w"><span class="said">{outside(text)}</span></td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    let says = view! { <code>{what.clone()}</code> " holds an impossible value. The others are not affected, and nothing here is guessed." };
    let purge = href::with(&href::purge(&id), &Query::of(&[("back", &back.to_text())]));
    view! {
        <main id="main" class="page" data-message=id.clone() data-inconsistent=what.clone()>
            {crumbs(vec![
                Crumb::desk(&back),
                Crumb::here(format!("message {}", short(&id))),
            ])}
            <div class="title"><h1>"Message " <span class="m">{short(&id)}</span></h1></div>
            {caution("This dead letter cannot be read.", says.into_any())}
            <section class="block">
                <h2>"What can be read" <small>"as it stands, redacted"</small></h2>
                {ledger("What can be read", "", Breadth::Few, [column("Column"), column("Value")], columns)}
            </section>
            <section class="block"><h2>"What can be done with the message"</h2>
                <p><a href=purge>"Purge message " {short(&id)} "…"</a></p>
            </section>
        </main>
    }
    .into_any()
}

#[cfg(test)]
pub fn samples() -> Vec<(&'static str, Model)> {
    let model = Model {
        letter: super::samples::unreadable_letter(),
        back: Query::default(),
    };
    vec![("message-unreadable", model)]
}
