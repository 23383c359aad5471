//! The frame of every page: skip link, top bar, and the small figures.

use super::badge::Tone;
use super::icon::{glyph, icon};
use super::time::{ago, when};
use super::words;
use crate::desk::view::Overview;
use crate::desk::{Counted, PauseView};
use crate::domain::role::Caller;
use crate::href::{self, Query};
use crate::pages::query::ACTIVE;
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
    Providers,
    /// A page outside the bar: signing in, an error.
    Elsewhere,
}

const BAR: [(Section, &str, &str); 6] = [
    (Section::DeadLetters, "Dead letters", href::DEAD_LETTERS),
    (Section::Operations, "Operations", href::OPERATIONS),
    (Section::Recoveries, "Recoveries", href::RECOVERIES),
    (Section::Queues, "Queues", href::QUEUES),
    (Section::Audit, "Audit", href::AUDIT),
    (Section::Providers, "Providers", href::PROVIDERS),
];

fn who(caller: Caller) -> AnyView {
    view! {
        <div class="who">
            {icon("user")}
            <a href=href::PREFERENCES data-caller=caller.name.clone() title="Preferences">{super::text::person(&caller.name)}</a>
            <a class="tag" href=href::PERMISSIONS data-tone=Tone::Plain.as_str() data-role=caller.role.as_str()
                title="What you may do">{caller.role.as_str()}</a>
            <button class="linkish" type="button" data-keys="open" hidden>"Keys"</button>
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

/// Where creation is paused, on every page: whoever wonders why nothing is sent reads it first.
pub fn banner(paused: &[PauseView], now: DateTime<Utc>) -> Option<AnyView> {
    if paused.is_empty() {
        return None;
    }
    let lines = paused
        .iter()
        .map(|pause| {
            view! {
                <li data-paused=pause.provider.clone()>
                    <b>"Creation at " <span class="m">{super::text::outside(&pause.provider)}</span> " is paused"</b>
                    " by " {super::text::person(&pause.by)} " " {when(pause.at, ago(now, pause.at))} ": "
                    {super::text::outside(&pause.reason)}
                </li>
            }
        })
        .collect::<Vec<_>>();
    Some(
        view! {
            <section class="banner" aria-label="Creation paused" data-tone=Tone::Spend.as_str()>
                {icon("block")}<ul>{lines}</ul><a href=href::PROVIDERS>"Providers"</a>
            </section>
        }
        .into_any(),
    )
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
    let running = href::with(href::RECOVERIES, &Query::of(&[("state", ACTIVE)]));
    let counted = |one: Counted| href::with(href::OPERATIONS, &Query::of(&[("counted", one.as_str())]));
    view! {
        <section class="strip" aria-label="Facts" data-live="facts">
            <ul>
                <li data-fact="recoveries"><a href=running><b>{words::thousands(overview.recoveries_running)}</b> " " {recoveries}</a></li>
                <li data-fact="money"><a href=counted(Counted::MoneyUnresolved)>
                    <b>{words::thousands(overview.money_unresolved)}</b> " " {operations} " with money unresolved"</a>
                    ", " <b>{words::amount(overview.credits_unresolved)}</b> " credits"</li>
                <li data-fact="attempts"><a href=counted(Counted::PossiblyBilled)>
                    <b>{words::thousands(overview.attempts_possibly_billed)}</b> " " {attempts} " possibly billed"</a></li>
            </ul>
            {super::live::age(now, &None)}
        </section>
        {overview.filling.map(|words| view! { <div class="page-note">{super::notice::note(words)}</div> })}
    }
    .into_any()
}
