//! `dlo demo`: everything in one process, on one temporary folder. SQLite, the fixture provider, our worker, the web
//! server, and a small application whose messages really die.

mod application;
mod cast;
mod error;
mod people;
#[cfg(test)]
mod rehearsal;
mod renders;
mod scenarios;
mod settings;
mod stage;
mod story;
mod strays;

pub use error::DemoError;
