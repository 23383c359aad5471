//! All integration tests in one binary: one link, one harness.

mod artifacts;
mod config;
mod database;
mod fixture;
mod office;
mod storage;
mod provider_creates;
mod provider_outputs;
mod provider_reads;
mod support;
