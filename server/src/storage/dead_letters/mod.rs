//! `soniq_dead_letter_jobs`: listed and shown, replayed, purged. Only a worker's move inserts here.

mod counts;
mod cursor;
mod finding;
mod found;
mod list;
mod narrow;
mod raw;
mod replay;
mod retention;
mod table;
mod view;

pub use counts::summary;
pub use cursor::Cursor;
pub use finding::{categories, categories_statement, hours, hours_statement};
pub use found::{complete, get};
pub use list::{Listed, exists, list, load_raw, of_operation, peek, statement};
pub use narrow::Lead;
pub use raw::{RawLetter, TABLE, columns, for_share, id_value, read};
pub use replay::{Replay, count_resurrection, purge, replay};
pub use retention::{Kept, Old, Retention, old, purge_old};
pub use table::measure;
pub use view::{Redactor, redacted};
