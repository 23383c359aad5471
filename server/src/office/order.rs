//! The frame of an order about one operation that leaves its record as it is: a claim, a note.

use super::Failure;
use super::idempotent;
use super::operations::no_such_operation;
use crate::database::{Database, Tx};
use crate::storage::audit::{self, Entry};
use crate::storage::idempotency::Claim;
use crate::storage::operations;
use app::domain::ids::OperationId;
use app::domain::operation::Operation;
use app::domain::role::Caller;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An order that was begun.
pub(super) enum Begun<T> {
    /// It was carried out before: this was its answer.
    Before(T),
    Now(Box<Order>),
}

/// Holds the operation's lock until it ends.
pub(super) struct Order {
    pub tx: Tx,
    record: Operation,
}

impl Order {
    /// Takes the key and the operation's lock, in this order.
    ///
    /// # Errors
    /// `not_found`, `idempotency_conflict`, or the database's.
    pub async fn begin<T: DeserializeOwned>(
        database: &Database,
        operation: &OperationId,
        claim: &Claim,
    ) -> Result<Begun<T>, Failure> {
        let mut tx = database.write().await?;
        if let Some(answer) = idempotent::begin(&mut tx, claim).await? {
            return Ok(Begun::Before(answer));
        }
        let record = operations::lock(&mut tx, operation)
            .await?
            .ok_or_else(no_such_operation)?;
        Ok(Begun::Now(Box::new(Self { tx, record })))
    }

    /// An entry of the audit about it: the revision stays.
    pub fn entry(&self, caller: &Caller, action: &str) -> Entry {
        Entry::new(caller, action)
            .operation(&self.record.id)
            .revisions(self.record.revision, self.record.revision)
    }

    /// Writes the entry, keeps the answer for whoever sends it again, and makes it so.
    ///
    /// # Errors
    /// The database's.
    pub async fn end<T: Serialize>(
        mut self,
        claim: &Claim,
        entry: Option<Entry>,
        answer: T,
    ) -> Result<T, Failure> {
        if let Some(entry) = entry {
            audit::append(&mut self.tx, entry).await?;
        }
        idempotent::keep(&mut self.tx, claim, 200, &answer).await?;
        self.tx.commit().await?;
        Ok(answer)
    }
}
