//! What the tests share.

pub mod backend;
pub mod desk;
pub mod provider;
pub mod sample;
