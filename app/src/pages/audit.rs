//! `/audit`: who did what, with which effect, and why. Append-only, newest first.

use super::error::Problem;
use super::query;
use super::{Page, Wanted, ordered};
use crate::components::empty::{Empty, empty};
use crate::components::filter::{self, chips, line, moment_line};
use crate::components::form::{Returned, finished, refused, send_back};
use crate::components::frame::Section;
use crate::components::guards::tally;
use crate::components::icon::icon;
use crate::components::ledger::{Breadth, column, ledger};
use crate::components::live::{self, Events};
use crate::components::notice;
use crate::components::pager::{Pager, pager};
use crate::components::said::said;
use crate::components::text::{absent, outside, person, short, tail};
use crate::components::time::{ago, moment, when};
use crate::components::words::{count, thousands};
use crate::desk::{ChainCheck, PageOf, Topic};
use crate::domain::audit::AuditEntry;
use crate::domain::permission::Permission;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub filters: Query,
    pub entries: Vec<AuditEntry>,
    pub pager: Pager,
    pub events: Events,
    /// The last check of the chain, while it is known.
    pub chain: Option<ChainCheck>,
    /// Whether the reader may have it checked now.
    pub may_verify: bool,
    pub done: Option<String>,
    pub returned: Option<Returned>,
}

const VERIFY: &str = "verify";

/// Checks the chain now.
#[server(prefix = "/forms", endpoint = "audit/verify")]
pub async fn verify_audit() -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    match desk.verify_chain().await {
        Ok(_) => {
            let query = Query::of(&[("done", "verified")]);
            edge.reply.redirect(&href::with(href::AUDIT, &query));
        }
        Err(error) => send_back(&edge, href::AUDIT, &Query::default(), VERIFY, error.code, &[]),
    }
    Ok(())
}

/// What the last check of the chain found. A broken chain is said where nobody can miss it.
fn chain(model: &Model) -> AnyView {
    let said = match model.chain {
        None => view! { <p class="dim" data-chain="unknown">"The chain has not been checked since the start."</p> }.into_any(),
        Some(ChainCheck {
            at,
            broken_at: Some(entry),
            ..
        }) => view! {
            <div class="notice" data-tone="refuse" role="alert" data-chain="broken">
                {icon("block")}
                <div><h2>"The chain is broken."</h2>
                    <p>"Entry " {thousands(entry)} " is missing, changed or unreadable: somebody went past this program. \
                        Everything before it is as it was written. Checked " {when(at, ago(model.now, at))} "."</p></div>
            </div>
        }
        .into_any(),
        Some(ChainCheck { at, entries, .. }) => view! {
            <p class="dim" data-chain="whole">"The chain is whole: " {count(entries, "entry", "entries")} ", checked "
                {when(at, ago(model.now, at))} "."</p>
        }
        .into_any(),
    };
    let button = model.may_verify.then(|| {
        view! {
            <form method="post" action=VerifyAudit::PATH data-action="verify">
                <button class="linkish" type="submit">"Check the chain now"</button>
            </form>
        }
    });
    view! { {said} {button} }.into_any()
}

/// `7 → 8`, `7`, or a dash.
fn revisions(entry: &AuditEntry) -> AnyView {
    match (entry.revision_before, entry.revision_after) {
        (Some(before), Some(after)) => format!("{before} → {after}").into_any(),
        (Some(one), None) | (None, Some(one)) => one.into_any(),
        (None, None) => absent(),
    }
}

fn about(entry: &AuditEntry) -> AnyView {
    let operation = entry.operation_id.as_deref().map(|id| {
        view! { <a class="m" href=href::operation(id)>{outside(id)}</a> }
    });
    let message = entry.dead_letter_id.as_deref().map(|id| {
        view! { <span>"message " <a class="m" href=href::dead_letter(id)>{short(id)}</a></span> }
    });
    let recovery = entry.recovery_id.as_deref().map(|id| {
        view! { <span>"recovery " <a class="m" href=href::recovery(id)>{tail(id)}</a></span> }
    });
    if operation.is_none() && message.is_none() && recovery.is_none() {
        return absent();
    }
    let beside = (message.is_some() || recovery.is_some())
        .then(|| view! { <small class="beside">{message} {recovery}</small> });
    view! { {operation} {beside} }.into_any()
}

/// The rows of an audit, also for the operation's page, which names no operation.
pub fn rows(entries: &[AuditEntry], now: DateTime<Utc>, with_about: bool) -> Vec<AnyView> {
    entries
        .iter()
        .map(|entry| {
            let guards = (!entry.guards.is_empty())
                .then(|| view! { <small>{format!("guards: {}", tally(&entry.guards))}</small> });
            let effect = entry.effect.as_deref().map(|effect| {
                view! { <span class="dim">" " {effect.replace('_', " ")}</span> }
            });
            view! {
                <tr role="row" data-seq=entry.seq.to_string() data-audit=entry.action.clone()>
                    <td role="cell" data-l="Entry" class="n">{thousands(entry.seq)}</td>
                    <td role="cell" data-l="When">{moment(now, entry.at)}</td>
                    <td role="cell" data-l="Who">{person(&entry.actor)} <small>{outside(&entry.role)}</small></td>
                    <td role="cell" data-l="What" class="w">
                        <strong>{outside(&entry.action.replace('_', " "))}</strong> {effect}
                        {entry.reason.as_deref().map(|reason| view! { <small class="said">"“" {said(reason, &[])} "”"</small> })}
                        {guards}
                    </td>
                    {with_about.then(|| view! { <td role="cell" data-l="About">{about(entry)}</td> })}
                    <td role="cell" data-l="Revision" class="n">{revisions(entry)}</td>
                    <td role="cell" data-l="Hash"><span class="m" title=entry.hash.clone()>{short(&entry.hash)}</span></td>
                </tr>
            }
            .into_any()
        })
        .collect()
}

/// The table around the rows.
pub fn table(rows: Vec<AnyView>, with_about: bool) -> AnyView {
    ledger(
        "Audit",
        "audit",
        Breadth::Few,
        [
            Some(column("Entry")),
            Some(column("When")),
            Some(column("Who")),
            Some(column("What")),
            with_about.then(|| column("About")),
            Some(column("Revision")),
            Some(column("Hash")),
        ]
        .into_iter()
        .flatten(),
        rows,
    )
}

pub fn view(model: Model) -> AnyView {
    let filters = &model.filters;
    let fields = view! {
        {line("operation", "Operation", filters)}
        {line("actor", "Who", filters)}
        {moment_line("from", "Since, UTC", filters)}
        {moment_line("to", "Until, UTC", filters)}
    };
    let form = filter::form(href::AUDIT, "Filter the audit", fields.into_any(), None);
    let list = if model.entries.is_empty() && filters.0.is_empty() {
        empty(Empty::Never {
            title: "Nothing has been done yet".to_owned(),
            text: "Every recovery, decision and refusal is written here, with its reason.".to_owned(),
        })
        .into_any()
    } else if model.entries.is_empty() {
        empty(Empty::Filtered {
            title: "Nothing matches these filters".to_owned(),
            text: "Entries are never deleted; others exist.".to_owned(),
            clear: href::AUDIT.to_owned(),
        })
        .into_any()
    } else {
        let rows = rows(&model.entries, model.now, true);
        view! { {table(rows, true)} {pager(model.pager.clone())} }.into_any()
    };
    let head =
        view! { <span class="dim">"newest first, append-only, each entry chained to the one before"</span> };
    view! {
        <main id="main" class="page wide">
            {live::strip(None, model.now, &model.events)}
            <h1>"Audit"</h1>
            {form}
            {model.done.clone().map(notice::done)}
            {refused(model.returned.as_ref(), VERIFY)}
            <div class="chain" data-live="chain">{chain(&model)}</div>
            {chips(head.into_any(), href::AUDIT, filters, query::AUDIT_NAMES)}
            <p class="news" role="status" data-news=""></p>
            <div data-live="rows" data-hold="">{list}</div>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let filter = query::audit(&edge.query)?;
    let events = live::events(desk.as_ref(), &Topic::Desk).await;
    let page = desk.audit(&filter, &query::page(&edge.query)?).await?;
    let model = Model {
        events,
        chain: desk.chain().await?,
        may_verify: desk
            .caller()
            .is_some_and(|caller| caller.has(Permission::VerifyAudit)),
        done: finished(&edge.query),
        returned: Returned::of(&edge.query),
        ..Model::new(&edge.query, desk.now(), page)
    };
    Ok(Page {
        title: "Audit".to_owned(),
        section: Section::Audit,
        status: 200,
        body: view(model).into_any(),
    })
}

impl Model {
    /// The audit's page from the port's answer.
    pub fn new(query: &Query, now: DateTime<Utc>, page: PageOf<AuditEntry>) -> Self {
        let words = format!("{} shown", page.items.len());
        Self {
            now,
            filters: query::filters_only(query, query::AUDIT_NAMES),
            pager: Pager::of(href::AUDIT, query, page.next_cursor.as_deref(), words),
            entries: page.items,
            events: None,
            chain: None,
            may_verify: false,
            done: None,
            returned: None,
        }
    }
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let make = |query: &str, items, next: Option<&str>| {
        Model::new(
            &Query::parse(query),
            now,
            PageOf {
                items,
                next_cursor: next.map(str::to_owned),
            },
        )
    };
    vec![
        ("audit", make("", super::samples::audit(now), Some("older"))),
        ("audit-empty", make("", Vec::new(), None)),
        ("audit-filtered", make("actor=nobody", Vec::new(), None)),
        (
            "audit-broken",
            Model {
                chain: Some(super::samples::chain(now, Some(4_181))),
                may_verify: true,
                ..make("", super::samples::audit(now), None)
            },
        ),
    ]
}
