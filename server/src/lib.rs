//! How Dead Letter Office runs: storage, queue, recoveries, providers, artifacts, sessions, web and command line.

pub mod fixture;
