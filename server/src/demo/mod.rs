//! `dlo demo`: everything in one process, on one temporary folder. SQLite, the fixture provider, our worker, the web
//! server, and a small application whose messages really die.

mod application;
mod cast;
mod people;
mod renders;
mod scenarios;
mod settings;
mod story;
mod strays;
