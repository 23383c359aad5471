//! Why the other actions are not the plan: one specific sentence each, from the record's own state.

use super::phrase;
use super::row::{Row, Step};
use super::{Action, Refused};
use crate::domain::accounting::is_settled;
use crate::domain::ids::JobId;
use crate::domain::operation::{Dispatch, Operation, Phase};
use crate::domain::remote::Execution;
use std::collections::BTreeSet;

/// Every action but the plan's own, and but a read that is permitted beside it.
pub(super) fn refused(
    record: &Operation,
    step: &Step,
    table: &Step,
    known: &BTreeSet<JobId>,
) -> Vec<Refused> {
    let readable = !known.is_empty();
    Action::ALL
        .iter()
        .copied()
        .filter(|action| *action != step.action && !(*action == Action::Observe && readable))
        .map(|action| Refused {
            action,
            why: if step.row == Row::Alternative && action == table.action {
                "It is the plan itself, and has a review of its own.".to_owned()
            } else {
                why(action, record, table, known)
            },
        })
        .collect()
}

fn why(action: Action, record: &Operation, table: &Step, known: &BTreeSet<JobId>) -> String {
    match action {
        Action::Dispatch => dispatch(record, known),
        Action::Observe => "No job id is known: there is nothing to read.".to_owned(),
        Action::Deliver => deliver(record, table),
        Action::InspectAccounting => inspect(record, table),
        Action::Reconcile => reconcile(table),
        Action::Acknowledge => acknowledge(record),
    }
}

fn dispatch(record: &Operation, known: &BTreeSet<JobId>) -> String {
    let known: Vec<JobId> = known.iter().cloned().collect();
    if record.phase == Phase::Delivered {
        return "Every output is delivered: a new generation would be billed for nothing.".to_owned();
    }
    if !known.is_empty() {
        return format!(
            "A creation request already led to {}: another one would be billed again.",
            phrase::jobs(&known)
        );
    }
    if record.has_remote_life() {
        return format!(
            "The record shows that a render exists ({}): a second one would be billed again.",
            phrase::remote_life(record)
        );
    }
    match record.dispatch {
        Dispatch::NotRecorded | Dispatch::OutcomeUnknown | Dispatch::Sent => {
            format!(
                "{} A new generation could be billed twice.",
                phrase::dispatch(record.dispatch)
            )
        }
        Dispatch::ConfirmedNotSent if record.closure.is_some() => {
            "The operation is closed: it has to be reopened first.".to_owned()
        }
        Dispatch::ConfirmedNotSent => format!(
            "{}, not prepared: only a prepared operation is submitted.",
            capital(&phrase::phase(record.phase))
        ),
    }
}

fn deliver(record: &Operation, table: &Step) -> String {
    if record.phase == Phase::Delivered {
        return "Every output is delivered already.".to_owned();
    }
    if record.closure.is_some() {
        return "The operation is closed: it has to be reopened first.".to_owned();
    }
    if table.row == Row::Contested {
        return "It is not settled which job is this operation's: a copy could be another's.".to_owned();
    }
    if table.row == Row::OutputsMayBeLost {
        return "Every missing output failed in a row for a lasting reason: trying again will not bring it."
            .to_owned();
    }
    let Some(attached) = &record.job_id else {
        return "No job id is attached: there is no render to copy from.".to_owned();
    };
    if record.phase == Phase::Succeeded {
        return "The provider lists no outputs: there is nothing to copy.".to_owned();
    }
    match record.remote.execution {
        Some(Execution::Succeeded) => format!(
            "The provider says succeeded, but {}: a read of {attached} comes first.",
            phrase::phase(record.phase)
        ),
        Some(execution) => format!("There is nothing to copy: {}.", phrase::execution(execution)),
        None => format!("There is nothing to copy yet: {attached} was never read."),
    }
}

fn inspect(record: &Operation, table: &Step) -> String {
    if record.closure.is_some() && record.phase != Phase::Delivered {
        return "The operation is closed; its money can still be decided by a person.".to_owned();
    }
    if is_settled(record) {
        return "The money is settled.".to_owned();
    }
    if table.row == Row::FailedNotSent {
        return "Nothing was sent: there is nothing to be charged for.".to_owned();
    }
    match record.phase {
        Phase::Delivered | Phase::Succeeded => {
            "Our side has not failed: the charge bought a render that succeeded.".to_owned()
        }
        Phase::Failed if record.job_id.is_some() && !record.is_lost_remotely() => {
            "The provider has not said that the render failed: its money comes after its state.".to_owned()
        }
        Phase::Failed => "It is not settled what was sent: that comes before the money.".to_owned(),
        Phase::Prepared | Phase::Submitting | Phase::Accepted => format!(
            "{}: money is inspected when a generation has failed.",
            capital(&phrase::phase(record.phase))
        ),
    }
}

fn reconcile(table: &Step) -> String {
    match table.action {
        Action::Dispatch => {
            "Nothing is in doubt: it is recorded that nothing was sent, and no job id is known.".to_owned()
        }
        Action::Observe => match &table.job_id {
            Some(job) => {
                format!("The provider can still be asked: a read of {job} may answer without a decision.")
            }
            None => "The provider can still be asked.".to_owned(),
        },
        Action::Deliver => {
            "Nothing is in doubt: one render succeeded, and its outputs can be copied.".to_owned()
        }
        Action::InspectAccounting => "The render's end is known; only its money is open.".to_owned(),
        Action::Reconcile | Action::Acknowledge => {
            "Nothing is left to decide about what was sent or rendered.".to_owned()
        }
    }
}

fn acknowledge(record: &Operation) -> String {
    match record.phase {
        Phase::Failed
            if record.dispatch == Dispatch::Sent
                && (record.job_id.is_none() || record.is_lost_remotely()) =>
        {
            "The message is not obsolete: the money is not settled.".to_owned()
        }
        Phase::Succeeded => "The message is not obsolete: the outputs are not delivered.".to_owned(),
        Phase::Failed => "The message is not obsolete: it is not known how the generation ended.".to_owned(),
        Phase::Prepared | Phase::Submitting | Phase::Accepted | Phase::Delivered => format!(
            "The message is not obsolete: {}, and nothing has closed the operation.",
            phrase::phase(record.phase)
        ),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
