//! What the tests share.

pub mod backend;
pub mod provider;
