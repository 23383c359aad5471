//! The sequences on which earlier drafts of the protocol broke, through the running program; `app/tests/model` walks
//! the same through the model. Those that stand elsewhere in this folder are not repeated.

mod approvals;
mod exits;
mod family;
mod histories;
mod outside;
mod stalls;
