//! All integration tests in one binary: one link, one harness.

mod api_edge;
mod architecture;
mod artifacts;
mod cli;
mod config;
mod contract;
mod database;
mod demo;
mod fixture;
mod protocol;
mod office;
mod provider_creates;
mod provider_outputs;
mod provider_reads;
mod queue;
mod sessions;
mod storage;
mod support;
mod web_edge;
