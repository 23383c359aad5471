//! Storage verbs: whole transactions named for what they mean, one file per noun.
//!
//! A function that takes `&mut Tx` is a step of somebody's transaction; one that takes `&Database` is a whole one.
//! Lock order, so that no two transactions wait for each other: idempotency key, operation, recovery, queue job, audit.

pub mod attempts;
pub mod audit;
pub mod cursor;
pub mod dead_letters;
pub mod decisions;
pub mod derived;
pub mod events;
pub mod evidence;
pub mod facts;
pub mod guard_facts;
pub mod idempotency;
pub mod jobs;
pub mod known_jobs;
pub mod messages;
pub mod operations;
pub mod operators;
pub mod overview;
pub mod planned;
pub mod providers;
pub mod recoveries;
pub mod reservations;
pub mod sessions;
pub mod soniq_workers;
pub mod stats;
mod text;
pub mod tokens;
