//! What Dead Letter Office *is*: words, decisions, pages. It knows no database, no network and no clock.

// A page's view is one nested type; its layout asks deeper than the default.
#![recursion_limit = "256"]

pub mod assets;
pub mod components;
pub mod desk;
pub mod domain;
pub mod edge;
#[cfg(test)]
mod fuzzing;
pub mod href;
pub mod pages;
