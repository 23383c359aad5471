//! What guards need beside record and evidence, read in the same transaction.

use super::{evidence, facts, messages, operations, providers, reservations, soniq_workers};
use crate::config::{Config, Execute, fingerprint};
use crate::database::{DbError, Tx};
use crate::values;
use app::domain::decision::allows_child;
use app::domain::guard::{GuardFacts, Kinship, ParentFacts, ProviderFacts, Rival, rival};
use app::domain::ids::{DeadLetterId, OperationId, QueueJobId, RecoveryId};
use app::domain::operation::Operation;
use app::domain::plan::{Action, decide};
use app::domain::role::Caller;
use chrono::Duration;

/// Who asks, what led here, and which recovery is the asker's own.
#[derive(Debug, Clone)]
pub struct Asker<'a> {
    pub caller: &'a Caller,
    /// The revision that the caller saw; `None` when planning.
    pub seen_revision: Option<i64>,
    /// The dead letter that led here.
    pub led_by: Option<DeadLetterId>,
    /// An executor's own recovery: its activity, its reservation and its job count for nothing.
    pub except: Option<(RecoveryId, Option<QueueJobId>)>,
}

impl<'a> Asker<'a> {
    /// Somebody who plans.
    pub const fn planning(caller: &'a Caller, led_by: Option<DeadLetterId>) -> Self {
        Self {
            caller,
            seen_revision: None,
            led_by,
            except: None,
        }
    }
}

/// Gathers them. `action` is the plan's: competing jobs matter to creations, a greedy worker to our own jobs.
pub async fn gather(
    tx: &mut Tx,
    config: &Config,
    record: &Operation,
    action: Action,
    asker: &Asker<'_>,
) -> Result<GuardFacts, DbError> {
    let own = asker.except.map(|(recovery, _)| recovery);
    let creates = action == Action::Dispatch;
    let handed_out = config
        .actions
        .of(action)
        .is_none_or(|how| how.execute == Execute::Queue);
    Ok(GuardFacts {
        caller: asker.caller.clone(),
        seen_revision: asker.seen_revision,
        provider: provider(tx, config, record).await?,
        active_recovery: active_recovery(tx, &record.id, own).await?,
        dead_letter: asker.led_by,
        owner: facts::owner(tx, &record.owner).await?,
        specification: facts::specification(tx, &record.specification.id).await?,
        reserved_elsewhere: reservations::open_sum(tx, &record.owner, own).await?,
        competing_jobs: if creates {
            let own: Vec<QueueJobId> = asker.except.and_then(|(_, job)| job).into_iter().collect();
            messages::competing_jobs(tx, &config.messages, &record.id, &own).await?
        } else {
            Vec::new()
        },
        parent: match &record.parent {
            Some(parent) => parent_standing(tx, parent).await?,
            None => None,
        },
        rival: if creates {
            rival_of(tx, record).await?
        } else {
            None
        },
        facts_max_age: Duration::seconds(
            i64::try_from(config.policy.facts_max_age_seconds).unwrap_or(i64::from(u32::MAX)),
        ),
        greedy_worker: if handed_out {
            None
        } else {
            soniq_workers::greedy_worker(tx).await?
        },
    })
}

/// What would be pinned on a record of this provider and account now; `None` when no such provider is configured.
///
/// An account that the record names stands in the fingerprint: a record of another account never matches.
pub fn pin(config: &Config, provider: &str, account: &str) -> Option<String> {
    let configured = config.providers.get(provider)?;
    let account = if account.is_empty() {
        configured.account.as_str()
    } else {
        account
    };
    Some(fingerprint(provider, &configured.base_url, account))
}

async fn provider(tx: &mut Tx, config: &Config, record: &Operation) -> Result<ProviderFacts, DbError> {
    let Some(configured) = config.providers.get(&record.provider) else {
        return Ok(ProviderFacts::Missing);
    };
    Ok(ProviderFacts::Configured {
        fingerprint: configured.fingerprint(&record.provider),
        creation_paused: providers::paused(tx, &record.provider).await?,
    })
}

/// The operation's active recovery, unless it is `except`.
pub async fn active_recovery(
    tx: &mut Tx,
    operation: &OperationId,
    except: Option<RecoveryId>,
) -> Result<Option<RecoveryId>, DbError> {
    let sql = "SELECT id FROM dlo_recoveries WHERE operation_id = $1 AND finished_at IS NULL";
    let row = tx.fetch_optional(sql, values![operation]).await?;
    let active = row.map(|row| row.uuid("id").map(RecoveryId)).transpose()?;
    Ok(active.filter(|active| Some(*active) != except))
}

async fn parent_standing(tx: &mut Tx, parent: &OperationId) -> Result<Option<ParentFacts>, DbError> {
    let Some(record) = operations::load(tx, parent).await? else {
        return Ok(None);
    };
    let evidence = evidence::gather(tx, &record).await?;
    let row = decide(&record, &evidence, tx.now()).row;
    Ok(Some(ParentFacts {
        id: parent.clone(),
        still_allows: allows_child(&record, &evidence, row),
    }))
}

/// The first operation prepared in the stead of this one, or of its parent, that holds its creation back.
async fn rival_of(tx: &mut Tx, record: &Operation) -> Result<Option<Rival>, DbError> {
    let mut families = vec![(Kinship::Child, record.clone())];
    if let Some(parent) = &record.parent
        && let Some(parent) = operations::load(tx, parent).await?
    {
        families.push((Kinship::Sibling, parent));
    }
    for (kinship, head) in families {
        for id in operations::children(tx, &head.id).await? {
            if id == record.id {
                continue;
            }
            let Some(relative) = operations::load(tx, &id).await? else {
                continue;
            };
            let known = evidence::gather(tx, &relative).await?;
            let row = decide(&relative, &known, tx.now()).row;
            let adopted = is_adopted(&head, &relative);
            if let Some(found) = rival(kinship, &relative, &known, row, adopted) {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// Whether a child is a paid extra render of its parent, and not a new want.
pub fn is_adopted(parent: &Operation, child: &Operation) -> bool {
    let holds = |job_id| parent.adopted_jobs.contains(job_id);
    child.job_id.as_ref().is_some_and(holds)
}
