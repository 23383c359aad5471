//! SQLite's times are text compared as text; Soniq writes them so, and a wrong format is never claimed.

use chrono::{DateTime, SecondsFormat, Utc};

/// `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`.
pub fn sqlite_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, false)
}

/// Reads what Soniq or we wrote; the fraction may be missing.
pub fn parse_sqlite_time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f%:z"))
        .ok()
        .map(|at| at.with_timezone(&Utc))
}
