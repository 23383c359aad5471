//! Warnings before a replay: said first, and in the way of nothing.

use super::badge::Tone;
use super::icon::icon;
use super::said::said;
use crate::domain::warning::ReplayWarning;
use leptos::prelude::*;

/// All of them in one notice; nothing when there is none.
pub fn warnings(list: &[ReplayWarning]) -> Option<AnyView> {
    if list.is_empty() {
        return None;
    }
    let items = list
        .iter()
        .map(|one| view! { <li data-warning=one.warning.as_str()>{said(&one.detail, &[])}</li> })
        .collect::<Vec<_>>();
    Some(
        view! {
            <div class="notice" data-tone=Tone::Decide.as_str() data-notice="caution" data-warnings="">
                {icon("warn")}
                <div><h3>"Before you replay"</h3><ul>{items}</ul></div>
            </div>
        }
        .into_any(),
    )
}
