//! What the tests share.

pub mod app;
pub mod backend;
pub mod sample;
pub mod provider;
pub mod raw;
