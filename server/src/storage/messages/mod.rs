//! `dlo_messages`: what each dead letter knew, projected from its args within a second of its arrival and kept after its
//! purge; and what people did with it.

mod competing;
mod dispose;
mod evidence;
mod facts;
mod project;
mod reread;

pub use competing::{Naming, competing_jobs, naming, same_work};
pub use dispose::{Standing, acknowledge, is_acknowledged, link, standing};
pub use facts::{Found, OWN_REFERENCE, action, find, operation_id, own_action};
pub use project::{newest_pending, pending, project, project_now, project_one, sweep, sync_replays};
pub use reread::{Thoroughness, adopt, operation_of, reread};
