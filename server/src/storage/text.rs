//! Nested facts travel to their columns as JSON text, amounts as decimal text, and come back once.

use crate::database::{DbError, Row};
use rust_decimal::Decimal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::str::FromStr;

/// JSON text of a value of ours. None of them can fail: their maps have text keys, their numbers are finite.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// `$from, $from+1, …`: as many placeholders as there are values.
pub fn placeholders(from: usize, count: usize) -> String {
    (from..from + count)
        .map(|number| format!("${number}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The text between wildcards, for `LIKE … ESCAPE '\'` on lower-cased columns.
pub fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.to_lowercase().chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// Reads columns of one row, and says which of them is impossible.
pub struct Reader<'a> {
    pub row: &'a Row,
    pub table: &'static str,
    pub id: String,
}

impl Reader<'_> {
    /// The error for a column that cannot be what it says.
    pub fn impossible(&self, column: &'static str) -> DbError {
        DbError::Inconsistent {
            table: self.table,
            column,
            id: self.id.clone(),
        }
    }

    /// Text that must be there.
    pub fn text(&self, column: &'static str) -> Result<String, DbError> {
        self.row.text(column).map_err(|error| self.decoded(error, column))
    }

    /// A slug of a closed vocabulary.
    pub fn slug<T: FromStr>(&self, column: &'static str) -> Result<T, DbError> {
        self.text(column)?.parse().map_err(|_| self.impossible(column))
    }

    /// A slug or NULL.
    pub fn opt_slug<T: FromStr>(&self, column: &'static str) -> Result<Option<T>, DbError> {
        let text = self
            .row
            .opt_text(column)
            .map_err(|error| self.decoded(error, column))?;
        text.map(|text| text.parse().map_err(|_| self.impossible(column)))
            .transpose()
    }

    /// A JSON document.
    pub fn json<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, DbError> {
        serde_json::from_str(&self.text(column)?).map_err(|_| self.impossible(column))
    }

    /// A JSON document or NULL.
    pub fn opt_json<T: DeserializeOwned>(&self, column: &'static str) -> Result<Option<T>, DbError> {
        let text = self
            .row
            .opt_text(column)
            .map_err(|error| self.decoded(error, column))?;
        text.map(|text| serde_json::from_str(&text).map_err(|_| self.impossible(column)))
            .transpose()
    }

    /// An exact amount.
    pub fn amount(&self, column: &'static str) -> Result<Decimal, DbError> {
        self.slug(column)
    }

    /// Anything else, by the row's own reading.
    pub fn get<T>(
        &self,
        column: &'static str,
        read: impl Fn(&Row, &str) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        read(self.row, column).map_err(|error| self.decoded(error, column))
    }

    /// A value of the wrong kind is an impossible row; a missing column is a fault of the program.
    fn decoded(&self, error: DbError, column: &'static str) -> DbError {
        match error {
            DbError::Sqlx(sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. }) => {
                self.impossible(column)
            }
            other => other,
        }
    }
}
