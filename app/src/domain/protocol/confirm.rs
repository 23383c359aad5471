//! What a confirmation asks for, compared with the table (DESIGN 4.2, 4.3).

use crate::desk::order::RecoveryOrder;
use crate::domain::evidence::Evidence;
use crate::domain::operation::Operation;
use crate::domain::plan::{Action, Plan, decide, observe_plan};
use crate::domain::recovery::RecoveryState;
use chrono::{DateTime, Utc};

/// The plan that the order asks for; `Err` with the table's plan when that is another one.
///
/// A read of a named id needs only that the id is still known; everything else needs the same revision and action.
pub fn confirmed(
    record: &Operation,
    evidence: &Evidence,
    order: &RecoveryOrder,
    now: DateTime<Utc>,
) -> Result<Plan, Box<Plan>> {
    let table = decide(record, evidence, now);
    let named = order.job_id.as_ref().filter(|_| order.action == Action::Observe);
    if let Some(job_id) = named {
        let is_the_plan = table.action == Action::Observe
            && table.job_id.as_ref() == Some(job_id)
            && order.revision == record.revision;
        return if is_the_plan {
            Ok(table)
        } else {
            observe_plan(record, evidence, job_id, now).ok_or_else(|| Box::new(table))
        };
    }
    if order.revision == record.revision && order.action == table.action {
        Ok(table)
    } else {
        Err(Box::new(table))
    }
}

/// A creation that needs a second person waits for it; everything else is requested at once.
pub const fn begins_as(action: Action, approvals_of_dispatch: u8) -> RecoveryState {
    match action {
        Action::Dispatch if approvals_of_dispatch >= 2 => RecoveryState::AwaitingApproval,
        Action::Dispatch
        | Action::Observe
        | Action::Deliver
        | Action::InspectAccounting
        | Action::Reconcile
        | Action::Acknowledge => RecoveryState::Requested,
    }
}
