pub mod artifacts;
pub mod config;
pub mod provider;
