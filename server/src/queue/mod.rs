//! Workers on Soniq's tables: handlers by job name, a loop that claims and carries out, and what wakes it.
//!
//! Our own worker and the demo application are both made of this. What happens to a job is what Soniq's worker would do
//! with it, word for word; leases, which Soniq has not, are ours.

mod bell;
mod carry_out;
mod registry;
mod worker;

pub use bell::listen;
pub use registry::{HandlerResult, Job, JobFailure, Registry};
pub use worker::{KEEP_DONE, Settings, Worker, run_once};
