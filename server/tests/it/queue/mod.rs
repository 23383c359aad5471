//! Queue tables and messages: jobs, workers, dead letters, what they knew, what people do with them.

mod at_once;
mod faults;
mod finding;
mod fixture_dumps;
mod jobs;
mod lineage;
mod lists;
mod many;
mod messages;
mod orders;
mod plans;
mod retention;
pub mod shared;
mod stuck;
mod warned;
mod workers;
