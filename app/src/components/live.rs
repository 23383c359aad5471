//! Liveness, as far as a page itself says it: how old it is, and where its changes are announced. The script follows
//! that; without it the time is still true.

use super::time::zoned;
use crate::desk::{Answer, Desk, Topic};
use crate::domain::plan::Plan;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// Where the script finds what is announced; `None` where the page does not follow.
pub type Events = Option<String>;

/// To be asked before the page is read: what happens in between is then announced, and not lost.
pub async fn events(desk: &dyn Desk, topic: &Topic) -> Events {
    let seen: Answer<String> = desk.mark(topic).await;
    Some(topic.events(seen.ok().as_deref()))
}

/// `Updated 14:05:11 UTC`, and what the script says of the connection.
pub fn age(now: DateTime<Utc>, events: &Events) -> AnyView {
    view! {
        <p class="live" data-live="age" data-events=events.clone()>
            "Updated " {zoned(now)}
            " " <span role="status" data-state-words="" data-keep=""></span>
        </p>
    }
    .into_any()
}

/// The line below the top bar, which every page that follows has: the way back, or nothing, and at its end how old the
/// page is. A list's line begins with the office's figures ([`super::frame::strip`]).
pub fn strip(begins: Option<AnyView>, now: DateTime<Utc>, events: &Events) -> AnyView {
    view! { <div class="strip">{begins} {age(now, events)}</div> }.into_any()
}

/// What a form was filled in for. When it is another one, the page says so, and moves nothing.
pub fn holds(plan: &Plan) -> String {
    let allowed = if plan.allowed { "allowed" } else { "blocked" };
    format!("{} {} {allowed}", plan.revision, plan.action)
}

/// Where a page under which nothing moves is told that it has changed.
pub fn news() -> AnyView {
    view! { <p class="news" role="status" data-news=""></p> }.into_any()
}

/// Seconds after which the script reads a page again although nothing is announced: where something elapses, or moves
/// without being announced. Every other page is read again after a minute, so that "4 min ago" stays true.
pub const OFTEN: &str = "10";
