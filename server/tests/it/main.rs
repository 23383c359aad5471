//! All integration tests in one binary: one link, one harness.

mod database;
mod fixture;
mod storage;
mod support;
