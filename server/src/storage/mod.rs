//! Storage verbs: whole transactions named for what they mean, one file per noun.
//!
//! A function that takes `&mut Tx` is a step of somebody's transaction; one that takes `&Database` is a whole one.
//! Lock order, so that no two transactions wait for each other: idempotency key, operation, recovery, queue job, audit.

pub mod jobs;
pub mod stats;
