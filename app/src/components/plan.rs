//! The card of a plan: its effect in plain words, its guards, what will be written, why the other actions are refused.

use super::badge::{self, Tone};
use super::guards::{guards, tally};
use super::icon::icon;
use super::said::{ids_of_plan, said};
use super::words;
use crate::domain::indexes;
use crate::domain::plan::{Action, Effect, Plan};
use leptos::prelude::*;
use rust_decimal::Decimal;

/// The tone of the whole card: vermilion only where money is spent.
pub const fn card_tone(effect: Effect) -> Tone {
    match effect {
        Effect::SubmitsNewGeneration => Tone::Spend,
        Effect::CopiesExistingOutput => Tone::Act,
        Effect::RecordsDecision => Tone::Decide,
        Effect::ReadsStatus | Effect::None => Tone::Plain,
    }
}

/// The job that a read speaks of, or the operation.
fn object(plan: &Plan) -> &str {
    plan.job_id
        .as_ref()
        .map_or(plan.operation_id.as_str(), |job| job.as_str())
}

/// Verb and object, and the price where there is one: the words of the button that does it.
pub fn order(plan: &Plan, estimate: Option<Decimal>) -> String {
    let object = super::text::visible(object(plan));
    let operation = super::text::visible(plan.operation_id.as_str());
    match plan.action {
        Action::Dispatch => {
            let price = estimate.map_or_else(String::new, |price| format!(", {}", words::credits(price)));
            format!("Submit new generation for {object}{price}")
        }
        Action::Observe => format!("Read status of {object}"),
        Action::Deliver => match plan.outputs.as_slice() {
            [] => format!("Complete delivery of {operation}"),
            some => format!("Copy {}", indexes::outputs(some, 0)),
        },
        Action::InspectAccounting => format!("Read charge of {object}"),
        Action::Reconcile => format!("Record a decision on {operation}"),
        Action::Acknowledge => format!("Acknowledge the messages of {operation}"),
    }
}

/// The same as a question, for the title of the review.
pub fn question(plan: &Plan) -> (String, String) {
    let head = match plan.action {
        Action::Dispatch => "Submit a new generation for",
        Action::Observe => "Read the status of",
        Action::Deliver if plan.outputs.is_empty() => "Complete the delivery of",
        Action::Deliver => "Copy the missing outputs of",
        Action::InspectAccounting => "Read the charge of",
        Action::Reconcile => "What is true about",
        Action::Acknowledge => "Acknowledge the messages of",
    };
    let about = match plan.action {
        Action::Observe | Action::InspectAccounting => object(plan),
        Action::Dispatch | Action::Deliver | Action::Reconcile | Action::Acknowledge => {
            plan.operation_id.as_str()
        }
    };
    (head.to_owned(), about.to_owned())
}

/// What confirming will write, one line each.
pub fn written(plan: &Plan, message: Option<&str>, estimate: Option<Decimal>) -> Vec<String> {
    let mut lines = Vec::new();
    if !plan.effect.makes_recovery() {
        return vec![
            "your decision, with its reason".to_owned(),
            format!("revision {}", plan.revision + 1),
            "one audit entry".to_owned(),
        ];
    }
    if plan.effect == Effect::SubmitsNewGeneration {
        lines.push(match estimate {
            Some(price) => format!("a reservation of {} on the owner", words::credits(price)),
            None => "a reservation of the estimate on the owner".to_owned(),
        });
    }
    lines.push("a recovery, and one queue job that carries it out".to_owned());
    if let Some(message) = message {
        lines.push(format!(
            "one replay counted on message {}",
            super::text::short(message)
        ));
    }
    match plan.action {
        Action::Dispatch => {
            lines.push("when sent: phase submitting, evidence outcome_unknown, a new attempt".to_owned());
        }
        Action::Observe => lines.push("what the provider answers: state, outputs, charge".to_owned()),
        Action::Deliver => {
            if !plan.outputs.is_empty() {
                lines.push("per output: storage key, bytes, sha256".to_owned());
            }
            lines.push("phase delivered when every output is ours".to_owned());
        }
        Action::InspectAccounting => lines.push("the charge, as the provider states it".to_owned()),
        Action::Reconcile | Action::Acknowledge => {}
    }
    lines.push("two audit entries: intent and outcome".to_owned());
    lines
}

/// Icon, name of the action and what it does.
pub fn effect_head(plan: &Plan, aside: Option<AnyView>) -> AnyView {
    let face = badge::effect(plan.effect);
    let head = format!("{}: {}", words::action(plan.action), words::effect(plan.effect));
    view! {
        <div class="effect">
            {icon(face.icon)}
            <div>
                <h3>{head}</h3>
                <p data-summary="">{said(&plan.summary, &ids_of_plan(plan))}</p>
            </div>
            {aside}
        </div>
    }
    .into_any()
}

fn bullets(lines: Vec<String>) -> AnyView {
    view! { <ul class="bul">{lines.into_iter().map(|line| view! { <li>{said(&line, &[])}</li> }).collect::<Vec<_>>()}</ul> }.into_any()
}

fn why_not(plan: &Plan) -> AnyView {
    let ids = ids_of_plan(plan);
    let items = plan
        .refused
        .iter()
        .map(|one| {
            view! {
                <div data-refused=one.action.as_str()>
                    <dt>{words::action(one.action)}</dt>
                    <dd>{said(&one.why, &ids)}</dd>
                </div>
            }
        })
        .collect::<Vec<_>>();
    view! { <dl class="why">{items}</dl> }.into_any()
}

/// Guards on one side; what will be written and why nothing else on the other.
pub fn evidence(plan: &Plan, written: Vec<String>) -> AnyView {
    let tally = tally(&plan.guards);
    let refused = (!plan.refused.is_empty()).then(|| {
        view! { <div><h3>"Why nothing else"</h3>{why_not(plan)}</div> }
    });
    view! {
        <div class="split">
            <div>
                <h3>{format!("Guards: {tally}")}</h3>
                {guards(plan.guards.clone(), &ids_of_plan(plan))}
            </div>
            <div class="stack">
                <div><h3>"What will be written"</h3>{bullets(written)}</div>
                {refused}
            </div>
        </div>
    }
    .into_any()
}
