//! Operations as a caller reads them.

use super::{Failure, Office, require};
use crate::database::{DbError, Tx};
use crate::storage::guard_facts::Asker;
use crate::storage::operations::{Listed, Place};
use crate::storage::planned::{next_action, planned};
use crate::storage::presence::read_if;
use crate::storage::{
    circuits, claims, cursor, dead_letters, decisions, events, evidence, notes, operations, presence,
    recoveries,
};
use app::desk::filter::MAX_LIMIT;
use app::desk::view::{Inconsistency, OperationSummary};
use app::desk::{
    Candidates, Code, DeskError, OperationFilter, OperationRow, OperationView, PageOf, PageRequest,
    RemoteView,
};
use app::domain::evidence::Evidence;
use app::domain::ids::{DeadLetterId, JobId, OperationId};
use app::domain::operation::Operation;
use app::domain::permission::Permission;
use app::domain::plan::{Plan, decide, sentence};
use app::domain::role::Caller;
use chrono::{DateTime, Utc};

/// The most dead letters that are shown with their operation, newest first.
const SHOWN_MESSAGES: u32 = MAX_LIMIT;
/// The most notes that are shown with their operation: the newest.
const SHOWN_NOTES: u32 = MAX_LIMIT;

/// The refusal of an id that names nothing here.
pub fn no_such_operation() -> DeskError {
    DeskError::new(Code::NotFound, "No operation of that id is recorded here.")
}

impl Office {
    /// One operation with everything that is known of it.
    pub async fn operation(&self, caller: &Caller, id: &OperationId) -> Result<OperationView, DeskError> {
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        let record = operations::load(&mut tx, id)
            .await?
            .ok_or_else(no_such_operation)?;
        let view = self.view(&mut tx, caller, record).await?;
        drop(tx);
        self.note_look(caller, id).await;
        Ok(view)
    }

    /// The record with all that stands around it, in the caller's transaction.
    pub(super) async fn view(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        record: Operation,
    ) -> Result<OperationView, DbError> {
        let planned = next_action(tx, &self.config, &record, &Asker::planning(caller, None)).await?;
        let specification = planned.facts.specification;
        let there = presence::of(tx, &record).await?;
        let (known, not_known) = sentence(&record, &planned.evidence);
        Ok(OperationView {
            known,
            not_known,
            specification_current: specification.as_ref().map(|facts| facts.current_revision),
            estimated_credits: specification.map(|facts| facts.estimated_credits),
            children: read_if(there.children, operations::children(tx, &record.id)).await?,
            dead_letters: dead_letters::of_operation(
                tx,
                &self.config.messages,
                &self.redactor,
                &record.id,
                SHOWN_MESSAGES,
            )
            .await?,
            recoveries: read_if(there.recoveries, recoveries::of_operation(tx, &record.id)).await?,
            decisions: read_if(there.decisions, decisions::list(tx, &record.id)).await?,
            timeline: events::list(tx, &record.id).await?,
            notes: read_if(there.notes, notes::list(tx, &record.id, SHOWN_NOTES)).await?,
            claim: read_if(there.claim, claims::current(tx, &record.id)).await?,
            circuit: read_if(there.circuit, circuits::of(tx, &record.provider, &record.account)).await?,
            attempts: planned.evidence.attempts,
            label: planned.plan.label,
            refund_unresolved: planned.plan.refund_unresolved,
            plan: planned.plan,
            id: record.id,
            revision: record.revision,
            phase: record.phase,
            dispatch: record.dispatch,
            provider: record.provider,
            account: record.account,
            owner: record.owner,
            specification: record.specification,
            model: record.model,
            remote: RemoteView {
                job_id: record.job_id,
                axes: record.remote,
                other_jobs: record.other_jobs.into_iter().map(Into::into).collect(),
            },
            charge: record.charge,
            outputs: record.outputs,
            lost_outputs: record.lost_outputs,
            error: record.error,
            parent: record.parent,
            closure: record.closure,
            created_at: record.created_at,
            updated_at: record.updated_at,
        })
    }

    /// The operations, newest first. A row that cannot be read stands in its place.
    pub async fn operations(
        &self,
        caller: &Caller,
        filter: &OperationFilter,
        page: &PageRequest,
    ) -> Result<PageOf<OperationRow>, DeskError> {
        let after = page.cursor.as_deref().map(place).transpose()?;
        require(caller, Permission::Read)?;
        let limit = page.limit.clamp(1, MAX_LIMIT);
        let mut tx = self.database.read().await?;
        let mut listed = operations::list(&mut tx, filter, after.as_ref(), limit + 1).await?;
        let more = listed.len() > limit as usize;
        listed.truncate(limit as usize);
        let next_cursor = listed
            .last()
            .filter(|_| more)
            .and_then(|last| last.place.as_ref())
            .map(cursor_of);
        let items = rows(&mut tx, listed).await?;
        Ok(PageOf { items, next_cursor })
    }

    /// The plan with its guards as they stand for this caller; with `observe`, the plan of that read instead.
    pub async fn plan(
        &self,
        caller: &Caller,
        id: &OperationId,
        observe: Option<&JobId>,
        led_by: Option<DeadLetterId>,
    ) -> Result<Plan, DeskError> {
        require(caller, Permission::Read)?;
        let mut tx = self.database.read().await?;
        let record = operations::load(&mut tx, id)
            .await?
            .ok_or_else(no_such_operation)?;
        let planned = planned(
            &mut tx,
            &self.config,
            &record,
            &Asker::planning(caller, led_by),
            observe,
        )
        .await?;
        drop(tx);
        match planned {
            Some(planned) => {
                self.note_look(caller, id).await;
                Ok(planned.plan)
            }
            None => Err(DeskError::new(
                Code::NotFound,
                "This job id is not known to the operation.",
            )),
        }
    }

    /// Asks the provider's search for ids that may belong to the operation. Evidence only: nothing is written.
    pub async fn candidates(&self, caller: &Caller, id: &OperationId) -> Result<Candidates, DeskError> {
        require(caller, Permission::SearchProvider)?;
        let mut tx = self.database.read().await?;
        let record = operations::load(&mut tx, id)
            .await?
            .ok_or_else(no_such_operation)?;
        tx.rollback().await?;
        Ok(self.search(&record).await)
    }

    /// The provider's search, where there is one and the record is pinned to the provider as it is configured.
    pub(super) async fn search(&self, record: &Operation) -> Candidates {
        let not_searched = |detail: String| Candidates {
            searched: false,
            job_ids: Vec::new(),
            detail,
        };
        let Some(configured) = self.config.providers.get(&record.provider) else {
            return not_searched(format!("No provider {} is configured.", record.provider));
        };
        if configured.search().is_none() {
            return not_searched(format!("{} has no search.", record.provider));
        }
        if !self.is_pinned(record) {
            return not_searched(format!(
                "The configuration of {} is not the one that the record was made with.",
                record.provider
            ));
        }
        match &self.asks {
            Some(asks) => asks.search(record).await,
            None => not_searched("Nobody asks providers here.".to_owned()),
        }
    }

    /// The record's fingerprint is that of its provider as configured now.
    pub(super) fn is_pinned(&self, record: &Operation) -> bool {
        let configured = self.config.providers.get(&record.provider);
        configured
            .is_some_and(|configured| record.fingerprint == Some(configured.fingerprint(&record.provider)))
    }
}

/// Rows with what is derived of them, decided from the same evidence as anywhere else.
async fn rows(tx: &mut Tx, listed: Vec<Listed>) -> Result<Vec<OperationRow>, Failure> {
    let readable: Vec<&Operation> = listed.iter().filter_map(|row| row.record.as_ref().ok()).collect();
    let mut gathered = evidence::gather_many(tx, &readable).await?.into_iter();
    let now = tx.now();
    let mut rows = Vec::with_capacity(listed.len());
    for row in listed {
        rows.push(match row.record {
            Ok(record) => OperationRow::Readable(Box::new(summary(
                record,
                &gathered.next().unwrap_or_default(),
                now,
            ))),
            Err(error) => OperationRow::Unreadable(inconsistency(error)?),
        });
    }
    Ok(rows)
}

fn summary(record: Operation, evidence: &Evidence, now: DateTime<Utc>) -> OperationSummary {
    let plan = decide(&record, evidence, now);
    let living = evidence.messages.iter().filter(|message| !message.purged).count();
    OperationSummary {
        revision: record.revision,
        phase: record.phase,
        dispatch: record.dispatch,
        model: record.model,
        job_id: record.job_id,
        remote_execution: record.remote.execution,
        remote_fetch: record.remote.fetch,
        remote_observed_at: record.remote.observed_at,
        label: plan.label,
        refund_unresolved: plan.refund_unresolved,
        next_action: plan.action,
        effect: plan.effect,
        error_category: record.error.map(|error| error.category),
        dead_letters: i64::try_from(living).unwrap_or(i64::MAX),
        created_at: record.created_at,
        updated_at: record.updated_at,
        id: record.id,
        provider: record.provider,
        account: record.account,
        owner: record.owner,
    }
}

/// An impossible row is shown; any other error is a failure.
fn inconsistency(error: DbError) -> Result<Inconsistency, DbError> {
    match error {
        DbError::Inconsistent { table, column, id } => {
            tracing::warn!(table, column, id, "an impossible row");
            Ok(Inconsistency {
                table: table.to_owned(),
                column: column.to_owned(),
                id,
            })
        }
        other => Err(other),
    }
}

fn cursor_of(place: &Place) -> String {
    cursor::encode(&[&place.updated_at.timestamp_micros().to_string(), &place.id])
}

fn place(text: &str) -> Result<Place, DeskError> {
    let [micros, id] = cursor::decode::<2>(text)?;
    let at = micros.parse().ok().and_then(DateTime::from_timestamp_micros);
    match at {
        Some(updated_at) => Ok(Place { updated_at, id }),
        None => Err(DeskError::new(
            Code::InvalidRequest,
            "The cursor is not one that this list gave out.",
        )),
    }
}
