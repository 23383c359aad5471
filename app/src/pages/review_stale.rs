//! What changed while the person was reading: of a plan that went stale, the record field by field, and the plan itself.

use crate::components::badge::effect_tag;
use crate::components::changes::changes;
use crate::components::form::Returned;
use crate::components::time::moment;
use crate::components::words;
use crate::desk::{Code, Desk, FieldLine, RevisionView, compare};
use crate::domain::ids::OperationId;
use crate::domain::plan::{Action, Plan};
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// Names of the query's values that a stale form sends back.
pub(super) const SEEN: &str = "seen";
pub(super) const WAS: &str = "was";

/// What the person had seen, beside what holds now.
#[derive(Debug, Clone, PartialEq)]
pub struct Stale {
    pub view: RevisionView,
    /// The action of the plan that was confirmed.
    pub was: Option<Action>,
}

/// Of a form that came back because its plan was stale.
pub(super) async fn load(
    desk: &dyn Desk,
    target: &OperationId,
    query: &Query,
    returned: Option<&Returned>,
) -> Option<Stale> {
    let stale = returned.is_some_and(|back| back.code == Code::PlanStale);
    let seen: i64 = query.get(SEEN).filter(|_| stale)?.parse().ok()?;
    Some(Stale {
        view: desk.revision(target, seen).await.ok()?,
        was: query.get(WAS).and_then(|text| text.parse().ok()),
    })
}

fn plan_line(was: Option<Action>, plan: &Plan) -> AnyView {
    let now = view! { <strong>{words::action(plan.action)}</strong> " " {effect_tag(plan.effect)} };
    match was {
        Some(was) if was != plan.action => view! {
            <p data-was=was.as_str()>"You were about to confirm " <strong>{words::action(was)}</strong> ". The plan is now " {now} "."</p>
        }
        .into_any(),
        Some(_) => view! { <p>"The plan is still " {now} ", at another revision."</p> }.into_any(),
        None => view! { <p>"The plan that holds now: " {now} "."</p> }.into_any(),
    }
}

/// The section above the new plan.
pub(super) fn changed(stale: &Stale, plan: &Plan, now: DateTime<Utc>) -> AnyView {
    let view = &stale.view;
    let since = view.then.as_ref().map(|(_, at)| moment(now, *at));
    let body = match &view.then {
        None => view! {
            <p class="dim">{format!("Revision {} is not kept, so its fields cannot be compared.", view.revision)}</p>
        }
        .into_any(),
        Some((then, _)) => {
            let lines: Vec<FieldLine> = compare(then, &view.now)
                .into_iter()
                .filter(FieldLine::differs)
                .collect();
            if lines.is_empty() {
                view! { <p>"No field of the record changed. What is known around it did: a message, a receipt, or another operation."</p> }.into_any()
            } else {
                let (then, now) = (
                    format!("Revision {}, which you read", view.revision),
                    format!("Revision {}, now", view.now.revision),
                );
                changes("What changed since", then, now, &lines)
            }
        }
    };
    let history = href::revision(view.operation.as_str(), view.revision);
    view! {
        <section class="block" data-stale=view.revision.to_string()>
            <h2>"What changed since you read it" <small>{since} " " <a href=history>{format!("revision {} in full", view.revision)}</a></small></h2>
            {plan_line(stale.was, plan)}
            {body}
        </section>
    }
    .into_any()
}
