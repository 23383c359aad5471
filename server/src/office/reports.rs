//! `PUT` and `PATCH /operations/{id}`: what the application says of its operations.

use super::operations::no_such_operation;
use super::{Failure, Office, require};
use crate::database::{DbError, Tx};
use crate::storage::guard_facts::pin;
use crate::storage::{messages, operations};
use app::desk::{Code, DeskError, Event, EventKind, Lane, OperationView};
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::Operation;
use app::domain::permission::Permission;
use app::domain::role::Caller;
use app::domain::transition::{apply_patch, parse_patch, parse_put};
use serde_json::Value;
use std::collections::BTreeSet;

impl Office {
    /// Makes an operation at revision 1 as the report says; dead letters that waited for it are its evidence at once.
    ///
    /// # Errors
    /// `already_exists`, `invalid_record`.
    pub async fn put_operation(
        &self,
        caller: &Caller,
        id: &OperationId,
        body: &Value,
    ) -> Result<OperationView, DeskError> {
        if OperationId::parse(id.as_str()).is_none() {
            return Err(DeskError::new(
                Code::BadId,
                "An operation id has 1 to 200 bytes and no control characters.",
            ));
        }
        require(caller, Permission::Report)?;
        crate::again!(self.put_once(caller, id, body).await)
    }

    async fn put_once(
        &self,
        caller: &Caller,
        id: &OperationId,
        body: &Value,
    ) -> Result<OperationView, Failure> {
        let reported = parse_put(body)?;
        let mut tx = self.database.write().await?;
        if operations::exists(&mut tx, id).await? {
            return Err(DeskError::new(
                Code::AlreadyExists,
                "An operation of that id is recorded already.",
            )
            .into());
        }
        let account = reported.report.account.as_deref().unwrap_or_default();
        let fingerprint = pin(&self.config, &reported.provider, account);
        let named = reported.report.remote.job_id.as_ref();
        let held = held(&mut tx, &reported.provider, account, id, named).await?;
        let now = tx.now();
        let record = reported.into_record(id.clone(), fingerprint, now, |job_id| held.contains(job_id));
        operations::create(&mut tx, &record, &recorded(&record)).await?;
        messages::adopt(&mut tx, id).await?;
        let view = self.view(&mut tx, caller, record).await?;
        tx.commit_at("put").await?;
        Ok(view)
    }

    /// One more report about an operation that stands at revision `if_match`.
    ///
    /// A fingerprint that could not be pinned when the record was made is pinned now.
    ///
    /// # Errors
    /// `not_found`, `revision_mismatch`, `invalid_record`, `phase_regression`, `evidence_regression`,
    /// `terminal_phase`.
    pub async fn patch_operation(
        &self,
        caller: &Caller,
        id: &OperationId,
        if_match: i64,
        body: &Value,
    ) -> Result<OperationView, DeskError> {
        require(caller, Permission::Report)?;
        crate::again!(self.patch_once(caller, id, if_match, body).await)
    }

    async fn patch_once(
        &self,
        caller: &Caller,
        id: &OperationId,
        if_match: i64,
        body: &Value,
    ) -> Result<OperationView, Failure> {
        let mut tx = self.database.write().await?;
        let mut record = operations::lock(&mut tx, id)
            .await?
            .ok_or_else(no_such_operation)?;
        if record.revision != if_match {
            let detail = format!(
                "The operation is at revision {}, not {if_match}.",
                record.revision
            );
            return Err(DeskError::new(Code::RevisionMismatch, detail).into());
        }
        let patch = parse_patch(body)?;
        if record.fingerprint.is_none() {
            record.fingerprint = pin(&self.config, &record.provider, &record.account);
        }
        let held = held(
            &mut tx,
            &record.provider,
            &record.account,
            id,
            patch.remote.job_id.as_ref(),
        )
        .await?;
        let now = tx.now();
        let change = apply_patch(&record, &patch, now, |job_id| held.contains(job_id))?;
        operations::save(&mut tx, &change.record, &change.events).await?;
        let view = self.view(&mut tx, caller, change.record).await?;
        tx.commit_at("patch").await?;
        Ok(view)
    }
}

async fn held(
    tx: &mut Tx,
    provider: &str,
    account: &str,
    id: &OperationId,
    named: Option<&JobId>,
) -> Result<BTreeSet<JobId>, DbError> {
    let named: BTreeSet<JobId> = named.cloned().into_iter().collect();
    operations::held_elsewhere(tx, provider, account, id, &named).await
}

/// The first events of a record: what it says of our side, and what it says that the provider said.
fn recorded(record: &Operation) -> Vec<Event> {
    let job = match &record.job_id {
        Some(job_id) => format!("; job {job_id}"),
        None => String::new(),
    };
    let ours = Event {
        at: record.created_at,
        kind: EventKind::Report,
        lane: Lane::OurSide,
        title: record.phase.to_string(),
        detail: format!("recorded; evidence {}{job}", record.dispatch),
        source: "reported".to_owned(),
        money: None,
        phase: Some(record.phase),
        execution: None,
        revision: record.revision,
    };
    let said = record.remote.execution.map(|execution| Event {
        lane: Lane::Remote,
        title: execution.to_string(),
        detail: "reported with the record".to_owned(),
        phase: None,
        execution: Some(execution),
        ..ours.clone()
    });
    std::iter::once(ours).chain(said).collect()
}
