//! What a person should know before a replay: a queued twin, a handler that nobody has, earlier replays.

use super::guard_facts::Asker;
use super::jobs::OWN_QUEUE;
use super::messages::{self, Naming, own_action};
use super::soniq_handlers;
use crate::config::{Config, Execute, Messages};
use crate::database::{DbError, Tx};
use crate::values;
use app::desk::DeadLetterView;
use app::domain::evidence::Evidence;
use app::domain::ids::{DeadLetterId, OperationId};
use app::domain::plan::{Action, Plan};
use app::domain::warning::{self, ReplayWarning, Twin};
use std::collections::BTreeMap;

/// Fills in the warnings of these dead letters.
pub async fn of_letters(
    tx: &mut Tx,
    config: &Messages,
    letters: &mut [DeadLetterView],
) -> Result<(), DbError> {
    let names: Vec<&str> = letters
        .iter()
        .filter(|letter| !is_ours(letter))
        .map(|letter| letter.job_name.as_str())
        .collect();
    let handlers = soniq_handlers::standings(tx, &names).await?;
    let mut by_operation: BTreeMap<OperationId, Vec<Naming>> = BTreeMap::new();
    for letter in letters {
        let twins: Vec<Twin> = match &letter.operation_id {
            Some(operation) => {
                if !by_operation.contains_key(operation) {
                    let jobs = messages::naming(tx, config, operation).await?;
                    by_operation.insert(operation.clone(), jobs);
                }
                by_operation
                    .get(operation)
                    .into_iter()
                    .flatten()
                    .filter(|job| job.job_name == letter.job_name)
                    .map(Naming::twin)
                    .collect()
            }
            None => messages::same_work(tx, letter.id).await?,
        };
        let handler = handlers
            .as_ref()
            .and_then(|known| known.get(&letter.job_name))
            .and_then(|standing| warning::handler(&letter.job_name, *standing));
        letter.warnings = Some(
            [
                warning::queued_twin(&twins),
                handler,
                warning::replayed_before("This message was", letter.resurrection_count, letter.replays),
            ]
            .into_iter()
            .flatten()
            .collect(),
        );
    }
    Ok(())
}

/// Our own worker has its handlers, whatever the registry says.
fn is_ours(letter: &DeadLetterView) -> bool {
    letter.queue == OWN_QUEUE && own_action(&letter.job_name).is_some()
}

/// The warnings of a plan that a machine would carry out; none for a decision.
pub async fn of_plan(
    tx: &mut Tx,
    config: &Config,
    plan: &Plan,
    evidence: &Evidence,
    asker: &Asker<'_>,
) -> Result<Vec<ReplayWarning>, DbError> {
    if !plan.effect.makes_recovery() {
        return Ok(Vec::new());
    }
    let twins = match plan.action {
        // A guard blocks there already.
        Action::Dispatch => Vec::new(),
        Action::Observe
        | Action::Deliver
        | Action::InspectAccounting
        | Action::Reconcile
        | Action::Acknowledge => twins(tx, &config.messages, plan).await?,
    };
    let (all, ours) = match asker.led_by {
        Some(id) => replays(evidence, |one| one == id),
        None => replays(evidence, |_| true),
    };
    let what = match asker.led_by {
        Some(_) => "The message that led here was",
        None => "The messages of this operation were",
    };
    let found = [
        warning::queued_twin(&twins),
        handed_to(tx, config, plan.action, asker.led_by).await?,
        warning::replayed_before(what, all, ours),
    ];
    Ok(found.into_iter().flatten().collect())
}

/// The application's jobs that wait to do for this operation what the plan does.
async fn twins(tx: &mut Tx, config: &Messages, plan: &Plan) -> Result<Vec<Twin>, DbError> {
    let jobs = messages::naming(tx, config, &plan.operation_id).await?;
    Ok(jobs
        .iter()
        .filter(|job| !job.ours && messages::action(config, &job.job_name) == Some(plan.action))
        .map(Naming::twin)
        .collect())
}

fn replays(evidence: &Evidence, wanted: impl Fn(DeadLetterId) -> bool) -> (i64, i64) {
    evidence
        .messages
        .iter()
        .filter(|message| wanted(message.id))
        .fold((0, 0), |(all, ours), message| {
            let counted = message.resurrections.max(message.own_replays);
            (all + counted, ours + message.own_replays)
        })
}

/// Where the action is handed back: whether the application's workers know the name that the job would carry.
async fn handed_to(
    tx: &mut Tx,
    config: &Config,
    action: Action,
    led_by: Option<DeadLetterId>,
) -> Result<Option<ReplayWarning>, DbError> {
    let Some(how) = config
        .actions
        .of(action)
        .filter(|how| how.execute == Execute::Queue)
    else {
        return Ok(None);
    };
    let mut name = how.job_name.clone();
    if let Some(id) = led_by {
        let sql = "SELECT job_name FROM soniq_dead_letter_jobs WHERE id = $1";
        if let Some(row) = tx.fetch_optional(sql, values![id]).await? {
            let own = row.text("job_name")?;
            // Where the message's own job is the next action, the application gets it back as it was.
            if config.messages.actions.get(&own) == Some(&action) {
                name = own;
            }
        }
    }
    let known = soniq_handlers::standings(tx, &[name.as_str()]).await?;
    let standing = known.and_then(|known| known.get(&name).copied());
    Ok(standing.and_then(|standing| warning::handler(&name, standing)))
}
