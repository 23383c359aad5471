//! Queue tables and messages: jobs, workers, dead letters, what they knew, what people do with them.

mod fixture_dumps;
mod jobs;
mod lists;
mod messages;
mod orders;
mod plans;
mod shared;
mod workers;
