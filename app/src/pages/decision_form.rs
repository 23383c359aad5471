//! The forms of decisions, each where the plan allows it, folded until it is wanted.

use super::decisions::RecordDecision;
use crate::components::form::{Returned, hidden, is_invalid, reason_field, refused, text_field};
use crate::components::said::said;
use crate::components::text::{short, visible};
use crate::components::time::utc;
use crate::components::words;
use crate::desk::view::OperationView;
use crate::domain::dead_letter::Disposition;
use crate::domain::decision::DecisionKind;
use crate::domain::plan::{Action, Plan};
use crate::domain::remote::CopyState;
use crate::domain::role::Caller;
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

/// What the forms need of their page.
pub struct Context<'a> {
    pub now: DateTime<Utc>,
    pub operation: &'a OperationView,
    /// The plan that the page shows; its revision is what the person saw.
    pub plan: &'a Plan,
    pub caller: Option<&'a Caller>,
    pub key: &'a str,
    /// `review` or `operation`.
    pub page: &'static str,
    pub back: &'a Query,
    pub message: Option<&'a str>,
    pub returned: Option<&'a Returned>,
}

/// What follows from the decision, in a sentence or two.
const fn consequence(kind: DecisionKind) -> &'static str {
    match kind {
        DecisionKind::AttachJob => {
            "The provider is read once; only when it answers with that id is the id attached. Creates nothing."
        }
        DecisionKind::ChooseJob => {
            "That id is attached with what is known of it; the other ids contest nothing any more."
        }
        DecisionKind::AdoptAsOperation => {
            "The extra, paid render becomes an operation of its own, and can be delivered."
        }
        DecisionKind::ConfirmNotSent => {
            "The record says from now on that nothing was sent, and a new generation may be submitted. If that is wrong, a second render is paid for. The provider's search runs first, where there is one."
        }
        DecisionKind::OutsideSendExcluded => {
            "What happened outside up to that moment no longer blocks a new generation. If that is wrong, a second render is paid for."
        }
        DecisionKind::CloseUnresolved => {
            "The operation is closed. The money flag stands, and new evidence opens it again."
        }
        DecisionKind::OutputsLost => {
            "Those outputs are no longer awaited. When none remains the operation is closed; the money flag stands."
        }
        DecisionKind::RefundConfirmed => {
            "The money counts as settled when the amount covers what was charged. Nothing is posted to the provider."
        }
        DecisionKind::ChargeAccepted => "The money counts as settled without a refund.",
        DecisionKind::RefundRequested => {
            "It is written down that a refund was asked for. This settles nothing."
        }
        DecisionKind::AcknowledgeObsolete => {
            "The message is marked as dealt with. Nothing is sent and nothing is deleted."
        }
        DecisionKind::PrepareNewOperation => {
            "A new operation is prepared with this one as its parent. It sends nothing: its own dispatch is reviewed by itself."
        }
        DecisionKind::Reopen => "The closure is removed, and the plan follows the record again.",
    }
}

/// Fields beside the reason.
fn fields(kind: DecisionKind, context: &Context<'_>, back: Option<&Returned>) -> Vec<AnyView> {
    let typed = |name| Returned::typed(back, name);
    let line = |name, words: &'static str, hint, mono| {
        text_field(name, words.into_any(), hint, typed(name), mono).into_any()
    };
    let evidence = || {
        view! {
            <label class="field">
                <span>"Evidence"</span>
                <textarea name="evidence" rows="2" required maxlength="500">{typed("evidence")}</textarea>
                <small>"How it is known, in words that another person can check."</small>
            </label>
        }
        .into_any()
    };
    match kind {
        DecisionKind::AttachJob => vec![line("job_id", "The provider’s job id", "", true)],
        DecisionKind::ChooseJob => vec![job_choice(context, &typed("job_id"), false)],
        DecisionKind::AdoptAsOperation => vec![
            job_choice(context, &typed("job_id"), true),
            line("id", "Id of the new operation", "", true),
        ],
        DecisionKind::ConfirmNotSent => vec![evidence()],
        DecisionKind::OutsideSendExcluded => {
            let through = Some(typed("through"))
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| utc(context.now));
            let field = text_field(
                "through",
                "Excluded up to, UTC".into_any(),
                "For example 2026-11-30 14:05:11.",
                through,
                true,
            );
            vec![evidence(), field.into_any()]
        }
        DecisionKind::OutputsLost => {
            let lost = Some(typed("indexes"))
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| missing(context.operation));
            vec![
                text_field(
                    "indexes",
                    "Indexes".into_any(),
                    "Separated by commas.",
                    lost,
                    true,
                )
                .into_any(),
            ]
        }
        DecisionKind::RefundConfirmed => vec![
            line("reference", "Reference of the refund", "", true),
            line(
                "amount",
                "Amount in credits",
                "An exact decimal, for example 12 or 12.5.",
                true,
            ),
        ],
        DecisionKind::AcknowledgeObsolete => message_choice(context, &typed("dead_letter_id"))
            .into_iter()
            .collect(),
        DecisionKind::PrepareNewOperation => vec![line("id", "Id of the new operation", "", true)],
        DecisionKind::CloseUnresolved
        | DecisionKind::ChargeAccepted
        | DecisionKind::RefundRequested
        | DecisionKind::Reopen => Vec::new(),
    }
}

/// Indexes that are not ours yet, as the field shows them.
fn missing(operation: &OperationView) -> String {
    let indexes: Vec<String> = operation
        .outputs
        .iter()
        .filter(|output| output.state != CopyState::Delivered)
        .map(|output| output.index.to_string())
        .collect();
    indexes.join(", ")
}

fn job_choice(context: &Context<'_>, typed: &str, only_others: bool) -> AnyView {
    let attached = context
        .operation
        .remote
        .job_id
        .iter()
        .filter(|_| !only_others)
        .map(|job| (job, " (attached)"));
    let others = context
        .operation
        .remote
        .other_jobs
        .iter()
        .map(|other| (&other.job_id, ""));
    let read = context.plan.alternatives.iter().map(|one| (&one.job_id, ""));
    let mut seen = std::collections::BTreeSet::new();
    let attached_id = context.operation.remote.job_id.as_ref();
    let options = attached
        .chain(others)
        .chain(read.filter(|(job, _)| !only_others || Some(*job) != attached_id))
        .filter(|(job, _)| seen.insert((*job).clone()))
        .map(|(job, note)| {
            let selected = job.as_str() == typed;
            let words = format!("{}{note}", visible(job.as_str()));
            view! { <option value=job.to_string() selected=selected>{words}</option> }
        })
        .collect::<Vec<_>>();
    view! {
        <label class="field"><span>"Job id"</span>
            <select name="job_id" class="m" required><option value="">"Choose"</option>{options}</select></label>
    }
    .into_any()
}

/// A choice only when there is more than one open message.
fn message_choice(context: &Context<'_>, typed: &str) -> Option<AnyView> {
    let open: Vec<_> = context
        .operation
        .dead_letters
        .iter()
        .filter(|letter| letter.disposition == Disposition::Open)
        .collect();
    if open.is_empty() {
        return None;
    }
    let options = open
        .iter()
        .map(|letter| {
            let id = letter.id.to_string();
            let selected = id == typed;
            let words = format!("{} {}", short(&id), visible(&letter.job_name));
            view! { <option value=id selected=selected>{words}</option> }
        })
        .collect::<Vec<_>>();
    let view = view! {
        <label class="field"><span>"Message"</span>
            <select name="dead_letter_id"><option value="">"All messages of the operation"</option>{options}</select></label>
    };
    Some(view.into_any())
}

/// Whether the plan is this very decision.
fn is_asked_for(kind: DecisionKind, action: Action) -> bool {
    kind == DecisionKind::AcknowledgeObsolete && action == Action::Acknowledge
}

fn form(kind: DecisionKind, context: &Context<'_>) -> AnyView {
    let name = kind.as_str();
    let back = context.returned.filter(|back| back.form == name);
    let open = back.is_some() || (context.page == "review" && is_asked_for(kind, context.plan.action));
    let may = context.caller.is_some_and(|caller| caller.may(kind.role()));
    let operation = context.operation.id.as_str();
    let button = if may {
        format!("{}: {}", words::decision(kind), visible(operation))
    } else {
        format!("Recording this needs the {} role", kind.role())
    };
    let query = Query::of(&[
        ("back", &context.back.to_text()),
        ("message", context.message.unwrap_or_default()),
    ]);
    let cancel = href::with(&href::operation(operation), &query);
    let tone = if kind.role() == crate::domain::role::Role::Approver {
        "destroy"
    } else {
        "go"
    };
    view! {
        <details open=open id=format!("decide-{name}")>
            <summary><b>{words::decision(kind)} "?"</b> <code>{name}</code></summary>
            <form method="post" action=RecordDecision::PATH data-action=name data-decision=name>
                {refused(context.returned, name)}
                <p>{consequence(kind)}</p>
                {hidden("operation", operation.to_owned())}
                {hidden("decision", name.to_owned())}
                {hidden("revision", context.plan.revision.to_string())}
                {hidden("key", format!("{}-{name}", context.key))}
                {hidden("page", context.page.to_owned())}
                {hidden("back", context.back.to_text())}
                {hidden("message", context.message.unwrap_or_default().to_owned())}
                {fields(kind, context, back)}
                {reason_field(Returned::typed(back, "reason"), is_invalid(back))}
                <div class="acts">
                    <a class="btn" href=cancel>"Cancel"</a>
                    <button class="btn" data-tone=tone type="submit" disabled=!may>{said(&button, &[operation])}</button>
                </div>
            </form>
        </details>
    }
    .into_any()
}

/// All decisions that are allowed here.
pub fn forms(context: &Context<'_>) -> Option<AnyView> {
    let allowed = &context.plan.decisions;
    // A refused form whose decision is not allowed any more still says why.
    let stray = context
        .returned
        .filter(|back| {
            back.form
                .parse::<DecisionKind>()
                .is_ok_and(|kind| !allowed.contains(&kind))
        })
        .and_then(|back| refused(Some(back), &back.form));
    if allowed.is_empty() && stray.is_none() {
        return None;
    }
    // What the plan asks for comes first.
    let mut kinds = allowed.clone();
    kinds.sort_by_key(|kind| !is_asked_for(*kind, context.plan.action));
    let list = kinds
        .into_iter()
        .map(|kind| form(kind, context))
        .collect::<Vec<_>>();
    let view = view! {
        <section class="block decisions" id="decisions">
            <h2>"Decisions a person can record" <small>"each with its reason; none reaches the provider but by a read"</small></h2>
            {stray}
            {list}
        </section>
    };
    Some(view.into_any())
}
