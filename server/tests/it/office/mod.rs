//! The office on every backend: reads, reports, facts and decisions, refusals in the design's order.

mod decisions;
mod derived;
mod evidence;
mod facts;
mod keys;
mod reads;
mod reports;
