//! What the tests share.

pub mod app;
pub mod backend;
pub mod desk;
pub mod limit;
pub mod process;
pub mod provider;
pub mod raw;
pub mod sample;
