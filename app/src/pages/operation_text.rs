//! The operation as Markdown, for the incident channel.

use crate::components::text::visible;
use crate::components::time::exact;
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::remote::{CopyState, Execution};
use chrono::{DateTime, Utc};

/// How many of how many outputs are ours.
pub fn copied(view: &OperationView) -> (usize, usize) {
    let ours = view
        .outputs
        .iter()
        .filter(|output| output.state == CopyState::Delivered)
        .count();
    let listed = view.remote.axes.outputs.as_ref().map_or(0, Vec::len);
    let expected = view
        .remote
        .axes
        .outputs_expected
        .map_or(0, |expected| expected as usize);
    (ours, listed.max(expected).max(view.outputs.len()))
}

/// The operation in a few lines of Markdown. Texts from outside stand in code, where they format nothing.
pub fn markdown(view: &OperationView, now: DateTime<Utc>) -> String {
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
        .map_or_else(String::new, |at| format!(", observed {}", exact(at)));
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
    lines.push(format!("- Revision {}, {}", view.revision, exact(now)));
    lines.join("\n")
}
