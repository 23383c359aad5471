//! What the tests share.

pub mod backend;
