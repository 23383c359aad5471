//! Guards of every plan.

use super::{Bench, GuardName, GuardResult};

pub(super) fn guards(bench: &Bench<'_>) -> Vec<GuardResult> {
    vec![
        record_current(bench),
        no_active_recovery(bench),
        operator_permitted(bench),
        message_not_superseded(bench),
    ]
}

fn record_current(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::RecordCurrent;
    let current = bench.record.revision;
    match bench.facts.seen_revision {
        Some(seen) if seen != current && bench.plan.is_alternative() => GuardResult::warn(
            name,
            format!(
                "The record moved from revision {seen} to {current}; a read needs only that its id is known."
            ),
        ),
        Some(seen) if seen != current => GuardResult::block(
            name,
            format!("Revision {seen} was reviewed, {current} is the newest: review the new plan."),
        ),
        Some(_) | None => GuardResult::pass(name, format!("Revision {current} is the newest.")),
    }
}

fn no_active_recovery(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::NoActiveRecovery;
    match bench.facts.active_recovery {
        Some(recovery) => GuardResult::block(
            name,
            format!("Recovery {recovery} is active: wait for its end or cancel it."),
        ),
        None => GuardResult::pass(name, "None is requested or running."),
    }
}

fn operator_permitted(bench: &Bench<'_>) -> GuardResult {
    let name = GuardName::OperatorPermitted;
    let (caller, least) = (&bench.facts.caller, bench.plan.role);
    if caller.may(least) {
        GuardResult::pass(
            name,
            format!("{} has the role {}; {least} is enough.", caller.name, caller.role),
        )
    } else {
        GuardResult::block(
            name,
            format!(
                "{} has the role {}; this needs {least}.",
                caller.name, caller.role
            ),
        )
    }
}

fn message_not_superseded(bench: &Bench<'_>) -> GuardResult {
    use crate::domain::dead_letter::Disposition;
    let name = GuardName::MessageNotSuperseded;
    let Some(id) = bench.facts.dead_letter else {
        return GuardResult::pass(name, "No message led here.");
    };
    let Some(message) = bench.evidence.messages.iter().find(|message| message.id == id) else {
        return GuardResult::warn(name, format!("Message {id} does not speak of this operation."));
    };
    match message.disposition {
        Disposition::Acknowledged => {
            return GuardResult::warn(name, format!("Message {id} is acknowledged already."));
        }
        Disposition::Open => {}
    }
    let newer = bench
        .evidence
        .messages
        .iter()
        .any(|other| !other.purged && other.died_at > message.died_at);
    if newer {
        GuardResult::warn(name, "A newer message speaks of this operation.")
    } else {
        GuardResult::pass(name, "No newer message speaks of this operation.")
    }
}
