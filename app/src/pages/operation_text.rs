//! The operation as Markdown, for the incident channel: the text, and where it stands on the page.

use crate::components::text::visible;
use crate::components::time::utc;
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::remote::{CopyState, Execution};
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// How many of how many outputs are ours.
pub fn copied(view: &OperationView) -> (usize, usize) {
    let ours = view
        .outputs
        .iter()
        .filter(|output| output.state == CopyState::Delivered)
        .count();
    (ours, view.remote.axes.outputs_in_all().max(view.outputs.len()))
}

/// The operation in a few lines of Markdown, with the link to it on this office. Texts from outside stand in code, where
/// they format nothing.
pub fn markdown(view: &OperationView, now: DateTime<Utc>, base: &str) -> String {
    let code = |text: &str| format!("`{}`", visible(text).replace('`', "'"));
    let plain = |text: &str| {
        let mut out = String::new();
        for c in visible(text).chars() {
            match c {
                '\n' => out.push(' '),
                '*' | '_' | '<' | '>' | '`' | '[' | ']' | '\\' => out.extend(['\\', c]),
                other => out.push(other),
            }
        }
        out
    };
    let refund = if view.refund_unresolved {
        ", refund unresolved"
    } else {
        ""
    };
    let execution = view.remote.axes.execution.map_or("never read", Execution::as_str);
    let observed = view
        .remote
        .axes
        .observed_at
        .map_or_else(String::new, |at| format!(", observed {}", utc(at)));
    let job = view
        .remote
        .job_id
        .as_ref()
        .map_or_else(|| "no job id".to_owned(), |job| code(job.as_str()));
    let mut lines = vec![
        format!("**{}** {}{refund}", code(view.id.as_str()), view.label.words()),
        format!("- Our side: {} ({})", view.phase, words::dispatch(view.dispatch)),
        format!("- Remote render: {job}, {execution}{observed}"),
        format!("- Charge: {}", words::charge(&view.charge)),
        format!("- Known: {}", plain(&view.known)),
    ];
    if !view.not_known.is_empty() {
        lines.push(format!("- Not known: {}", plain(&view.not_known)));
    }
    lines.push(format!(
        "- Next action: {} ({})",
        view.plan.action, view.plan.effect
    ));
    if let Some(claim) = &view.claim {
        lines.push(format!("- Claimed by {}", plain(&claim.by)));
    }
    lines.push(format!("- Link: <{base}{}>", href::operation(view.id.as_str())));
    lines.push(format!("- Revision {}, {}", view.revision, utc(now)));
    lines.join("\n")
}

/// What is copied, and from where.
pub struct Copied<'a> {
    pub view: &'a OperationView,
    pub now: DateTime<Utc>,
    pub base: &'a str,
}

/// The Markdown as a text to select and copy, and as a file. The script shows the button and copies for it.
pub(super) fn copied_text(copied: &Copied<'_>) -> AnyView {
    let view = copied.view;
    let text = markdown(view, copied.now, copied.base);
    let rows = text.lines().count() + 2;
    let file = href::with(
        &href::operation(view.id.as_str()),
        &Query::of(&[("as", "markdown")]),
    );
    view! {
        <section class="block" id="summary">
            <h2>"As Markdown" <small>"for the incident channel; redacted"</small></h2>
            <label class="field"><span class="vh">"Markdown"</span>
                <textarea id="markdown" class="m" readonly rows=rows.to_string()>{text}</textarea></label>
            <p><button class="btn mini" type="button" data-copy-from="#markdown" hidden>"Copy as Markdown"</button> " "
                <a href=file>"As a plain text"</a></p>
        </section>
    }
    .into_any()
}
