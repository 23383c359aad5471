//! `soniq_dead_letter_jobs`: listed and shown, replayed, purged. Only a worker's move inserts here.

mod counts;
mod cursor;
mod list;
mod narrow;
mod raw;
mod replay;
mod view;

pub use counts::summary;
pub use cursor::Cursor;
pub use list::{Listed, exists, get, list, load_raw, of_operation, statement};
pub use raw::{RawLetter, TABLE, columns, for_share, id_value, read};
pub use replay::{Replay, count_resurrection, purge, replay};
pub use view::{Redactor, redacted};
