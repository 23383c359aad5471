//! What pages and forms do: samples rendered and read back, and whole requests against a make-believe port.

mod around;
mod fake;
mod fuzz;
mod requests;
mod samples;
