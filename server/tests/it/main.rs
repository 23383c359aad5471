//! All integration tests in one binary: one link, one harness.

mod api_edge;
mod api_records;
mod architecture;
mod artifacts;
mod cli;
mod config;
mod contract;
mod database;
mod demo;
mod fixture;
mod office;
mod protocol;
mod provider_creates;
mod provider_outputs;
mod provider_reads;
mod queue;
mod sessions;
mod soniq;
mod storage;
mod support;
mod web_edge;
mod web_pages;
