//! The plan of a record as it stands in this transaction, guards included: what pages show, confirmations compare and
//! the executor runs again.

use super::evidence;
use super::guard_facts::{self, Asker};
use super::warnings;
use crate::config::Config;
use crate::database::{DbError, Tx};
use app::domain::evidence::Evidence;
use app::domain::guard::GuardFacts;
use app::domain::ids::JobId;
use app::domain::operation::Operation;
use app::domain::plan::{Plan, decide, observe_plan};

/// A plan with what it was decided from.
#[derive(Debug, Clone)]
pub struct Planned {
    pub plan: Plan,
    pub evidence: Evidence,
    pub facts: GuardFacts,
}

/// Decides and guards. With `observe`, the plan of that permitted read instead; `None` when its id is not known.
pub async fn planned(
    tx: &mut Tx,
    config: &Config,
    record: &Operation,
    asker: &Asker<'_>,
    observe: Option<&JobId>,
) -> Result<Option<Planned>, DbError> {
    let evidence = evidence::gather(tx, record).await?;
    let now = tx.now();
    let plan = match observe {
        None => decide(record, &evidence, now),
        Some(job_id) => match observe_plan(record, &evidence, job_id, now) {
            Some(plan) => plan,
            None => return Ok(None),
        },
    };
    let facts = guard_facts::gather(tx, config, record, plan.action, asker).await?;
    let mut plan = plan.guarded(record, &evidence, &facts, now);
    plan.warnings = warnings::of_plan(tx, config, &plan, &evidence, asker).await?;
    Ok(Some(Planned {
        plan,
        evidence,
        facts,
    }))
}

/// As [`planned`] without a particular read.
pub async fn next_action(
    tx: &mut Tx,
    config: &Config,
    record: &Operation,
    asker: &Asker<'_>,
) -> Result<Planned, DbError> {
    let planned = planned(tx, config, record, asker, None).await?;
    planned.ok_or_else(|| DbError::Inconsistent {
        table: "dlo_operations",
        column: "id",
        id: record.id.0.clone(),
    })
}
