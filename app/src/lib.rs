//! What Dead Letter Office *is*: words, decisions, pages. It knows no database, no network and no clock.

pub mod desk;
pub mod domain;
