//! What the tests share.

pub mod backend;
pub mod sample;
pub mod provider;
