//! The words, the decisions and the transitions. Pure and total: no I/O, no clock, no randomness.

pub mod accounting;
pub mod attempt;
pub mod audit;
pub mod dead_letter;
pub mod decision;
pub mod evidence;
pub mod guard;
pub mod ids;
pub mod indexes;
pub mod label;
pub mod money;
pub mod operation;
pub mod permission;
pub mod person;
pub mod plan;
pub mod protocol;
pub mod recovery;
pub mod redact;
pub mod remote;
pub mod role;
pub mod slug;
pub mod transition;
pub mod warning;
