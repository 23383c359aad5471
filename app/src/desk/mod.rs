//! The port: what pages and the API may ask for and order. The server implements it, one value per request,
//! so that the caller is already known and every method can authorise by itself.

pub mod error;
pub mod filter;
pub mod order;
pub mod view;

pub use error::{Code, DeskError};
pub use filter::{AuditFilter, DeadLetterFilter, OperationFilter, PageRequest, RecoveryFilter};
pub use order::{DecisionOrder, Ordered, RecoveryOrder};
pub use view::{
    Candidates, DeadLetterRow, DeadLetterView, DecisionView, Event, EventKind, LabelCount, Lane,
    OperationRow, OperationView, OtherJobView, Overview, PageOf, QueueStats, QueuesView, RemoteView, Summary,
    Totals,
};

use crate::domain::audit::AuditEntry;
use crate::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use crate::domain::plan::Plan;
use crate::domain::recovery::Recovery;
use crate::domain::role::Caller;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Every answer of the port.
pub type Answer<T> = Result<T, DeskError>;

/// What pages and the API may ask for and order.
///
/// Mutations take an idempotency key: the same key with the same content gives the first answer again,
/// with other content [`Code::IdempotencyConflict`].
#[async_trait]
pub trait Desk: Send + Sync {
    /// Who asks; `None` when signed out.
    fn caller(&self) -> Option<Caller>;
    /// The moment of this request, on the server's clock.
    fn now(&self) -> DateTime<Utc>;

    /// Starts a session for this browser.
    async fn sign_in(&self, name: &str, password: &str) -> Answer<Caller>;
    /// Ends it.
    async fn sign_out(&self) -> Answer<()>;

    /// The small head of every page.
    async fn overview(&self) -> Answer<Overview>;
    /// Counts per label and per queue for the desk's rail, under the filter without its own label and queue.
    async fn summary(&self, filter: &DeadLetterFilter) -> Answer<Summary>;
    async fn dead_letters(
        &self,
        filter: &DeadLetterFilter,
        page: &PageRequest,
    ) -> Answer<PageOf<DeadLetterRow>>;
    async fn dead_letter(&self, id: &str) -> Answer<DeadLetterView>;
    async fn operations(&self, filter: &OperationFilter, page: &PageRequest) -> Answer<PageOf<OperationRow>>;
    async fn operation(&self, id: &OperationId) -> Answer<OperationView>;
    /// The plan; with `observe`, the plan of that alternative read instead; `led_by` is the dead letter that led here.
    async fn plan(
        &self,
        id: &OperationId,
        observe: Option<&JobId>,
        led_by: Option<DeadLetterId>,
    ) -> Answer<Plan>;
    /// Asks the provider's search for ids that may belong to the operation. Evidence only.
    async fn candidates(&self, id: &OperationId) -> Answer<Candidates>;
    async fn recoveries(&self, filter: &RecoveryFilter, page: &PageRequest) -> Answer<PageOf<Recovery>>;
    async fn recovery(&self, id: &str) -> Answer<Recovery>;
    async fn queues(&self) -> Answer<QueuesView>;
    async fn audit(&self, filter: &AuditFilter, page: &PageRequest) -> Answer<PageOf<AuditEntry>>;

    /// Confirms the plan (or a permitted `observe`): intends one recovery.
    async fn confirm(&self, operation: &OperationId, order: RecoveryOrder, key: &str) -> Answer<Ordered>;
    /// Records a decision; answers the new revision and plan.
    async fn decide(&self, operation: &OperationId, order: DecisionOrder, key: &str) -> Answer<(i64, Plan)>;
    async fn cancel(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery>;

    /// Replays a dead letter that has no record, as it is (only where the policy allows it).
    async fn replay(&self, id: &str, reason: &str, key: &str) -> Answer<QueueJobId>;
    /// Deletes the dead letter, finally. `false` when it is not there.
    async fn purge(&self, id: &str, reason: &str, confirm: &str, key: &str) -> Answer<bool>;
    async fn link(&self, id: &str, operation: &OperationId, reason: &str, key: &str) -> Answer<()>;
    async fn acknowledge(&self, id: &str, reason: &str, key: &str) -> Answer<()>;
}
