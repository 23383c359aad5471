//! A record at two revisions, field by field.

use super::text::outside;
use crate::desk::FieldLine;
use leptos::prelude::*;

fn value(text: &str) -> AnyView {
    if text.is_empty() {
        // A dash would be alone in its cell, and of a field it says less than this.
        view! { <span class="dim">"not set"</span> }.into_any()
    } else {
        outside(text)
    }
}

/// The value that is not the record's any more is struck out.
fn before(line: &FieldLine) -> AnyView {
    if line.differs() && !line.then.is_empty() {
        view! { <del>{value(&line.then)}</del> }.into_any()
    } else {
        value(&line.then)
    }
}

/// A table of the lines, with words for both sides. A line that differs says so to who cannot see the mark.
pub fn changes(label: &'static str, then: String, now: String, lines: &[FieldLine]) -> AnyView {
    let rows = lines
        .iter()
        .map(|line| {
            let differs = line.differs();
            view! {
                <tr role="row" data-field=line.field data-differs=differs.to_string()>
                    <th role="rowheader" scope="row">{line.field} {differs.then(|| view! { <span class="vh">", changed"</span> })}</th>
                    <td role="cell" data-l=then.clone()>{before(line)}</td>
                    <td role="cell" data-l=now.clone()>{value(&line.now)}</td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    view! {
        <div class="sheet"><table class="ledger changes" role="table" aria-label=label>
            <thead role="rowgroup"><tr role="row">
                <th role="columnheader" scope="col">"Field"</th>
                <th role="columnheader" scope="col">{then}</th>
                <th role="columnheader" scope="col">{now}</th>
            </tr></thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}
