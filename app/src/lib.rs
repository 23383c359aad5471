//! What Dead Letter Office *is*: words, decisions, pages. It knows no database, no network and no clock.

pub mod assets;
pub mod components;
pub mod desk;
pub mod domain;
pub mod edge;
pub mod href;
pub mod pages;
