//! The replay protocol through the running server: HTTP on one side, the counting fixture on the other.

mod accepted;
mod audit;
mod bad_input;
mod confirm;
mod contests;
mod crashes;
mod creation;
mod delivery;
mod ends;
mod handed_back;
mod money;
pub mod play;
mod receipts;
mod sequences;
