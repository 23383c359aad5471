//! Every verb of storage, on every backend.

mod attempts;
mod audit;
mod facts;
mod idempotency;
mod operations;
