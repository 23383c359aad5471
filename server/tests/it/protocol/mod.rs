//! The replay protocol through the running server: HTTP on one side, the counting fixture on the other.

mod accepted;
mod audit;
mod bad_input;
mod confirm;
mod contests;
mod creation;
mod crashes;
mod delivery;
mod ends;
mod handed_back;
mod money;
mod play;
mod receipts;
