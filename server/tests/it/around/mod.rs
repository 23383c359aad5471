//! What stands around the records, through HTTP: notes, claims, history, preferences, views, switches, copies, links.

mod claims;
mod copies;
mod history;
mod kept;
mod notes;
mod preferences;
mod providers;
mod sharing;
mod unseen;
mod views;
