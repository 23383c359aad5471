//! Beside the real Soniq, on PostgreSQL: `./check` makes the Python environment and names it.

mod application;
mod dead_letters;
mod load;
mod programs;
mod replays;
mod upgrades;
mod workers;
