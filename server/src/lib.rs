//! How Dead Letter Office runs: storage, queue, recoveries, providers, artifacts, sessions, web and command line.

pub mod api;
pub mod artifacts;
pub mod background;
pub mod cli;
pub mod config;
pub mod database;
pub mod demo;
pub mod fault;
pub mod fixture;
pub mod office;
pub mod provider;
pub mod queue;
pub mod storage;
pub mod web;
pub mod worker;
