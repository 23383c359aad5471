//! Storage verbs: whole transactions named for what they mean, one file per noun.
//!
//! A function that takes `&mut Tx` is a step of somebody's transaction; one that takes `&Database` is a whole one.
//! Lock order, so that no two transactions wait for each other: idempotency key, operation, recovery, queue job, audit.

pub mod attempts;
pub mod audit;
pub mod circuits;
pub mod claims;
pub mod cursor;
pub mod dead_letters;
pub mod decisions;
pub mod derived;
pub mod events;
pub mod evidence;
pub mod facts;
pub mod guard_facts;
pub mod idempotency;
pub mod identities;
pub mod jobs;
pub mod known_jobs;
pub mod marks;
pub mod messages;
pub mod notes;
pub mod operations;
pub mod operators;
pub mod overview;
pub mod people;
pub mod planned;
pub mod preferences;
pub mod presence;
pub mod providers;
pub mod recoveries;
pub mod replays;
pub mod reservations;
pub mod reveals;
pub mod revisions;
pub mod sessions;
pub mod setup;
pub mod sign_ins;
pub mod soniq_handlers;
pub mod soniq_workers;
pub mod stats;
pub mod stuck;
mod text;
pub mod tokens;
pub mod views;
pub mod warnings;
