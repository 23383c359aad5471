//! The port: what pages and the API may ask for and order. The server implements it, one value per request,
//! so that the caller is already known and every method can authorise by itself.

pub mod claim;
pub mod error;
pub mod filter;
pub mod finding;
pub mod lineage;
pub mod live;
pub mod note;
pub mod order;
pub mod preference;
pub mod provider;
pub mod queues;
pub mod reveal;
pub mod revision;
pub mod saved_view;
pub mod shelf;
pub mod standing;
pub mod view;

pub use claim::{CLAIM_MINUTES, ClaimView, Claims};
pub use error::{Code, DeskError};
pub use filter::{
    Age, AuditFilter, Counted, DeadLetterFilter, OperationFilter, PageRequest, RecoveryFilter, Unseen,
    WantedCategory,
};
pub use finding::{CategoryCount, HourCount, Hours};
pub use lineage::{CameFrom, Lineage, ReplayEnd, ReplayView};
pub use live::Topic;
pub use note::{MAX_NOTE, NoteView, Notes};
pub use order::{DecisionOrder, Ordered, RecoveryOrder};
pub use preference::{Density, PreferenceDesk, Preferences, Theme, Zone};
pub use provider::{PauseView, ProviderView, Providers};
pub use queues::{DeadTable, QueueStats, QueuesView, StuckCount, StuckJob, StuckKind, StuckView, Totals};
pub use reveal::{Revealed, Reveals};
pub use revision::{FieldLine, RevisionView, Revisions, compare};
pub use saved_view::{MAX_VIEW_NAME, MAX_VIEWS, SavedView, ViewOrder, ViewedList, Views};
pub use shelf::{Pieces, Shelf};
pub use standing::{CameBy, ChainCheck, Standing};
pub use view::{
    Candidates, DeadLetterRow, DeadLetterView, DecisionView, Event, EventKind, LabelCount, Lane, LetterFound,
    OperationRow, OperationView, OtherJobView, Overview, PageOf, RemoteView, Summary, UnreadableLetter,
};

use crate::domain::audit::AuditEntry;
use crate::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use crate::domain::plan::Plan;
use crate::domain::recovery::Recovery;
use crate::domain::role::Caller;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Every answer of the port.
pub type Answer<T> = Result<T, DeskError>;

/// What pages and the API may ask for and order.
///
/// Mutations take an idempotency key: the same key with the same content gives the first answer again,
/// with other content [`Code::IdempotencyConflict`].
#[async_trait]
pub trait Desk:
    Notes + Claims + Revisions + PreferenceDesk + Views + Providers + Reveals + Pieces + Send + Sync
{
    /// Who asks; `None` when signed out.
    fn caller(&self) -> Option<Caller>;
    /// The moment of this request, on the server's clock.
    fn now(&self) -> DateTime<Utc>;

    /// What the issuer of single sign-on is called, where there is one.
    fn issuer(&self) -> Option<String>;
    /// Starts a session for this browser.
    async fn sign_in(&self, name: &str, password: &str) -> Answer<Caller>;
    /// Ends it.
    async fn sign_out(&self) -> Answer<()>;
    /// Ends all sessions of whoever asks.
    async fn sign_out_everywhere(&self) -> Answer<()>;
    /// Changes the password of whoever asks, and ends their other sessions.
    ///
    /// # Errors
    /// `unauthenticated` when the current one is wrong, `invalid_request` when the new one cannot be used,
    /// `not_allowed_here` when there is none of ours, `slow_down` after too many tries.
    async fn change_password(&self, current: &str, new: &str) -> Answer<()>;
    /// Whether this set-up link is worth something: there is nobody yet, and it is young.
    ///
    /// # Errors
    /// `not_found` when it is not.
    async fn may_set_up(&self, link: &str) -> Answer<()>;
    /// Makes the first person, an administrator, and starts their session.
    async fn set_up(&self, link: &str, name: &str, password: &str) -> Answer<Caller>;
    /// How the caller stands here.
    async fn standing(&self) -> Answer<Standing>;

    /// The small head of every page.
    async fn overview(&self) -> Answer<Overview>;
    /// Counts per label and per queue for the desk's rail, under the filter without its own label and queue.
    async fn summary(&self, filter: &DeadLetterFilter) -> Answer<Summary>;
    /// How many died in each hour, under the filter, in the window that [`finding::first_hour`] names.
    async fn hours(&self, filter: &DeadLetterFilter) -> Answer<Hours>;
    /// How many died of which error category, most first, under the filter.
    async fn categories(&self, filter: &DeadLetterFilter) -> Answer<Vec<CategoryCount>>;
    /// The mark of this moment: who reads a page afterwards has seen everything up to it.
    async fn mark(&self, topic: &Topic) -> Answer<String>;
    async fn dead_letters(
        &self,
        filter: &DeadLetterFilter,
        page: &PageRequest,
    ) -> Answer<Arc<PageOf<DeadLetterRow>>>;
    /// One dead letter with its lineage; an impossible one with what is readable of it.
    async fn dead_letter(&self, id: &str) -> Answer<LetterFound>;
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
    /// The last check of the audit's chain; `None` before the first.
    async fn chain(&self) -> Answer<Option<ChainCheck>>;
    /// Checks the audit's chain now.
    async fn verify_chain(&self) -> Answer<ChainCheck>;

    /// Confirms the plan (or a permitted `observe`): intends one recovery.
    async fn confirm(&self, operation: &OperationId, order: RecoveryOrder, key: &str) -> Answer<Ordered>;
    /// Records a decision; answers the new revision and plan.
    async fn decide(&self, operation: &OperationId, order: DecisionOrder, key: &str) -> Answer<(i64, Plan)>;
    async fn cancel(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery>;
    /// The second person's yes to a creation that waits for it.
    async fn approve(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery>;

    /// Replays a dead letter that has no record, as it is (only where the policy allows it).
    async fn replay(&self, id: &str, reason: &str, key: &str) -> Answer<QueueJobId>;
    /// Deletes the dead letter, finally. `false` when it is not there.
    async fn purge(&self, id: &str, reason: &str, confirm: &str, key: &str) -> Answer<bool>;
    async fn link(&self, id: &str, operation: &OperationId, reason: &str, key: &str) -> Answer<()>;
    async fn acknowledge(&self, id: &str, reason: &str, key: &str) -> Answer<()>;
}
