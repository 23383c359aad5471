//! What the figures of BENCHMARKS.md are made of: a place, what fills it, and what is timed there.

pub mod child;
pub mod client;
pub mod pages;
pub mod place;
pub mod sample;
pub mod seed;
pub mod work;
