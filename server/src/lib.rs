//! How Dead Letter Office runs: storage, queue, recoveries, providers, artifacts, sessions, web and command line.

pub mod api;
pub mod artifacts;
pub mod background;
pub mod cli;
pub mod config;
pub mod database;
pub mod demo;
pub mod failure;
pub mod fault;
pub mod fixture;
// The same file as the app's: one number of cases for all fuzzers.
#[cfg(test)]
#[path = "../../app/src/fuzzing.rs"]
mod fuzzing;
pub mod gzip;
pub mod live;
pub mod office;
pub mod oidc;
pub mod provider;
pub mod queue;
pub mod storage;
pub mod web;
pub mod worker;
