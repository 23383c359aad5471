//! The frame of every page: skip link, top bar, and the small figures.

use super::badge::Tone;
use super::icon::{glyph, icon};
use super::time::when;
use super::words;
use crate::desk::view::Overview;
use crate::domain::role::Caller;
use crate::href;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// Which part of the top bar is current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    DeadLetters,
    Operations,
    Recoveries,
    Queues,
    Audit,
    /// A page outside the bar: signing in, an error.
    Elsewhere,
}

const BAR: [(Section, &str, &str); 5] = [
    (Section::DeadLetters, "Dead letters", href::DEAD_LETTERS),
    (Section::Operations, "Operations", href::OPERATIONS),
    (Section::Recoveries, "Recoveries", href::RECOVERIES),
    (Section::Queues, "Queues", href::QUEUES),
    (Section::Audit, "Audit", href::AUDIT),
];

fn who(caller: Caller) -> AnyView {
    view! {
        <div class="who">
            {icon("user")}
            <span data-caller=caller.name.clone()>{super::text::outside(&caller.name)}</span>
            <span class="tag" data-tone=Tone::Plain.as_str() data-role=caller.role.as_str()>{caller.role.as_str()}</span>
            <form method="post" action=crate::pages::login::SIGN_OUT data-action="sign-out">
                <button class="linkish" type="submit">"Sign out"</button>
            </form>
        </div>
    }
    .into_any()
}

/// Skip link and top bar, before the page's own content.
pub fn top(caller: Option<Caller>, current: Section) -> AnyView {
    let signed_in = caller.is_some();
    let links = BAR.into_iter().map(move |(section, words, href)| {
        let mark = (section == current).then_some("page");
        view! { <li><a href=href aria-current=mark>{words}</a></li> }
    });
    let nav = signed_in.then(|| view! { <nav aria-label="Main"><ul>{links.collect::<Vec<_>>()}</ul></nav> });
    view! {
        <a class="vh skip" href="#main">"Skip to content"</a>
        <header class="top">
            <a class="brand" href=href::DEAD_LETTERS>{glyph("", "brand")}<span>"Dead Letter Office"</span></a>
            {nav}
            {caller.map(who)}
        </header>
    }
    .into_any()
}

/// How many recoveries run, how much money is unresolved, how many attempts may have been billed.
pub fn strip(overview: Overview, now: DateTime<Utc>) -> AnyView {
    let recoveries = if overview.recoveries_running == 1 {
        "recovery running"
    } else {
        "recoveries running"
    };
    let operations = if overview.money_unresolved == 1 {
        "operation"
    } else {
        "operations"
    };
    let attempts = if overview.attempts_possibly_billed == 1 {
        "attempt"
    } else {
        "attempts"
    };
    view! {
        <section aria-label="Facts">
            <ul class="strip">
                <li data-fact="recoveries"><a href="/recoveries"><b>{words::thousands(overview.recoveries_running)}</b> " " {recoveries}</a></li>
                <li data-fact="money">
                    <b>{words::thousands(overview.money_unresolved)}</b> " " {operations} " with money unresolved, "
                    <b>{words::amount(overview.credits_unresolved)}</b> " credits"
                </li>
                <li data-fact="attempts"><b>{words::thousands(overview.attempts_possibly_billed)}</b> " " {attempts} " possibly billed"</li>
                <li>"Updated " {when(now, now.format("%H:%M:%S UTC").to_string())}</li>
            </ul>
        </section>
        {overview.filling.map(|words| view! { <div class="page-note">{super::notice::note(words)}</div> })}
    }
    .into_any()
}
