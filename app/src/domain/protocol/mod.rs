//! The replay protocol's own rules (DESIGN 4), pure: who may confirm, approve, cancel, begin, write and end a recovery,
//! and what it holds back meanwhile. Storage carries them out inside its transactions; the model in
//! `app/tests/model` walks through them exhaustively.

mod abandoned;
mod approval;
mod cancel;
mod confirm;
mod ending;
mod job;
mod leave;
mod person;
mod reservation;
mod stored;

pub use abandoned::{Abandoned, abandoned};
pub use approval::{Approval, approval};
pub use cancel::may_cancel;
pub use confirm::{begins_as, confirmed};
pub use ending::{Ending, ending_of_attempt};
pub use job::JobState;
pub use leave::{Leave, leave, refused_by_guards};
pub use person::{Present, still_permitted};
pub use reservation::{counted_by_facts, ends_with_recovery, outcome_is_known};
pub use stored::Stored;
