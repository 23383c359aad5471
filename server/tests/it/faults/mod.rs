//! Faults on purpose (RELIABILITY.md): the real program, killed, cut off from its database, its provider and its disk.

mod bot;
mod database;
mod disk;
mod file;
mod follower;
mod held;
mod invariants;
mod kills;
pub mod machine;
mod migrations;
mod person;
mod points;
mod provider;
mod proxy;
mod servers;
mod soak;
mod stop;
mod store;
mod time;
